"""What becomes of a difference when units are redrawn, and when A and B are exchanged?

Differences of every kind (sums, ranks, means of them) end in the same two lists of numbers: the
interval is read from the first, the p-value from the second.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metrics.statistics.intervals import N_RESAMPLES, Estimate, tail_of, undefined, wilson
from metrics.statistics.paired import TOLERANCE, Comparison, minimum_detectable
from metrics.statistics.resampling import FloatArray, UnitTotals


@dataclass(frozen=True, eq=False, slots=True)
class Draws:
    """A difference, B less A, and what else it could have been."""

    first: float
    """A's value."""
    second: float
    """B's value."""
    resampled: FloatArray
    """Differences of resamples; NaN where undefined."""
    exchanged: FloatArray
    """Differences of assignments of units to A and B; NaN where undefined."""
    is_exact: bool
    """Whether `exchanged` is every assignment there is, the observed one among them."""
    strata: tuple[str, ...]
    """One a unit."""
    mcnemar: float | None = None
    """Exact McNemar, only where every unit has one item with two outcomes."""

    @property
    def difference(self) -> float:
        """B less A; NaN where undefined."""
        return self.second - self.first


def comparison_of(draws: Draws, n: int) -> Comparison:
    """Return the difference with interval, test and the difference it could have found.

    Args:
        draws: Of one metric on the items that both answered.
        n: How many items.
    """
    n_units = len(draws.strata)
    if not math.isfinite(draws.difference):
        return Comparison(undefined("undefined on these items", n, n_units), None, None, None)
    estimate = _estimate(draws, n)
    detectable = None if estimate.se is None else minimum_detectable(estimate.se)
    return Comparison(estimate, _p_value(draws), draws.mcnemar, detectable)


def mean_of_draws(parts: Sequence[Draws], seed: int) -> Draws:
    """Return the draws of the unweighted mean of differences from independent samples.

    Args:
        parts: At least one; drawn independently of each other.
        seed: Where drawing starts: of a few units' assignments, all of which are known, some are
            drawn with replacement.
    """
    generator = np.random.default_rng(seed)
    n_drawn = min(len(part.resampled) for part in parts)
    n_exchanged = min(
        (len(part.exchanged) for part in parts if not part.is_exact), default=N_RESAMPLES
    )
    exchanged = [
        part.exchanged[generator.integers(len(part.exchanged), size=n_exchanged)]
        if part.is_exact
        else part.exchanged[:n_exchanged]
        for part in parts
    ]
    return Draws(
        first=math.fsum(part.first for part in parts) / len(parts),
        second=math.fsum(part.second for part in parts) / len(parts),
        resampled=np.mean([part.resampled[:n_drawn] for part in parts], axis=0),
        exchanged=np.mean(exchanged, axis=0),
        is_exact=False,
        strata=tuple(
            f"{number}|{stratum}" for number, part in enumerate(parts) for stratum in part.strata
        ),
    )


def _estimate(draws: Draws, n: int) -> Estimate:
    n_units, value = len(draws.strata), draws.difference
    drawn = draws.resampled[np.isfinite(draws.resampled)]
    n_undefined = len(draws.resampled) - len(drawn)
    if n_units < 2 or len(drawn) < 2:
        why = "too few units for an interval"
        return Estimate(value, None, None, None, n, n_units, None, why, n_undefined)
    if np.ptp(drawn) <= TOLERANCE:
        return _unvaried(draws, n)
    tail = tail_of(UnitTotals(np.empty((n_units, 0)), draws.strata))
    low, high = np.quantile(drawn, (tail, 1 - tail))
    se = float(drawn.std(ddof=1))
    return Estimate(
        value, float(low), float(high), se, n, n_units, "bootstrap", None, n_undefined
    )  # fmt: skip


def _unvaried(draws: Draws, n: int) -> Estimate:
    """Widen a difference that no resample varies: a point would claim certainty.

    What was seen in none of the units has a share of at most Wilson's upper end.
    """
    value, n_units = draws.difference, len(draws.strata)
    reach = wilson(0, n_units)[1]
    most = _greatest_difference(draws)
    low, high = max(-most, value - reach), min(most, value + reach)
    return Estimate(value, low, high, reach / 2, n, n_units, "wilson", None)


def _greatest_difference(draws: Draws) -> float:
    """Return how far two values can be apart: shares by 1, biases and correlations by 2."""
    if min(draws.first, draws.second) >= 0 and max(draws.first, draws.second) <= 1:
        return 1.0
    return 2.0 if max(abs(draws.first), abs(draws.second)) <= 1 else math.inf


def _p_value(draws: Draws) -> float:
    """Return the share of assignments with as large a difference, the observed one among them."""
    found = np.abs(draws.exchanged[np.isfinite(draws.exchanged)])
    n_as_large = int(np.count_nonzero(found >= abs(draws.difference) - TOLERANCE))
    if draws.is_exact:
        return n_as_large / len(found)
    return (n_as_large + 1) / (len(found) + 1)
