"""Where does a run stand in a stingray plot? Mean accuracies on L1 and L2, with their intervals.

Accuracies are averaged over cells (pair × task) without weights, as `aggregate=accuracies` does;
words are redrawn as for the scores, so that a cell's interval is that of its `accuracy` scores.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from metrics.figures.figure import FigureRun
from metrics.statistics.intervals import Estimate
from metrics.stingray_formulas import FloatArray
from metrics.stingray_marks import Mark, read_marks, split_by_way
from metrics.stingray_side_accuracy import NO_ANSWER
from metrics.stingray_sides import Cell, baseline_accuracies, side_marks
from metrics.stingray_table import side_table

Group = tuple[str | None, str | None]
"""Pair and task; None: all of them."""


@dataclass(frozen=True, slots=True)
class PlotPoint:
    """One run in one panel."""

    subset: str
    group: Group
    l1: Estimate
    l2: Estimate
    chance: tuple[float, float] | None
    """What random answers get on these cells."""
    cells: tuple[Cell, ...]


def plot_points(run: FigureRun, sides: str, by: Sequence[str]) -> Iterator[PlotPoint]:
    """Yield a point for each subset and group of a run's default way of asking.

    Args:
        run: With its rows.
        sides: `gold` or `acceptance`.
        by: What is kept apart: of `language` and `task`.
    """
    marks = _default_marks(run)
    for subset in sorted({mark.subset for mark in marks if mark.subset}):
        of_subset = [mark for mark in marks if mark.subset == subset]
        cells = sorted({(mark.language, mark.task) for mark in of_subset})
        found = list(side_marks(of_subset, sides))
        table = side_table(found, cells, run.seed)
        for group in dict.fromkeys(_group(cell, by) for cell in cells):
            members = tuple(cell for cell in cells if _group(cell, by) == group)
            chances = baseline_accuracies(found, members).get("chance")
            yield PlotPoint(
                subset,
                group,
                table.estimate(members, _mean_l1, NO_ANSWER),
                table.estimate(members, _mean_l2, NO_ANSWER),
                _mean_point(chances) if chances else None,
                members,
            )


def _default_marks(run: FigureRun) -> list[Mark]:
    by_way = split_by_way(run.rows)
    return read_marks(next(iter(by_way.values()), []), "")


def _group(cell: Cell, by: Sequence[str]) -> Group:
    return (cell[0] if "language" in by else None, cell[1] if "task" in by else None)


def _mean_point(chances: Sequence[tuple[float, float]]) -> tuple[float, float]:
    l1, l2 = np.mean(np.array(chances), axis=0)
    return float(l1), float(l2)


def _mean_l1(l1: FloatArray, _l2: FloatArray) -> FloatArray:
    return np.asarray(l1.mean(axis=1))


def _mean_l2(_l1: FloatArray, l2: FloatArray) -> FloatArray:
    return np.asarray(l2.mean(axis=1))
