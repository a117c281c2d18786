"""From cases to items: the mean over seeds of each item, and estimates over their concepts."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev
from typing import Literal

from metrics.estimated import with_estimate
from metrics.score import Score
from metrics.spread import with_spread
from metrics.statistics.intervals import Estimate, proportion
from metrics.statistics.macro import macro_proportion
from metrics.table import OutcomeRow

BENCHMARK, UNIT = "dtails", "concept"

ValueOf = Callable[[OutcomeRow], float | None]
"""What a case counts: its value, or another parser's verdict on it."""

Average = Literal["item", "case", "concept"]
"""What counts once: an item (the mean over its seeds), each case for itself, or a concept."""


def _is_valid(row: OutcomeRow) -> bool:
    return row.status == "valid"


@dataclass(frozen=True, slots=True)
class ItemMean:
    """An item with the mean of its cases over the seeds; None where no case has a value."""

    language: str
    concept: str
    value: float | None

    @property
    def unit(self) -> str:
        """The concept, told apart from the same word in another language."""
        return f"{self.language}:{self.concept}"


@dataclass(frozen=True)
class Cell:
    """The cases that one score is made of."""

    rows: Sequence[OutcomeRow]
    task: str
    value_of: ValueOf
    setting: str | None = None
    metric: str = "accuracy"
    average: Average = "item"
    is_read: Callable[[OutcomeRow], bool] = _is_valid
    """Whether the answer to a case could be read; the coverage is their share."""

    @property
    def languages(self) -> list[str]:
        """The languages of its cases, in the order of the run."""
        return list(dict.fromkeys(row.language for row in self.rows))

    def of_language(self, language: str) -> "Cell":
        """Return the cases of one language."""
        kept = [row for row in self.rows if row.language == language]
        return replace(self, rows=kept)

    def means(self) -> list[ItemMean]:
        """Return what counts once, in the order of the run."""
        cases: dict[tuple[str, int, str], list[OutcomeRow]] = {}
        for row in self.rows:
            variant = row.variant if self.average == "case" else ""
            cases.setdefault((row.language, row.number, variant), []).append(row)
        means = [
            ItemMean(language, group[0].unit, mean_of_known(map(self.value_of, group)))
            for (language, _, _), group in cases.items()
        ]
        return _concept_means(means) if self.average == "concept" else means


def _concept_means(items: Sequence[ItemMean]) -> list[ItemMean]:
    values: dict[tuple[str, str], list[float | None]] = {}
    for item in items:
        values.setdefault((item.language, item.concept), []).append(item.value)
    return [ItemMean(*key, mean_of_known(of_concept)) for key, of_concept in values.items()]


def mean_of_known(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values there are; None if there is none."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def language_estimate(means: Sequence[ItemMean], seed: int) -> Estimate:
    """Estimate the mean over items; concepts are resampled."""
    return proportion(
        [item.value for item in means],
        [item.unit for item in means],
        [item.language for item in means],
        seed,
    )


def macro_estimate(means: Sequence[ItemMean], seed: int) -> Estimate:
    """Estimate the unweighted mean over languages; concepts are resampled within each."""
    languages = [item.language for item in means]
    return macro_proportion(
        [item.value for item in means], languages, [item.unit for item in means], languages, seed
    )


def sd_over_seeds(cell: Cell) -> float | None:
    """Return the sample standard deviation (n-1) over variants of the mean over languages.

    Returns:
        None for fewer than two variants, or where one of them has no value in a language.

    Source: Barua et al. 2024 (DTAiLS), ± over three seeds.
    """
    found = means_by_variant(cell)
    known = [value for value in found if value is not None]
    return stdev(known) if len(known) == len(found) > 1 else None


def means_by_variant(cell: Cell) -> list[float | None]:
    """Return the mean over languages of each variant; None where a language has no value in it."""
    found: list[float | None] = []
    for variant in dict.fromkeys(row.variant for row in cell.rows):
        rows = [row for row in cell.rows if row.variant == variant]
        by_language = [
            mean_of_known(cell.value_of(row) for row in rows if row.language == language)
            for language in cell.languages
        ]
        known = [value for value in by_language if value is not None]
        found.append(fmean(known) if len(known) == len(by_language) else None)
    return found


def spread_scores(cell: Cell) -> Iterator[Score]:
    """Yield how far the accuracies lie apart over styles and orders: greatest minus least."""
    parts = [(language, cell.of_language(language)) for language in cell.languages]
    for language, part in [*parts, (None, cell)]:
        score = Score(
            benchmark=BENCHMARK,
            metric="accuracy_spread",
            task=cell.task,
            language=language,
            value=None,
            n=0,
        )
        yield with_spread(score, means_by_variant(part))


def cell_scores(cell: Cell, seed: int) -> list[Score]:
    """Return a score for each language, then the unweighted mean over them."""
    found = []
    for language in cell.languages:
        part = cell.of_language(language)
        found.append(make_score(part, language_estimate(part.means(), seed), language))
    return [*found, make_score(cell, macro_estimate(cell.means(), seed), None)]


def make_score(
    cell: Cell, estimate: Estimate, language: str | None, *, subset: str | None = None
) -> Score:
    """Put an estimate and what it was made from together."""
    score = Score(
        benchmark=BENCHMARK,
        metric=cell.metric,
        task=cell.task,
        language=language,
        subset=subset,
        setting=cell.setting,
        value=None,
        sd=sd_over_seeds(cell),
        n=0,
        unit=UNIT,
        coverage=sum(map(cell.is_read, cell.rows)) / len(cell.rows),
        baselines=_baselines(cell),
    )
    return with_estimate(score, estimate)


def _baselines(cell: Cell) -> dict[str, float | None]:
    """Return what each baseline gets on the same cases, averaged in the same way."""

    def value_of(name: str) -> ValueOf:
        return lambda row: None if cell.value_of(row) is None else row.baselines.get(name)

    names = dict.fromkeys(name for row in cell.rows for name in row.baselines)
    by_name = {name: replace(cell, value_of=value_of(name)).means() for name in names}
    return {
        name: mean_of_known(
            mean_of_known(each.value for each in means if each.language == language)
            for language in cell.languages
        )
        for name, means in by_name.items()
    }
