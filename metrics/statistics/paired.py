"""Is B better than A on the same items? Paired tests and the difference with its interval.

A difference is always B less A. Items that depend on each other are kept together by their unit.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from statistics import NormalDist

import numpy as np
from scipy.special import bdtr

from metrics.statistics.intervals import (
    N_RESAMPLES,
    Estimate,
    bootstrap_statistic,
    ratio,
)
from metrics.statistics.recording import Statistic
from metrics.statistics.resampling import (
    MANY_COLUMNS,
    MAX_CELLS,
    FloatArray,
    UnitTotals,
    sum_by_unit,
)

MAX_EXACT_UNITS = 13
"""Up to so many units that differ, every assignment is tried: 2^13 < N_RESAMPLES."""
TOLERANCE = 1e-12
"""Statistics that differ by less are equal."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two systems differ by on the same items."""

    difference: Estimate
    """B less A."""
    p_value: float | None
    """Of the sign-flip permutation test over units."""
    mcnemar: float | None
    """Exact McNemar, beside it, only where every unit has one item with two outcomes."""
    minimum_detectable: float | None
    """The difference that a sample like this one finds four times in five."""


def compare_means(
    first: Sequence[float],
    second: Sequence[float],
    units: Sequence[str],
    strata: Sequence[str],
    seed: int,
) -> Comparison:
    """Compare the means of two systems on the same items.

    Args:
        first: A's value, one an item.
        second: B's value, one an item.
        units: One an item; see `sum_by_unit`.
        strata: One an item.
        seed: Where resampling starts.

    Raises:
        ValueError: The lengths differ, or a value is not finite.
    """
    if not len(first) == len(second) == len(units) == len(strata):
        raise ValueError(f"{len(first)} values of A, {len(second)} of B, {len(units)} units")
    columns = np.column_stack([np.asarray(first, float), np.asarray(second, float)])
    if not np.isfinite(columns).all():
        raise ValueError("a value is not a finite number; items without one are left out")
    ones = np.ones((len(columns), 1))
    a = sum_by_unit(np.hstack([columns[:, :1], ones]), units, strata)
    b = sum_by_unit(np.hstack([columns[:, 1:], ones]), units, strata)
    found = compare_statistic(a, b, ratio, seed, n=len(columns))
    is_binary = bool(np.isin(columns, (0.0, 1.0)).all())
    if not (is_binary and a.n_units == len(columns) > 0):
        return found
    p_value = mcnemar_exact(
        int(np.count_nonzero(columns[:, 0] > columns[:, 1])),
        int(np.count_nonzero(columns[:, 1] > columns[:, 0])),
    )
    return Comparison(found.difference, found.p_value, p_value, found.minimum_detectable)


def compare_statistic(
    a: UnitTotals,
    b: UnitTotals,
    statistic: Statistic,
    seed: int,
    *,
    n: int,
    n_resamples: int = N_RESAMPLES,
) -> Comparison:
    """Compare any function of column sums (bias, SFII, a mean over languages) of two systems.

    Args:
        a: A's totals by unit, from `sum_by_unit`.
        b: B's totals over the same units in the same strata.
        statistic: Vectorised over its first axis; NaN where undefined.
        seed: Where resampling starts.
        n: How many items the totals hold.
        n_resamples: How many resamples and permutations.

    Raises:
        ValueError: The units differ.
    """
    if a.strata != b.strata or a.totals.shape != b.totals.shape:
        raise ValueError(f"{a.n_units} units of A, {b.n_units} of B: not the same items")
    width = a.totals.shape[1]
    both = UnitTotals(np.hstack([a.totals, b.totals]), a.strata)

    def difference(sums: FloatArray) -> FloatArray:
        return np.asarray(statistic(sums[:, width:]) - statistic(sums[:, :width]))

    found = bootstrap_statistic(both, difference, seed, n=n, n_resamples=n_resamples)
    if found.value is None:
        return Comparison(found, None, None, None)
    p_value = sign_flip(a.totals, b.totals, statistic, seed, n_resamples)
    detectable = None if found.se is None else minimum_detectable(found.se)
    return Comparison(found, p_value, None, detectable)


