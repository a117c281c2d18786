"""How well do probes decide? F1 over folds, from stored out-of-fold decisions, with intervals.

F1 is that of the positive class in each fold, and the mean over folds; a fold without any positive
label or decision has none and is left out of the mean. Intervals redraw the units (groups) with all
their sentences, labels and decisions; the probes are not fitted again.

Source: van Rijsbergen 1979 (F1); Efron & Tibshirani 1993, chapter 13 (percentile bootstrap);
selectivity is Hewitt & Liang 2019 (arXiv:1909.03368), section 2.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metrics.statistics.intervals import LEVEL, ONE_UNIT, Estimate, undefined

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.intp]

N_RESAMPLES = 1_000
"""Every layer of every probe is resampled at once."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The decisions of several probes (layers) on the same sentences."""

    labels: BoolArray
    """Shape (n_sentences,)."""
    decisions: BoolArray
    """Shape (n_sentences, n_probes)."""
    folds: IntArray
    """Shape (n_sentences,): the fold in which each was decided."""
    units: IntArray
    """Shape (n_sentences,): the unit that is redrawn, as a number."""


def unit_counts(judged: Judged, n_units: int) -> FloatArray:
    """Count true positives, false positives and false negatives.

    Returns:
        Shape (n_units, n_probes, n_folds, 3).
    """
    labels = judged.labels[:, None]
    decided = judged.decisions
    kinds = np.stack([labels & decided, ~labels & decided, labels & ~decided], axis=-1)
    n_folds = int(judged.folds.max()) + 1 if len(judged.folds) else 1
    counts = np.zeros((n_units, decided.shape[1], n_folds, 3))
    for fold in range(n_folds):
        chosen = judged.folds == fold
        np.add.at(counts[:, :, fold], judged.units[chosen], kinds[chosen].astype(np.float64))
    return counts


def f1_over_folds(counts: FloatArray) -> FloatArray:
    """Return the mean over folds of F1.

    Args:
        counts: Shape (…, n_folds, 3): true positives, false positives, false negatives.

    Returns:
        Shape (…): in [0, 1]; NaN where no fold has any positive label or decision.
    """
    doubled = 2 * counts[..., 0]
    whole = doubled + counts[..., 1] + counts[..., 2]
    is_defined = whole > 0
    f1 = np.divide(doubled, whole, out=np.zeros_like(whole), where=is_defined)
    n_defined = is_defined.sum(axis=-1)
    return np.where(n_defined > 0, f1.sum(axis=-1) / np.maximum(n_defined, 1), np.nan)


def draw_weights(n_units: int, seed: int, n_resamples: int = N_RESAMPLES) -> FloatArray:
    """Return how often each unit is drawn in each resample, shape (n_resamples, n_units)."""
    generator = np.random.default_rng(seed)
    share = np.full(n_units, 1 / n_units)
    return generator.multinomial(n_units, share, size=n_resamples).astype(np.float64)


def resampled_f1(counts: FloatArray, weights: FloatArray) -> FloatArray:
    """Return F1 over folds in each resample, shape (n_resamples, n_probes)."""
    flat = counts.reshape(len(counts), -1)
    return f1_over_folds((weights @ flat).reshape(len(weights), *counts.shape[1:]))


def estimate_from(value: float, drawn: FloatArray, n: int, n_units: int) -> Estimate:
    """Return a value with the percentile interval of its resamples; NaN ones are dropped."""
    if not np.isfinite(value):
        return undefined("no fold has a positive label or decision", n, n_units)
    kept = drawn[np.isfinite(drawn)]
    n_undefined = len(drawn) - len(kept)
    if n_units < 2 or len(kept) < 2:
        why = ONE_UNIT if n_units < 2 else "undefined in every resample"
        return Estimate(value, None, None, None, n, n_units, None, why, n_undefined)
    low, high = np.quantile(kept, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    se = float(kept.std(ddof=1))
    return Estimate(value, float(low), float(high), se, n, n_units, "bootstrap", None, n_undefined)


def layer_of_maximum(values: Sequence[float] | FloatArray) -> int | None:
    """Return the layer of the greatest value, the lowest of a tie; None where none is defined."""
    array = np.asarray(values, dtype=np.float64)
    if not np.isfinite(array).any():
        return None
    return int(np.nanargmax(array))
