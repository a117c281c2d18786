"""Do two rankings agree? Correlations with Fisher-z intervals; ties share their mean rank."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.statistics.intervals import LEVEL, Estimate, Z, undefined
from metrics.statistics.recording import Ranked, is_recording

FloatArray = NDArray[np.float64]

N_RESAMPLES = 1_000
"""Each resample is ranked anew: the time is n_resamples · n log n."""


def average_ranks(values: ArrayLike) -> FloatArray:
    """Return 1-based ranks in rising order; equal values share the mean of their ranks."""
    array = np.asarray(values, dtype=np.float64)
    _, inverse, counts = np.unique(array, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[inverse])


def pearson(first: ArrayLike, second: ArrayLike) -> float | None:
    """Return the product-moment correlation.

    Returns:
        In [-1, 1]; None where either side is constant or has fewer than two values.

    Raises:
        ValueError: The lengths differ, or a value is not finite.
    """
    one, other = _checked(first, second)
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    one, other = one - one.mean(), other - other.mean()
    one, other = one / np.abs(one).max(), other / np.abs(other).max()
    product = float(one @ other) / math.sqrt(float(one @ one) * float(other @ other))
    return max(-1.0, min(1.0, product))


def spearman(first: ArrayLike, second: ArrayLike) -> float | None:
    """Return the rank correlation: Pearson's of the average ranks.

    Returns:
        In [-1, 1]; None where either side is constant or has fewer than two values.

    Source: Spearman 1904 (Am. J. Psychol. 15); ties as in Kendall 1945 (Biometrika 33).
    """
    one, other = _checked(first, second)
    return pearson(average_ranks(one), average_ranks(other))


def fisher_z_interval(value: float, n: int, *, of_ranks: bool) -> tuple[float, float, float] | None:
    """Return the standard error and the 95 % interval of a correlation.

    The variance of atanh(r) is 1/(n-3) for Pearson's r and (1 + r²/2)/(n-3) for Spearman's.

    Returns:
        Standard error (delta method, (1-r²)·se of atanh), low, high; None for n < 4 or r = ±1.

    Source: Fisher 1921 (Metron 1); Bonett & Wright 2000 (Psychometrika 65), equation 3.
    """
    if n < 4 or abs(value) == 1:
        return None
    spread = math.sqrt((1 + value**2 / 2 if of_ranks else 1) / (n - 3))
    middle = math.atanh(value)
    low, high = math.tanh(middle - Z * spread), math.tanh(middle + Z * spread)
    return (1 - value**2) * spread, low, high


def correlation_estimate(
    predictions: Sequence[float],
    golds: Sequence[float],
    *,
    of_ranks: bool = True,
    names: Sequence[str] = (),
) -> Estimate:
    """Estimate a correlation of pairs that are independent of each other.

    A constant side is no correlation of 0 but an error of the predictor (or the data): the value is
    None and the reason says which.

    Args:
        predictions: One a pair.
        golds: One a pair.
        of_ranks: Spearman's correlation, or else Pearson's.
        names: One a pair, so that two runs can be compared on the same ones; else empty.
    """
    n = len(predictions)
    value = (spearman if of_ranks else pearson)(predictions, golds)
    if value is None:
        return undefined(_why_undefined(predictions, golds), n, n)
    if is_recording() and of_ranks and names:
        sample = Ranked(tuple(names), np.asarray(predictions, float), np.asarray(golds, float))
        return Estimate(value, None, None, None, n, n, None, None, sample=sample)
    found = fisher_z_interval(value, n, of_ranks=of_ranks)
    if found is None:
        why = "a perfect correlation has no interval" if n > 3 else "too few pairs for an interval"
        return Estimate(value, None, None, None, n, n, None, why)
    se, low, high = found
    return Estimate(value, low, high, se, n, n, "fisher_z", None)


def bootstrap_spearman(
    first: ArrayLike, second: ArrayLike, seed: int, n_resamples: int = N_RESAMPLES
) -> Estimate:
    """Estimate Spearman's correlation by the percentile bootstrap over pairs.

    Resamples in which a side is constant are dropped and counted.

    Source: Efron & Tibshirani 1993, chapter 13.
    """
    one, other = _checked(first, second)
    n = len(one)
    value = spearman(one, other)
    if value is None:
        return undefined(_why_undefined(one.tolist(), other.tolist()), n, n)
    generator = np.random.default_rng(seed)
    drawn = (generator.integers(n, size=n) for _ in range(n_resamples))
    found = [spearman(one[index], other[index]) for index in drawn]
    defined = np.array([rho for rho in found if rho is not None])
    low, high = np.quantile(defined, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    n_undefined = n_resamples - len(defined)
    se = float(defined.std(ddof=1))
    return Estimate(value, float(low), float(high), se, n, n, "bootstrap", None, n_undefined)


def _why_undefined(predictions: Sequence[float], golds: Sequence[float]) -> str:
    n = len(predictions)
    if n < 2:
        return f"{n} scored pairs; a correlation needs two"
    side = "predictions" if len(set(predictions)) == 1 else "gold scores"
    return f"all {n} {side} are equal"


def _checked(first: ArrayLike, second: ArrayLike) -> tuple[FloatArray, FloatArray]:
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if len(one) != len(other):
        raise ValueError(f"{len(one)} values against {len(other)}")
    if not (np.isfinite(one).all() and np.isfinite(other).all()):
        raise ValueError("a value is not a finite number; what is missing is None")
    return one, other
