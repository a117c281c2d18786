"""Which of two runs is better, on the items that both answered, by every metric there is?

No metric is written twice for this. The score function of the benchmark scores A's rows, B's rows,
and the rows of both as if they were one run's; of the last it is asked what each score is made from
(`statistics.recording`), and the units of that sample are redrawn and exchanged in pairs. A
difference gets an interval only where the sample gives exactly both runs' own scores.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from metrics.catalog import scores_of
from metrics.comparison_matching import Matched, match_rows
from metrics.score import Score
from metrics.statistics.draws import Draws, comparison_of
from metrics.statistics.multiplicity import benjamini_hochberg, holm
from metrics.statistics.paired_samples import Drawer
from metrics.statistics.recording import recording
from metrics.table import OutcomeRow

Dimensions = frozenset[str]
DIMENSIONS: Dimensions = frozenset({"task", "language", "subset", "layer", "setting"})
DEFAULT_DIMENSIONS: Dimensions = frozenset({"task", "language", "subset"})
TOLERANCE = 1e-9
"""How far a score may be from what its sample gives: rounding, and nothing else."""

Key = tuple[str, str | None, str | None, str | None, int | None, str | None]


@dataclass(frozen=True, slots=True)
class Judged:
    """A run's cases and the settings that its scores are made by."""

    rows: Sequence[OutcomeRow]
    settings: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Compared:
    """One metric over one part of what both answered; the difference is B less A."""

    metric: str
    task: str | None
    language: str | None
    subset: str | None
    layer: int | None
    setting: str | None
    a: float | None
    b: float | None
    difference: float | None
    ci_low: float | None = None
    ci_high: float | None = None
    """The 95 % interval of the difference."""
    test: str | None = None
    """mcnemar (exact; every unit is one item, right or wrong) or permutation (over units)."""
    p_value: float | None = None
    p_holm: float | None = None
    p_bh: float | None = None
    """Adjusted over all rows of the metric."""
    n: int = 0
    minimum_detectable: float | None = None
    """The true difference that a sample like this one finds four times in five."""
    reason: str | None = None
    """Why there is no difference, or no interval."""


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two runs on the items that both answered."""

    rows: tuple[Compared, ...]
    matched: Matched
    untested: tuple[str, ...]
    """Metrics that are no function of sampling units (a spread over styles): left out."""


def compare_runs(
    benchmark: str,
    first: Judged,
    second: Judged,
    seed: int,
    dimensions: Dimensions = DEFAULT_DIMENSIONS,
) -> RunComparison:
    """Compare every score of two runs.

    Args:
        benchmark: Of both.
        first: A.
        second: B.
        seed: Where redrawing and exchanging start.
        dimensions: What rows may be narrowed by; without `layer` and `setting`, defaults only.

    Raises:
        UnlikeError: They share no answered case.
    """
    matched = match_rows(benchmark, first.rows, second.rows)
    with recording():
        of_a = _by_key(scores_of(benchmark, matched.first, first.settings, seed))
        of_b = _by_key(scores_of(benchmark, matched.second, second.settings, seed))
        of_both = _by_key(scores_of(benchmark, matched.stacked(), first.settings, seed))
    drawer = Drawer(seed)
    rows: list[Compared] = []
    untested: dict[str, None] = {}
    for key in of_a:
        if key not in of_b or not _is_wanted(of_a[key], dimensions):
            continue
        both = of_both.get(key)
        if both is None or both.sample is None:
            if of_a[key].value is not None and of_b[key].value is not None:
                untested[key[0]] = None
                continue
            draws = None
        else:
            draws = drawer.draws(both.sample)
        if (found := _compared(of_a[key], of_b[key], draws)) is not None:
            rows.append(_renamed(found, matched))
    for row in rows:
        untested.pop(row.metric, None)
    return RunComparison(tuple(_adjusted(rows)), matched, tuple(untested))


def _by_key(scores: Sequence[Score]) -> dict[Key, Score]:
    found: dict[Key, Score] = {}
    for score in scores:
        key = (
            score.metric, score.task, score.language, score.subset, score.layer, score.setting,
        )  # fmt: skip
        found.setdefault(key, score)
    return found


def _is_wanted(score: Score, dimensions: Dimensions) -> bool:
    names = DIMENSIONS - {"task"} - dimensions
    return all(getattr(score, name) is None for name in names)


def _compared(a: Score, b: Score, draws: Draws | None) -> Compared | None:
    """Return what two scores differ by; None where neither has a value."""
    if a.value is None and b.value is None:
        return None
    plain = Compared(
        a.metric, a.task, a.language, a.subset, a.layer, a.setting, a.value, b.value,
        difference=None, n=min(a.n, b.n),
    )  # fmt: skip
    if a.value is None or b.value is None:
        side, reason = ("A", a.reason) if a.value is None else ("B", b.reason)
        return replace(plain, reason=f"{side}: {reason}")
    plain = replace(plain, difference=b.value - a.value)
    if draws is None or not _is_same(draws, a.value, b.value):
        return replace(plain, reason="the score is no function of units that both runs share")
    found = comparison_of(draws, plain.n)
    is_exact = found.mcnemar is not None
    return replace(
        plain,
        ci_low=found.difference.ci_low,
        ci_high=found.difference.ci_high,
        test="mcnemar" if is_exact else "permutation",
        p_value=found.mcnemar if is_exact else found.p_value,
        minimum_detectable=found.minimum_detectable,
        reason=found.difference.reason,
    )


def _is_same(draws: Draws, a: float, b: float) -> bool:
    """Say whether the sample gives both runs' own scores."""
    return math.isclose(draws.first, a, abs_tol=TOLERANCE) and math.isclose(
        draws.second, b, abs_tol=TOLERANCE
    )


def _renamed(row: Compared, matched: Matched) -> Compared:
    return row if matched.tasks is None else replace(row, task=" and ".join(matched.tasks))


def _adjusted(rows: Sequence[Compared]) -> list[Compared]:
    """Adjust p-values over languages, tasks and subsets (and layers, settings) of each metric."""
    places: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(row.metric, []).append(place)
    found = list(rows)
    for of_metric in places.values():
        p_values = [rows[place].p_value for place in of_metric]
        adjusted = zip(of_metric, holm(p_values), benjamini_hochberg(p_values), strict=True)
        for place, p_holm, p_bh in adjusted:
            found[place] = replace(rows[place], p_holm=p_holm, p_bh=p_bh)
    return found
