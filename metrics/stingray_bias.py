"""Cognate bias and comprehension of every pair, task and subset, and of their cells together."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics.estimated import setting_text, with_estimate
from metrics.score import Score
from metrics.statistics.intervals import undefined, unless_one_unit
from metrics.stingray_formulas import cognate_biases, cognate_comprehensions
from metrics.stingray_marks import Mark, Setting, coverage
from metrics.stingray_side_accuracy import NO_ANSWER, View, side_accuracies
from metrics.stingray_sides import (
    Cell,
    SideMark,
    baseline_accuracies,
    is_even_by_construction,
    side_marks,
)
from metrics.stingray_table import Statistic, side_table

FloatArray = NDArray[np.float64]

AGGREGATES = ("accuracies", "scores")
FORMULAS = {"cognate_bias": cognate_biases, "cognate_comprehension": cognate_comprehensions}
NEVER_POOLED = "true cognates and false friends are never pooled"
BY_CONSTRUCTION = "even by construction: both sides of a true cognate have one answer"
ZERO_ZERO = "both accuracies are 0, or a side has no answer"


@dataclass(frozen=True, slots=True)
class Scope:
    """The cells behind one row: of one pair or all, of one task or all."""

    language: str | None
    task: str | None
    subset: str
    cells: tuple[Cell, ...]


def bias_scores(
    marks: Sequence[Mark], sides: str, settings: Mapping[str, Any], setting: Setting, seed: int
) -> list[Score]:
    """Return the accuracies of the sides, and bias and comprehension aggregated in both ways.

    Args:
        marks: Of one way of asking and one reading.
        sides: `gold` or `acceptance`.
        settings: The run's; `aggregate` tells which way is the default.
        setting: What the rows' settings already name.
        seed: Where resampling starts.
    """
    result: list[Score] = []
    scopes: dict[tuple[str | None, str | None], None] = {}
    for subset in sorted({mark.subset for mark in marks if mark.subset}):
        of_subset = [mark for mark in marks if mark.subset == subset]
        cells = sorted({(mark.language, mark.task) for mark in of_subset})
        found = list(side_marks(of_subset, sides))
        view = View(
            of_subset, found, side_table(found, cells, seed), subset, sides, setting
        )  # fmt: skip
        result += side_accuracies(view)
        for scope in _scopes(cells, subset):
            scopes[scope.language, scope.task] = None
            result += _scope_scores(view, scope, str(settings.get("aggregate", AGGREGATES[0])))
    return [*_never_pooled(scopes, setting), *result]


def _scopes(cells: Sequence[Cell], subset: str) -> Iterator[Scope]:
    """Yield each pair × task, each pair over its tasks, each task over the pairs, and all."""
    languages = sorted({language for language, _ in cells})
    tasks = sorted({task for _, task in cells})
    for language in (*languages, None):
        for task in (*tasks, *((None,) if len(tasks) > 1 else ())):
            wanted = tuple(
                cell for cell in cells if language in (None, cell[0]) and task in (None, cell[1])
            )
            if wanted:
                yield Scope(language, task, subset, wanted)


def _scope_scores(view: View, scope: Scope, default: str) -> Iterator[Score]:
    for metric in FORMULAS:
        for aggregate in sorted(AGGREGATES, key=lambda name: name != default):
            if aggregate == default:
                yield _score(view, scope, metric, aggregate, view.setting)
            elif len(scope.cells) > 1:
                chosen = {**view.setting, "aggregate": aggregate}
                yield _score(view, scope, metric, aggregate, chosen)


def _score(view: View, scope: Scope, metric: str, aggregate: str, setting: Setting) -> Score:
    cells = scope.cells
    if metric == "cognate_bias":
        cells = tuple(
            cell for cell in cells if not is_even_by_construction(cell[1], scope.subset, view.sides)
        )
    of_cells = [mark for mark in view.marks if (mark.language, mark.task) in cells]
    statistic = _statistic(metric, aggregate)
    score = Score(
        benchmark="stingray",
        metric=metric,
        task=scope.task,
        language=scope.language,
        subset=scope.subset,
        setting=setting_text(setting),
        value=None,
        n=0,
        unit="word",
        coverage=coverage(of_cells),
        baselines=_baselines(view.found, cells, statistic),
    )
    if not cells:
        return with_estimate(score, undefined(BY_CONSTRUCTION))
    reason = ZERO_ZERO if metric == "cognate_bias" else NO_ANSWER
    estimate = view.table.estimate(cells, statistic, reason)
    n_units = len({mark.resampled_unit for mark in of_cells if mark.value is not None})
    n = sum(mark.value is not None for mark in of_cells)
    return with_estimate(score, unless_one_unit(replace(estimate, n=n, n_units=n_units)))


def _statistic(metric: str, aggregate: str) -> Statistic:
    """Return the score of the mean accuracies, or the mean of the cells' scores."""
    formula = FORMULAS[metric]

    def of_accuracies(l1: FloatArray, l2: FloatArray) -> FloatArray:
        return formula(l1.mean(axis=1), l2.mean(axis=1))

    def of_scores(l1: FloatArray, l2: FloatArray) -> FloatArray:
        return np.asarray(formula(l1, l2).mean(axis=1))

    return of_accuracies if aggregate == "accuracies" else of_scores


def _baselines(
    found: Sequence[SideMark], cells: Sequence[Cell], statistic: Statistic
) -> dict[str, float | None]:
    values: dict[str, float | None] = {}
    if not cells:
        return values
    for name, accuracies in baseline_accuracies(found, cells).items():
        table = np.array(accuracies)
        value = float(statistic(table[None, :, 0], table[None, :, 1])[0])
        values[name] = None if np.isnan(value) else value
    return values


def _never_pooled(
    scopes: Mapping[tuple[str | None, str | None], None], setting: Setting
) -> Iterator[Score]:
    """Yield the rows without a subset, which have no value."""
    for language, task in scopes:
        for metric in FORMULAS:
            yield Score(
                benchmark="stingray",
                metric=metric,
                task=task,
                language=language,
                setting=setting_text(setting),
                value=None,
                n=0,
                unit="word",
                reason=NEVER_POOLED,
            )
