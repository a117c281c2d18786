"""Does B rank the same items better than A? Paired comparison of two rank correlations."""

from collections.abc import Sequence

import numpy as np

from metrics.statistics.correlation import N_RESAMPLES, average_ranks, spearman
from metrics.statistics.draws import Draws, comparison_of
from metrics.statistics.intervals import undefined
from metrics.statistics.paired import TOLERANCE, Comparison
from metrics.statistics.resampling import MAX_CELLS, FloatArray


def compare_spearman(
    first: Sequence[float],
    second: Sequence[float],
    golds: Sequence[float],
    seed: int,
    n_resamples: int = N_RESAMPLES,
) -> Comparison:
    """Compare how two systems rank the same independent items.

    Args:
        first: A's prediction, one an item.
        second: B's prediction, one an item.
        golds: The gold score, one an item.
        seed: Where resampling starts.
        n_resamples: How many resamples and permutations.
    """
    a, b, gold = (np.asarray(values, dtype=np.float64) for values in (first, second, golds))
    draws = ranked_draws(a, b, gold, seed, n_resamples)
    if draws is None:
        n = len(gold)
        return Comparison(undefined("a side is constant or too short", n, n), None, None, None)
    return comparison_of(draws, len(gold))


def ranked_draws(
    a: FloatArray, b: FloatArray, golds: FloatArray, seed: int, n_resamples: int = N_RESAMPLES
) -> Draws | None:
    """Return the draws of the difference of two rank correlations on independent items.

    Resamples redraw items and rank anew. The test exchanges A's and B's *ranks* of an item, since
    the two may predict on different scales, and correlates what then stands on each side with the
    gold ranks.

    Args:
        a: A's predictions, one an item.
        b: B's.
        golds: One an item.
        seed: Where drawing starts.
        n_resamples: How many resamples and exchanges.

    Returns:
        None where a side is constant or has fewer than two items.
    """
    first, second = spearman(a, golds), spearman(b, golds)
    if first is None or second is None:
        return None
    generator = np.random.default_rng(seed)
    ranks_a, ranks_b, gold_ranks = map(average_ranks, (a, b, golds))
    resampled, exchanged = np.empty(n_resamples), np.empty(n_resamples)
    n = len(golds)
    step = max(1, MAX_CELLS // n)
    for at in range(0, n_resamples, step):
        part = slice(at, min(at + step, n_resamples))
        size = part.stop - part.start
        weights = generator.multinomial(n, np.full(n, 1 / n), size=size).astype(np.float64)
        of_golds = weighted_ranks(golds, weights)
        resampled[part] = _correlations(weighted_ranks(b, weights), of_golds, weights)
        resampled[part] -= _correlations(weighted_ranks(a, weights), of_golds, weights)
        is_swapped = generator.random((size, n)) < 0.5
        ones, whole = np.ones((size, n)), np.broadcast_to(gold_ranks, (size, n))
        exchanged[part] = _correlations(np.where(is_swapped, ranks_a, ranks_b), whole, ones)
        exchanged[part] -= _correlations(np.where(is_swapped, ranks_b, ranks_a), whole, ones)
    return Draws(first, second, resampled, exchanged, is_exact=False, strata=("",) * n)


def weighted_ranks(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the mean rank of each value where it stands as often as its weight says.

    Args:
        values: Shape (n,).
        weights: Shape (n_resamples, n), whole numbers.

    Returns:
        Shape (n_resamples, n).
    """
    _, inverse = np.unique(values, return_inverse=True)
    order = np.argsort(inverse, kind="stable")
    starts = np.flatnonzero(np.diff(inverse[order], prepend=-1))
    counts = np.add.reduceat(weights[:, order], starts, axis=1)
    ranks = np.cumsum(counts, axis=1) - (counts - 1) / 2
    return np.asarray(ranks[:, inverse])


def _correlations(one: FloatArray, other: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the weighted product-moment correlation of each row; NaN where a side is constant."""
    total = weights.sum(axis=1, keepdims=True)
    one = one - (weights * one).sum(axis=1, keepdims=True) / total
    other = other - (weights * other).sum(axis=1, keepdims=True) / total
    product = (weights * one * other).sum(axis=1)
    squares = (weights * one * one).sum(axis=1) * (weights * other * other).sum(axis=1)
    is_varied = squares > TOLERANCE  # ranks differ by at least a half
    found = np.divide(product, np.sqrt(squares), out=np.full(len(product), np.nan), where=is_varied)
    return np.asarray(found)
