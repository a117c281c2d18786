"""Is a label linearly readable from vectors? Logistic regression, solved exactly.

scikit-learn's default solver stops early on activations with large dimensions; here every decision
is that of the optimum (see `newton`). Vectors that are the same are merged, and what is fitted is
one weight a vector or one weight a dimension, whichever are fewer.
"""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import issparse

from benchmarks.xcomps.dual import DualSpace
from benchmarks.xcomps.newton import MAX_STEPS
from benchmarks.xcomps.primal import DenseMatrix, PrimalSpace, SparseMatrix
from benchmarks.xcomps.rows import BoolArray, FloatArray, IntArray, Rows, Vectors
from benchmarks.xcomps.words import WordCounts

MAX_VECTORS_A_DIMENSION = 2.0
"""Up to here a system of vectors is no slower than one of dimensions, and needs no more memory."""

TIE = 1e-9
"""A score up to here is one of 0 but for rounding, and decides for the label False."""


class ProbeError(ArithmeticError):
    """Newton's method did not reach the optimum."""


class Probe:
    """The vectors of one layer, made ready for every fold and every set of labels."""

    def __init__(self, rows: Rows, c: float = 1.0) -> None:
        """Take the vectors and the inverse strength of the penalty.

        Raises:
            ProbeError: The vectors are not finite.
        """
        self._rows = rows
        self._c = c
        self._space = _space(rows.vectors)

    def decide(self, label_sets: Sequence[BoolArray], folds: IntArray) -> list[BoolArray]:
        """Return the out-of-fold decision for every sentence, by each set of labels.

        Args:
            label_sets: Each of shape (n_sentences,).
            folds: Shape (n_sentences,); each is decided by a probe that has not seen it.

        Raises:
            ProbeError: An optimum is not reached.
        """
        decisions = [np.zeros(len(folds), dtype=np.bool_) for _ in label_sets]
        for fold in np.unique(folds):
            tested = folds == fold
            for decided, scores in zip(decisions, self._scores(label_sets, ~tested), strict=True):
                decided[tested] = scores[self._rows.places[tested]] > TIE
        return decisions

    def _scores(self, label_sets: Sequence[BoolArray], trained: BoolArray) -> list[FloatArray]:
        """Fit on the training sentences and return the scores of all vectors."""
        training = self._space.training(self._rows.count(trained), self._c)
        found = []
        for number, labels in enumerate(label_sets):
            scores: FloatArray | None
            known = labels[trained]
            if known.all() or not known.any():  # where all are the same, the probe always says so
                scores = np.full(self._rows.n_vectors, 1.0 if known.all() else -1.0)
            else:
                scores = training.fit(self._rows.count(trained & labels), number)
            if scores is None:
                n = int(trained.sum())
                raise ProbeError(f"no optimum after {MAX_STEPS} Newton steps on {n} sentences")
            found.append(scores)
        return found


def is_dual(n_vectors: int, width: int) -> bool:
    """Say whether a weight a vector is fitted, and not one a dimension."""
    return n_vectors <= MAX_VECTORS_A_DIMENSION * width


def _space(vectors: Vectors | WordCounts) -> DualSpace | PrimalSpace:
    by_vector = is_dual(*vectors.shape)
    if issparse(vectors):
        counts: WordCounts = vectors
        return DualSpace(counts.toarray()) if by_vector else PrimalSpace(SparseMatrix(counts))
    if not np.isfinite(vectors).all():
        raise ProbeError("no optimum: the vectors are not finite")
    return DualSpace(vectors) if by_vector else PrimalSpace(DenseMatrix(vectors))
