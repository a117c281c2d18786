"""How right is a model on the side of each language of a pair, and what follows from the two?

A cell is a (pair, task) within one subset; true cognates and false friends are never pooled. In the
semantic task a side's accuracy is defined by `semantic_sides`: `gold` takes the false friends whose
gold is that side's sentence, and all true cognates (so that both sides are the same and the bias is
None by construction); `acceptance` asks whether the side's sentence is accepted exactly when the
gold accepts it.

Source: Cahyawijaya et al. 2024 (arXiv:2410.21573), section 3.3.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.stingray.answers import SIDES, chance_side_verdicts, side_verdicts
from benchmarks.stingray.data import FALSE_FRIEND, TRUE_COGNATE
from benchmarks.stingray.judge import ALWAYS
from metrics.stingray_marks import Mark

GOLD_SIDES: Mapping[str, tuple[str, ...]] = {"A": ("L1",), "B": ("L2",), "C": SIDES}

Cell = tuple[str, str]
"""Language pair and task."""


@dataclass(frozen=True, slots=True)
class SideMark:
    """What one case says of one side."""

    mark: Mark
    side: str
    value: float
    baselines: Mapping[str, float]


def side_marks(marks: Sequence[Mark], sides: str) -> Iterator[SideMark]:
    """Yield what each answered case says of a side, or of both.

    Args:
        marks: Of any tasks and subsets.
        sides: `gold` or `acceptance`; the usage task has its side by itself.
    """
    for mark in marks:
        if mark.value is None or mark.gold is None:
            continue
        if mark.task == "usage":
            yield SideMark(mark, mark.side, mark.value, _known(mark.baselines))
        elif sides == "acceptance":
            baselines = _acceptance_baselines(mark.gold)
            for side in SIDES:
                of_side = {name: verdicts[side] for name, verdicts in baselines.items()}
                yield SideMark(mark, side, mark.sides[side], of_side)
        else:
            for side in _gold_sides(mark):
                yield SideMark(mark, side, mark.value, _known(mark.baselines))


def is_even_by_construction(task: str, subset: str | None, sides: str) -> bool:
    """Say whether both sides' accuracies are the same number, so that there is no bias."""
    return task == "semantic" and subset == TRUE_COGNATE and sides == "gold"


def _gold_sides(mark: Mark) -> tuple[str, ...]:
    """Return the sides a semantic case counts for; a false friend has one."""
    of_gold = GOLD_SIDES[mark.gold or "C"]
    return () if mark.subset == FALSE_FRIEND and len(of_gold) > 1 else of_gold


def _acceptance_baselines(gold: str) -> dict[str, dict[str, float]]:
    found = {
        name: side_verdicts(answer, gold)
        for name, (task, answer) in ALWAYS.items()
        if task == "semantic"
    }
    return {"chance": chance_side_verdicts(gold), **found}


def _known(baselines: Mapping[str, float | None]) -> dict[str, float]:
    return {name: value for name, value in baselines.items() if value is not None}


def baseline_accuracies(
    found: Sequence[SideMark], cells: Sequence[Cell]
) -> dict[str, list[tuple[float, float]]]:
    """Return for each baseline that answers every cell its accuracies (L1, L2) by cell."""
    values: dict[str, dict[tuple[Cell, str], list[float]]] = defaultdict(lambda: defaultdict(list))
    for entry in found:
        cell = (entry.mark.language, entry.mark.task)
        for name, value in entry.baselines.items():
            values[name][cell, entry.side].append(value)
    return {
        name: [
            (float(np.mean(of_name[cell, "L1"])), float(np.mean(of_name[cell, "L2"])))
            for cell in cells
        ]
        for name, of_name in values.items()
        if all(of_name.get((cell, side)) for cell in cells for side in SIDES)
    }
