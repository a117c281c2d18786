"""Does B rank the same items better than A? Paired comparison of two rank correlations."""

import math
from collections.abc import Sequence

import numpy as np

from metrics.statistics.correlation import N_RESAMPLES, average_ranks, spearman
from metrics.statistics.intervals import LEVEL, Estimate, undefined
from metrics.statistics.paired import TOLERANCE, Comparison, minimum_detectable
from metrics.statistics.resampling import FloatArray


def compare_spearman(
    first: Sequence[float],
    second: Sequence[float],
    golds: Sequence[float],
    seed: int,
    n_resamples: int = N_RESAMPLES,
) -> Comparison:
    """Compare how two systems rank the same independent items.

    The interval is the percentile bootstrap over items. The test exchanges A's and B's *ranks* of
    an item, since the two may predict on different scales. Both rank anew each time: their time is
    n_resamples · n log n.

    Args:
        first: A's prediction, one an item.
        second: B's prediction, one an item.
        golds: The gold score, one an item.
        seed: Where resampling starts.
        n_resamples: How many resamples and permutations.
    """
    a, b, gold = (np.asarray(values, dtype=np.float64) for values in (first, second, golds))
    n = len(gold)
    observed = _difference(a, b, gold)
    if observed is None:
        return Comparison(undefined("a side is constant or too short", n, n), None, None, None)
    generator = np.random.default_rng(seed)
    drawn = (generator.integers(n, size=n) for _ in range(n_resamples))
    resampled = [_difference(a[index], b[index], gold[index]) for index in drawn]
    defined = np.array([value for value in resampled if value is not None])
    low, high = np.quantile(defined, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    se = float(defined.std(ddof=1))
    estimate = Estimate(
        value=observed,
        ci_low=float(low),
        ci_high=float(high),
        se=se,
        n=n,
        n_units=n,
        interval="bootstrap",
        reason=None,
        n_undefined=n_resamples - len(defined),
    )
    p_value = _exchange(average_ranks(a), average_ranks(b), gold, generator, n_resamples)
    return Comparison(estimate, p_value, None, minimum_detectable(se))


def _difference(a: FloatArray, b: FloatArray, gold: FloatArray) -> float | None:
    one, other = spearman(a, gold), spearman(b, gold)
    return None if one is None or other is None else other - one


def _exchange(
    a: FloatArray, b: FloatArray, gold: FloatArray, generator: np.random.Generator, n: int
) -> float:
    """Return the share of exchanges, the observed one among them, that differ as much."""
    observed = abs(_difference(a, b, gold) or 0.0)
    found: list[float] = []
    for _ in range(n):
        is_swapped = generator.random(len(gold)) < 0.5
        value = _difference(np.where(is_swapped, b, a), np.where(is_swapped, a, b), gold)
        found.append(math.nan if value is None else abs(value))
    defined = np.array(found)[np.isfinite(found)]
    n_as_large = int(np.count_nonzero(defined >= observed - TOLERANCE))
    return (n_as_large + 1) / (len(defined) + 1)
