"""How right is a model on the sentences of one language of a pair?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from metrics.estimated import setting_text, with_estimate
from metrics.score import Score
from metrics.statistics.intervals import unless_one_unit
from metrics.stingray_marks import Mark, Setting, coverage
from metrics.stingray_sides import Cell, SideMark, baseline_accuracies
from metrics.stingray_table import FloatArray, SideTable, Statistic

NO_ANSWER = "a side has no answer"


@dataclass(frozen=True, slots=True)
class View:
    """One subset seen with one definition of the sides."""

    marks: Sequence[Mark]
    found: Sequence[SideMark]
    table: SideTable
    subset: str
    sides: str
    setting: Setting


def side_accuracies(view: View) -> Iterator[Score]:
    """Yield the accuracy of each side of each cell, its language as `en_de:L1`."""
    for cell in view.table.cells:
        baselines = baseline_accuracies(view.found, [cell])
        of_cell = [mark for mark in view.marks if (mark.language, mark.task) == cell]
        for index, (side, statistic) in enumerate((("L1", _first), ("L2", _second))):
            score = Score(
                benchmark="stingray",
                metric="accuracy",
                task=cell[1],
                language=f"{cell[0]}:{side}",
                subset=view.subset,
                setting=setting_text(view.setting),
                value=None,
                n=0,
                unit="word",
                coverage=coverage(of_cell),
                baselines={name: values[0][index] for name, values in baselines.items()},
            )
            yield _estimated(view, cell, side, statistic, score)


def _estimated(view: View, cell: Cell, side: str, statistic: Statistic, score: Score) -> Score:
    of_side = [
        entry.mark
        for entry in view.found
        if entry.side == side and (entry.mark.language, entry.mark.task) == cell
    ]
    n_units = len({mark.resampled_unit for mark in of_side})
    estimate = view.table.estimate([cell], statistic, NO_ANSWER)
    return with_estimate(score, unless_one_unit(replace(estimate, n=len(of_side), n_units=n_units)))


def _first(l1: FloatArray, _l2: FloatArray) -> FloatArray:
    return l1[:, 0]


def _second(_l1: FloatArray, l2: FloatArray) -> FloatArray:
    return l2[:, 0]
