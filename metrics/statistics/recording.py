"""What is a score made from? Its units' totals and the statistic over them, instead of an interval.

Two runs are compared by redrawing, or exchanging, the units of both at once. No metric knows of
that: inside `recording()` every estimate skips its own resampling and brings the sample that it
would have resampled, so that whoever asked can resample it in another way.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metrics.statistics.resampling import UnitTotals

FloatArray = NDArray[np.float64]

Statistic = Callable[[FloatArray], FloatArray]
"""From column sums (n_resamples, n_columns) to values (n_resamples,); NaN where undefined."""


@dataclass(frozen=True, eq=False, slots=True)
class Summed:
    """A statistic of the sums over units: a mean, a ratio, a bias, an F1."""

    units: UnitTotals
    statistic: Statistic
    n_resamples: int


@dataclass(frozen=True, eq=False, slots=True)
class Ranked:
    """The rank correlation of predictions and golds of independent units."""

    names: tuple[str, ...]
    predictions: FloatArray
    golds: FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class Averaged:
    """The unweighted mean of scores from independent samples."""

    parts: "tuple[Sample, ...]"


Sample = Summed | Ranked | Averaged

_IS_RECORDING: ContextVar[bool] = ContextVar("is_recording", default=False)


@contextmanager
def recording() -> Iterator[None]:
    """Make estimates bring their sample, and no interval, inside of this block."""
    token = _IS_RECORDING.set(True)
    try:
        yield
    finally:
        _IS_RECORDING.reset(token)


def is_recording() -> bool:
    """Say whether estimates are to bring their sample."""
    return _IS_RECORDING.get()


def averaged(parts: "list[Sample | None]") -> Averaged | None:
    """Return the sample of a mean; None where a part has none."""
    known = tuple(part for part in parts if part is not None)
    return Averaged(known) if parts and len(known) == len(parts) else None
