"""The scores of a benchmark that has no score function of its own: how much of it is right?

An answer's value is what the judge made of it: an unreadable answer that the judge calls wrong
counts as wrong, one without a value is left out, and both lower the coverage.
"""

import statistics
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from metrics.estimated import setting_text, with_estimate
from metrics.score import Score
from metrics.statistics.intervals import Estimate, proportion
from metrics.statistics.macro import macro_proportion
from metrics.table import OutcomeRow, narrowed

METRIC = "accuracy"


@dataclass(frozen=True, slots=True)
class _Part:
    """The rows of one score, and what they have in common; None is all of it."""

    task: str
    language: str | None
    subset: str | None
    variant: str | None
    rows: Sequence[OutcomeRow]

    @property
    def languages(self) -> list[str]:
        """Which languages it has, sorted."""
        return sorted({row.language for row in self.rows})


def default_scores(
    benchmark: str, unit: str | None, rows: Sequence[OutcomeRow], seed: int
) -> list[Score]:
    """Return the accuracy of each task: by language and their mean, then by subset and by variant.

    Rows of one unit depend on each other, the variants of an item too, and a unit that stands in
    several languages is drawn for all of them at once: parallel data get an interval that is wide
    enough, and units that merely share a name get the same one on average.

    Args:
        benchmark: Its name.
        unit: The word for its sampling unit, if somebody knows it.
        rows: Every case of a run, unanswered ones included.
        seed: Where resampling starts.
    """
    return [_score(part, benchmark, unit, seed) for part in _parts(rows)]


def _parts(rows: Sequence[OutcomeRow]) -> Iterator[_Part]:
    """Yield the headlines of every task first, then what stands below them."""
    tasks = list(dict.fromkeys(row.task for row in rows))
    by_task = {task: narrowed(rows, partial(_has, "task", task)) for task in tasks}
    for task in tasks:
        yield from _by_language(task, by_task[task])
    for task in tasks:
        for subset in _several(row.subset for row in by_task[task]):
            part = narrowed(by_task[task], partial(_has, "subset", subset))
            yield from _by_language(task, part, subset=subset)
        variants = _several(row.variant for row in by_task[task])
        for variant in variants if len(variants) > 1 else ():
            part = narrowed(by_task[task], partial(_has, "variant", variant))
            yield from _by_language(task, part, variant=variant)


def _has(name: str, wanted: str, row: OutcomeRow) -> bool:
    return bool(getattr(row, name) == wanted)


def _several(names: Iterable[str | None]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name is not None]


def _by_language(
    task: str, rows: Sequence[OutcomeRow], subset: str | None = None, variant: str | None = None
) -> Iterator[_Part]:
    for language in dict.fromkeys(row.language for row in rows):
        of_language = narrowed(rows, partial(_has, "language", language))
        yield _Part(task, language, subset, variant, of_language)
    yield _Part(task, None, subset, variant, rows)


def _score(part: _Part, benchmark: str, unit: str | None, seed: int) -> Score:
    score = Score(
        benchmark=benchmark,
        metric=METRIC,
        task=part.task,
        language=part.language,
        subset=part.subset,
        setting=None if part.variant is None else setting_text({"variant": part.variant or "-"}),
        value=None,
        n=0,
        unit=unit,
        coverage=_mean_over_languages(part, lambda row: float(row.status == "valid")),
        baselines=_baselines(part),
    )
    return with_estimate(score, _estimate(part, seed))


def _estimate(part: _Part, seed: int) -> Estimate:
    values = [row.value for row in part.rows]
    units = [row.unit for row in part.rows]
    names: dict[tuple[str, str | None], str] = {}  # each is made once: rows may be millions
    strata = [
        names.setdefault((row.language, row.subset), f"{row.language}\x1f{row.subset or ''}")
        for row in part.rows
    ]
    if len(part.languages) == 1:
        return proportion(values, units, strata, seed)
    return macro_proportion(values, [row.language for row in part.rows], units, strata, seed)


def _baselines(part: _Part) -> dict[str, float | None]:
    """Return what each baseline gets on the answered cases."""
    answered = replace(part, rows=narrowed(part.rows, _is_answered))
    names = sorted({name for row in part.rows for name in row.baselines})
    return {name: _mean_over_languages(answered, partial(_baseline, name)) for name in names}


def _is_answered(row: OutcomeRow) -> bool:
    return row.value is not None


def _baseline(name: str, row: OutcomeRow) -> float | None:
    return row.baselines.get(name)


def _mean_over_languages(part: _Part, read: Callable[[OutcomeRow], float | None]) -> float | None:
    """Return the unweighted mean of the languages' means; None where one has no value."""
    known = {language: array("d") for language in part.languages}
    for row in part.rows:
        value = read(row)
        if value is not None:
            known[row.language].append(value)
    if not known or not all(known.values()):
        return None
    return statistics.fmean(statistics.fmean(values) for values in known.values())
