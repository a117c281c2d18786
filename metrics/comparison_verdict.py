"""What does a comparison come to, in one sentence? Is B so much worse that a gate must close?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from metrics.comparison import Compared
from metrics.errors import MetricsError

LEVEL = 0.05
HEADLINES = ("accuracy", "spearman", "f1", "model_error_share")
"""Metrics that speak for a run, the first one it has."""

HIGHER_IS_BETTER = frozenset(
    {"accuracy", "parsed_accuracy", "f1", "selectivity", "spearman", "cognate_comprehension"}
)
LOWER_IS_BETTER = frozenset(
    {"miss_share", "ambiguous_share", "sfii", "spdi", "mfs", "mfs_plus", "model_error_share"}
)
"""All other metrics (a bias, a share of answers) say which way a model leans, not how good it is.
"""


class UndecidedError(MetricsError):
    """A gate has nothing to decide on; the message says why."""


@dataclass(frozen=True, slots=True)
class GateDecision:
    """Whether B is worse by more than the margin."""

    is_worse: bool
    sentence: str


def direction(metric: str) -> int:
    """Return 1 where higher is better, -1 where lower is, 0 where neither is."""
    return int(metric in HIGHER_IS_BETTER) - int(metric in LOWER_IS_BETTER)


def headline_metric(rows: Sequence[Compared]) -> str | None:
    """Return the metric that speaks for the comparison."""
    found = {row.metric for row in rows if row.difference is not None}
    known = (*HEADLINES, *sorted(metric for metric in found if direction(metric)))
    return next((metric for metric in known if metric in found), None)


def verdict(rows: Sequence[Compared]) -> str:
    """Say on how many languages B is better or worse, and what could not have been seen.

    Only the headline metric counts, over all subsets together; where several tasks were asked,
    languages are counted once a task.
    """
    metric = headline_metric(rows)
    cells = [row for row in rows if row.metric == metric and _is_cell(row)]
    tested = [row for row in cells if row.p_holm is not None]
    if metric is None or not tested:
        return "nothing to decide: no difference could be tested"
    sign = direction(metric)
    found = [row for row in tested if _is_found(row)]
    better = [row for row in found if sign * (row.difference or 0.0) > 0]
    worse = [row for row in found if sign * (row.difference or 0.0) < 0]
    rest = [row for row in tested if not _is_found(row)]
    what = _what(cells)
    parts = [
        f"{word} on {len(group)} of {len(cells)} {what} after Holm"
        for word, group in (("better", better), ("worse", worse))
        if group
    ]
    if rest:
        parts.append(_undetected(rest, is_all=not found))
    return f"{metric}: B is {'; '.join(parts)}" if found else f"{metric}: {parts[0]}"


def gate(rows: Sequence[Compared], margin: float) -> GateDecision:
    """Decide whether B is worse than A by more than a margin, with confidence.

    It is worse on a row whose whole 95 % interval lies beyond the margin; one such row closes the
    gate.

    Args:
        rows: What to decide on; see `gated`.
        margin: In the units of the metric, 0 or more.

    Raises:
        UndecidedError: A row has no interval.
    """
    losses = []
    for row in rows:
        sign = direction(row.metric)
        if row.difference is None or row.ci_low is None or row.ci_high is None:
            why = row.reason or "no interval"
            raise UndecidedError(f"{_name(row)} of the two runs cannot be compared: {why}")
        least = -row.ci_high if sign > 0 else row.ci_low
        losses.append((least, row))
    worst, row = max(losses, key=lambda pair: pair[0])
    n_worse = sum(least > margin for least, _ in losses)
    told = (
        f"{_name(row)} {_signed(row.difference)} (95% interval {_signed(row.ci_low)} to"
        f" {_signed(row.ci_high)}, n {row.n})"
    )
    if worst > margin:
        more = f", and {n_worse - 1} more" if n_worse > 1 else ""
        return GateDecision(True, f"worse: B loses more than {margin:g} on {told}{more}")
    scope = "" if len(losses) == 1 else f" on any of {len(losses)} scores; nearest to it"
    return GateDecision(
        False, f"not worse: B is not shown to lose more than {margin:g}{scope}: {told}"
    )


def gated(
    rows: Sequence[Compared],
    metrics: Sequence[str],
    tasks: Sequence[str],
    languages: Sequence[str],
) -> list[Compared]:
    """Choose what a gate decides on: by default the headline metric's mean over languages, by task.

    Args:
        rows: Of a comparison.
        metrics: Names; empty: the headline metric.
        tasks: Names; empty: all.
        languages: Names; empty: the mean over languages.

    Raises:
        UndecidedError: Nothing is left, or a metric says nothing of better and worse.
    """
    chosen = tuple(metrics) or ((headline_metric(rows) or "accuracy"),)
    for metric in chosen:
        if direction(metric) == 0:
            allowed = ", ".join(sorted(HIGHER_IS_BETTER | LOWER_IS_BETTER))
            raise UndecidedError(f"{metric} says nothing of better or worse; allowed: {allowed}")
    found = [
        row
        for row in rows
        if row.metric in chosen
        and row.layer is None
        and row.setting is None
        and (not tasks or row.task in tasks)
        and (row.language in languages if languages else row.language is None)
    ]
    whole = [row for row in found if row.subset is None]
    if not (whole or found):
        wanted = ", ".join([*chosen, *tasks, *(languages or ("mean over languages",))])
        raise UndecidedError(f"the runs share no score of {wanted}")
    return whole if any(row.difference is not None for row in whole) else found


def _is_cell(row: Compared) -> bool:
    is_side = row.language is not None and ":" in row.language
    is_plain = row.subset is None and row.layer is None and row.setting is None
    return row.language is not None and not is_side and is_plain


def _is_found(row: Compared) -> bool:
    return row.p_holm is not None and row.p_holm <= LEVEL


def _what(cells: Sequence[Compared]) -> str:
    if len({row.task for row in cells}) > 1:
        return "language × task cells"
    return "language" if len(cells) == 1 else "languages"


def _undetected(rest: Sequence[Compared], *, is_all: bool) -> str:
    sizes = [row.minimum_detectable for row in rest if row.minimum_detectable is not None]
    where = "" if is_all else " on the rest"
    if not sizes:
        return f"no difference found{where}"
    points = max(math.ceil(1000 * size) / 10 for size in sizes)
    return f"no difference detectable below {points:g} points{where}"


def _name(row: Compared) -> str:
    parts = (row.metric, row.task, row.language or "mean over languages", row.subset)
    return " ".join(part for part in parts if part)


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.3f}"
