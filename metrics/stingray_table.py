"""What are the two accuracies of every cell, and how do they vary together when words are redrawn?

The words of a subset are redrawn once, and every score over any of its cells reads that one draw.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metrics.statistics.intervals import (
    LEVEL,
    N_RESAMPLES,
    ONE_UNIT,
    Estimate,
    recorded,
    undefined,
)
from metrics.statistics.recording import Summed, is_recording
from metrics.statistics.resampling import UnitTotals, resample_totals, sum_by_unit
from metrics.stingray_sides import Cell, SideMark

FloatArray = NDArray[np.float64]

Statistic = Callable[[FloatArray, FloatArray], FloatArray]
"""From accuracies on L1 and on L2, each (n, n_cells), to values (n,); NaN where undefined."""

COLUMNS_PER_CELL = 4
"""Right on L1, asked on L1, right on L2, asked on L2."""


@dataclass(frozen=True, slots=True)
class SideTable:
    """The sums of every cell of one subset, and what they become in each resample."""

    cells: tuple[Cell, ...]
    sums: FloatArray
    """Shape (1, 4 · n_cells)."""
    resampled: FloatArray
    """Shape (n_resamples, 4 · n_cells)."""
    units: UnitTotals

    @property
    def n_units(self) -> int:
        """How many words there are."""
        return self.units.n_units

    def accuracies(self, cell: Cell) -> tuple[float | None, float | None]:
        """Return the accuracies on L1 and L2 of one cell; None where nothing was answered."""
        (l1,), (l2,) = (side[0] for side in _accuracies(self.sums, self._columns([cell])))
        return (None if np.isnan(l1) else float(l1), None if np.isnan(l2) else float(l2))

    def n_marks(self, cells: Sequence[Cell]) -> int:
        """Return how many (case, side) marks stand in these cells."""
        return int(sum(self.sums[0, at + 1] + self.sums[0, at + 3] for at in self._columns(cells)))

    def estimate(self, cells: Sequence[Cell], statistic: Statistic, reason: str) -> Estimate:
        """Estimate a statistic of some cells; percentile bootstrap over words.

        Args:
            cells: At least one.
            statistic: What to compute from their accuracies.
            reason: What to say where it is undefined.
        """
        columns = self._columns(cells)
        n = self.n_marks(cells)
        if is_recording():
            sample = Summed(
                self.units, lambda sums: statistic(*_accuracies(sums, columns)), N_RESAMPLES
            )
            return recorded(sample, n, reason)
        value = float(statistic(*_accuracies(self.sums, columns))[0])
        if not np.isfinite(value):
            return undefined(reason, n, self.n_units)
        drawn = statistic(*_accuracies(self.resampled, columns))
        drawn = drawn[np.isfinite(drawn)]
        if self.n_units < 2 or len(drawn) < 2:
            why = ONE_UNIT if self.n_units < 2 else "undefined in every resample"
            return Estimate(value, None, None, None, n, self.n_units, None, why)
        low, high = np.quantile(drawn, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
        se = float(drawn.std(ddof=1))
        return Estimate(
            value, float(low), float(high), se, n, self.n_units, "bootstrap", None
        )  # fmt: skip

    def _columns(self, cells: Sequence[Cell]) -> list[int]:
        return [COLUMNS_PER_CELL * self.cells.index(cell) for cell in cells]


def side_table(found: Sequence[SideMark], cells: Sequence[Cell], seed: int) -> SideTable:
    """Sum the marks of one subset by word and cell, and redraw the words within each pair."""
    column_by_cell = {cell: COLUMNS_PER_CELL * index for index, cell in enumerate(cells)}
    table = np.zeros((len(found), COLUMNS_PER_CELL * len(cells)))
    for row, entry in enumerate(found):
        at = column_by_cell[entry.mark.language, entry.mark.task] + 2 * (entry.side == "L2")
        table[row, at : at + 2] = entry.value, 1.0
    units = sum_by_unit(
        table,
        [entry.mark.resampled_unit for entry in found],
        [entry.mark.stratum for entry in found],
    )
    return SideTable(
        tuple(cells), units.totals.sum(axis=0, keepdims=True), _redraw(units, seed), units
    )


def _redraw(units: UnitTotals, seed: int) -> FloatArray:
    n_resamples = N_RESAMPLES if units.n_units > 1 and not is_recording() else 0
    return resample_totals(units, seed, n_resamples)


def _accuracies(sums: FloatArray, columns: Sequence[int]) -> tuple[FloatArray, FloatArray]:
    at = np.asarray(columns, dtype=np.intp)
    with np.errstate(divide="ignore", invalid="ignore"):
        return sums[:, at] / sums[:, at + 1], sums[:, at + 2] / sums[:, at + 3]
