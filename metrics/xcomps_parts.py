"""Which outcomes of XCOMPS stand behind one row of scores, and how is each of them read?"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from benchmarks.xcomps.languages import typology_of
from benchmarks.xcomps.records import NEGATIVE_TYPES
from metrics.estimated import setting_text, with_estimate
from metrics.score import Score
from metrics.statistics.intervals import Estimate, proportion, undefined
from metrics.statistics.macro import macro_proportion
from metrics.table import OutcomeRow

BENCHMARK, UNIT = "xcomps", "group"
TYPOLOGIES = ("agglutinative", "analytic", "inflectional")

Setting = Mapping[str, str]
Reading = Callable[[OutcomeRow], float | None]
"""What one answered outcome is worth; None where it does not say."""


@dataclass(frozen=True, slots=True)
class Part:
    """The rows behind one score: of a language, or of several whose mean is taken."""

    task: str
    language: str | None
    typology: str | None
    """Set where the mean is over one class of languages."""
    subset: str | None
    rows: tuple[OutcomeRow, ...]
    setting: Setting


def is_left_out(row: OutcomeRow) -> bool:
    """Say whether a pair has no right answer: it counts nowhere."""
    return "left_out" in row.detail


def parts(rows: Sequence[OutcomeRow], task: str, setting: Setting) -> Iterator[Part]:
    """Yield every language, the mean over all and over each class; of all types and of each."""
    by_cell: dict[tuple[str, str | None], list[OutcomeRow]] = {}
    for row in rows:
        if row.task == task:
            by_cell.setdefault((row.language, row.subset), []).append(row)
    languages = sorted({language for language, _ in by_cell})
    for language, typology, members in _scopes(languages):
        for subset in (None, *NEGATIVE_TYPES):
            wanted = tuple(
                row
                for (of_language, of_subset), of_cell in by_cell.items()
                if of_language in members and subset in (None, of_subset)
                for row in of_cell
            )
            if wanted:
                chosen = {**setting, "typology": typology} if typology else setting
                yield Part(task, language, typology, subset, wanted, chosen)


def part_score(
    part: Part,
    metric: str,
    reading: Reading,
    seed: int,
    baselines: Mapping[str, float | None] | None = None,
) -> Score:
    """Return the mean of a reading: over rows of a language, or of the languages' means.

    Args:
        part: Which rows.
        metric: The score's name.
        reading: What an answered row is worth.
        seed: Where resampling starts.
        baselines: Beside the score; those of the rows if None.
    """
    asked = [row for row in part.rows if not is_left_out(row)]
    values = [None if row.status == "unanswered" else reading(row) for row in asked]
    n_valid = sum(
        value is not None and row.status == "valid"
        for row, value in zip(asked, values, strict=True)
    )
    score = Score(
        benchmark=BENCHMARK,
        metric=metric,
        task=part.task,
        language=part.language,
        subset=part.subset,
        setting=setting_text(part.setting),
        value=None,
        n=0,
        unit=UNIT,
        coverage=n_valid / len(asked) if asked else None,
        baselines=_baseline_means(asked, values) if baselines is None else baselines,
    )
    return with_estimate(score, estimate_part(part, asked, values, seed))


def estimate_part(
    part: Part, asked: Sequence[OutcomeRow], values: Sequence[float | None], seed: int
) -> Estimate:
    """Estimate the mean of values, one an asked row; of several languages, their means' mean."""
    if all(value is None for value in values):
        return undefined(_why_empty(asked))
    units = [f"{row.language}|{row.unit}" for row in asked]
    strata = [f"{row.language}|{row.subset}" for row in asked]
    if part.language is None:
        return macro_proportion(values, [row.language for row in asked], units, strata, seed)
    return proportion(values, units, strata, seed)


def _why_empty(asked: Sequence[OutcomeRow]) -> str:
    if not asked:
        return "every pair is left out: its sentences are identical"
    if all(row.status == "unanswered" for row in asked):
        return "no answer"
    reasons = {row.detail["not_asked"] for row in asked if "not_asked" in row.detail}
    return "; ".join(sorted(reasons)) or "the answers do not hold it"


def _baseline_means(
    asked: Sequence[OutcomeRow], values: Sequence[float | None]
) -> dict[str, float | None]:
    """Return the unweighted mean over languages of each baseline on the answered rows."""
    found: dict[str, dict[str, list[float]]] = {}
    answered = [row for row, value in zip(asked, values, strict=True) if value is not None]
    for row in answered:
        for name, worth in row.baselines.items():
            if worth is not None:
                found.setdefault(name, {}).setdefault(row.language, []).append(worth)
    n_languages = len({row.language for row in answered})
    return {
        name: fmean(map(fmean, by_language.values())) if len(by_language) == n_languages else None
        for name, by_language in found.items()
    }


def _scopes(languages: Sequence[str]) -> Iterator[tuple[str | None, str | None, tuple[str, ...]]]:
    """Yield (language, typology, members) of every row's languages."""
    for language in languages:
        yield language, None, (language,)
    yield None, None, tuple(languages)
    for typology in TYPOLOGIES:
        members = tuple(name for name in languages if typology_of(name) == typology)
        if members:
            yield None, typology, members
