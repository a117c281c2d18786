"""What do the stored decisions of the probes say? F1 of every layer, and how it varies."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.xcomps.records import NEGATIVE_TYPES
from metrics.statistics.probing import (
    N_RESAMPLES,
    Judged,
    draw_weights,
    f1_over_folds,
    resampled_f1,
    unit_counts,
)
from metrics.statistics.recording import is_recording
from metrics.statistics.resampling import UnitTotals
from metrics.table import OutcomeRow

FloatArray = NDArray[np.float64]

LABELS = np.array([True, False])
"""Of the two sentences of a pair."""

Read = Callable[[FloatArray], FloatArray]
"""From sums over units (n, n_columns) to a number a layer (n, n_layers)."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A number a layer, and what it becomes in each resample."""

    values: FloatArray
    """Shape (n_layers,); NaN where undefined."""
    drawn: FloatArray
    """Shape (n_resamples, n_layers)."""
    read: Read
    """The same of any sums over units."""

    def minus(self, other: "Curve") -> "Curve":
        """Return the difference, layer by layer and resample by resample."""
        return Curve(
            self.values - other.values,
            self.drawn - other.drawn,
            lambda sums: self.read(sums) - other.read(sums),
        )


@dataclass(frozen=True, slots=True)
class Curves:
    """What one language's probes say with one kind of folds."""

    f1: Mapping[str | None, Curve]
    """By negative type; None is the mean over types."""
    control: Mapping[str | None, Curve]
    words: Mapping[str | None, Curve]
    """Of one layer: the bag of words."""
    always: Mapping[str | None, float]
    """F1 of calling every sentence acceptable."""
    units: UnitTotals | None
    """What the curves read; only while `recording`."""


@dataclass
class _Columns:
    """The counts of every curve side by side, kept where another resampling needs them."""

    names: tuple[str, ...]
    kept: list[FloatArray]
    n_columns: int = 0

    def add(self, counts: FloatArray) -> Read:
        """Take the counts of a curve; return how it is read from the sums of all columns."""
        shape, first = counts.shape[1:], self.n_columns
        self.n_columns += int(np.prod(shape))
        last = self.n_columns
        if is_recording():
            self.kept.append(counts.reshape(len(counts), -1))
        return lambda sums: f1_over_folds(sums[:, first:last].reshape(len(sums), *shape))

    def units(self) -> UnitTotals | None:
        """Return everything that was kept, by unit."""
        if not self.kept:
            return None
        return UnitTotals(np.hstack(self.kept), ("",) * len(self.names), self.names)


def language_curves(rows: Sequence[OutcomeRow], folds: str, seed: int) -> Curves | None:
    """Return the curves of one language; None where no pair was decided with these folds.

    Args:
        rows: Of one language.
        folds: `sentence` or `group`.
        seed: Where resampling starts; groups are redrawn for all types at once.
    """
    decided = [row for row in rows if folds in row.detail.get("folds", {})]
    if not decided:
        return None
    units = {name: number for number, name in enumerate(sorted({row.unit for row in decided}))}
    weights = draw_weights(len(units), seed, 0 if is_recording() else N_RESAMPLES)
    columns = _Columns(tuple(units), [])
    found: dict[str, dict[str | None, Curve]] = {"decisions": {}, "control": {}, "words": {}}
    always: dict[str | None, float] = {}
    for subset in NEGATIVE_TYPES:
        of_subset = [row for row in decided if row.subset == subset]
        if not of_subset:
            continue
        for field, curves in found.items():
            curves[subset] = _curve(_judged(of_subset, folds, field, units), weights, columns)
        judged = _judged(of_subset, folds, "always", units)
        always[subset] = float(f1_over_folds(unit_counts(judged, len(units)).sum(axis=0))[0])
    for curves in found.values():
        curves[None] = _mean(list(curves.values()))
    always[None] = float(np.mean(list(always.values())))
    return Curves(found["decisions"], found["control"], found["words"], always, columns.units())


def _judged(rows: Sequence[OutcomeRow], folds: str, field: str, units: Mapping[str, int]) -> Judged:
    details = [(row.detail, row.detail["folds"][folds]) for row in rows]
    labels = [
        np.array(detail["control_labels"], dtype=np.bool_) if field == "control" else LABELS
        for detail, _ in details
    ]
    return Judged(
        labels=np.concatenate(labels),
        decisions=np.array([bits for _, found in details for bits in _bits(found, field)]),
        folds=np.array([fold for _, found in details for fold in found["fold"]], dtype=np.intp),
        units=np.array([units[row.unit] for row in rows for _ in LABELS], dtype=np.intp),
    )


def _bits(found: Mapping[str, Any], field: str) -> list[list[bool]]:
    """Return the decisions on the two sentences of a pair, a list of layers each."""
    if field == "always":
        return [[True], [True]]
    if field == "words":
        return [[bool(decision)] for decision in found["words"]]
    return [[bit == "1" for bit in decisions] for decisions in found[field]]


def _curve(judged: Judged, weights: FloatArray, columns: _Columns) -> Curve:
    counts = unit_counts(judged, weights.shape[1])
    read = columns.add(counts)
    return Curve(f1_over_folds(counts.sum(axis=0)), resampled_f1(counts, weights), read)


def _mean(curves: Sequence[Curve]) -> Curve:
    return Curve(
        np.mean([curve.values for curve in curves], axis=0),
        np.mean([curve.drawn for curve in curves], axis=0),
        lambda sums: np.asarray(np.mean([curve.read(sums) for curve in curves], axis=0)),
    )