def sign_flip(
    a: FloatArray,
    b: FloatArray,
    statistic: Statistic,
    seed: int,
    n_permutations: int = N_RESAMPLES,
) -> float | None:
    """Return how often exchanging A and B within units gives as large a difference.

    Two-sided. Every assignment is tried where few units differ; else assignments are drawn and the
    observed one counts among them. Assignments in which the statistic is undefined are dropped.

    Args:
        a: Shape (n_units, n_columns).
        b: The same of the other system.
        statistic: From column sums to values.
        seed: Where drawing starts.
        n_permutations: How many are drawn.

    Returns:
        In (0, 1]; None where the observed difference is undefined.

    Source: Fisher 1935 (The Design of Experiments), section 21; Phipson & Smyth 2010 (Stat. Appl.
    Genet. Mol. Biol. 9) for counting the observed assignment.
    """
    moves = b - a
    moves = moves[np.any(moves != 0, axis=1)]
    total_a, total = a.sum(axis=0), a.sum(axis=0) + b.sum(axis=0)

    def differences(shifts: FloatArray) -> FloatArray:
        sums_a = total_a + shifts
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.abs(statistic(total - sums_a) - statistic(sums_a))

    observed = float(differences(np.zeros((1, a.shape[1])))[0])
    if not math.isfinite(observed):
        return None
    is_exact = len(moves) <= MAX_EXACT_UNITS
    shifts = every_shift(moves) if is_exact else drawn_shifts(moves, seed, n_permutations)
    found = differences(shifts)
    found = found[np.isfinite(found)]
    n_as_large = int(np.count_nonzero(found >= observed - TOLERANCE))
    if is_exact:
        return n_as_large / len(found)
    return (n_as_large + 1) / (len(found) + 1)


def mcnemar_exact(n_only_a: int, n_only_b: int) -> float:
    """Return the two-sided exact p-value of the discordant items.

    Args:
        n_only_a: Items that A alone has right.
        n_only_b: Items that B alone has right.

    Source: McNemar 1947 (Psychometrika 12), with the binomial distribution.
    """
    n = n_only_a + n_only_b
    return min(1.0, 2 * float(bdtr(min(n_only_a, n_only_b), n, 0.5))) if n else 1.0


def minimum_detectable(se: float, *, level: float = 0.05, power: float = 0.8) -> float:
    """Return the true difference that a two-sided test finds with the given power.

    Source: Bloom 1995 (Eval. Rev. 19): (z(1 - level/2) + z(power)) · standard error.
    """
    normal = NormalDist()
    return (normal.inv_cdf(1 - level / 2) + normal.inv_cdf(power)) * se


def every_shift(moves: FloatArray) -> FloatArray:
    """Return the change of A's column sums under every assignment of units to A and B."""
    flips = np.array(list(product((0.0, 1.0), repeat=len(moves))))
    return flips.reshape(2 ** len(moves), len(moves)) @ moves


def drawn_shifts(moves: FloatArray, seed: int, n: int) -> FloatArray:
    """Return the change of A's column sums under drawn assignments.

    Of equal units only how many are exchanged matters.

    Args:
        moves: B less A, one row a unit that differs.
        seed: Where drawing starts.
        n: How many assignments.
    """
    generator = np.random.default_rng(seed)
    distinct, counts = moves, np.ones(len(moves), dtype=np.intp)
    if moves.shape[1] < MANY_COLUMNS:
        distinct, counts = np.unique(moves, axis=0, return_counts=True)
    shifts = np.zeros((n, moves.shape[1]))
    alone, shared = counts == 1, counts > 1
    step = max(1, MAX_CELLS // len(distinct))
    for at in range(0, n, step):
        part = slice(at, min(at + step, n))
        size = part.stop - part.start
        coins = generator.random((size, int(alone.sum())), dtype=np.float32) < 0.5
        shifts[part] += coins.astype(np.float64) @ distinct[alone]
        flipped = generator.binomial(counts[shared], 0.5, size=(size, int(shared.sum())))
        shifts[part] += flipped.astype(np.float64) @ distinct[shared]
    return shifts
