"""The linear system of a Newton step of the probe, factorised once for several steps."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotrs, spotrf, spotrs

FloatArray = NDArray[np.float64]

SMALLEST_CURVATURE = 1e-14
"""Keeps C p (1−p) above 0 where a sentence is decided beyond doubt."""


@dataclass(frozen=True, slots=True)
class Factor:
    """Cholesky's factor of B = I + S K S, with S² = C p (1−p)."""

    lower: NDArray[np.floating]
    root: FloatArray
    """The diagonal of S."""
    by_one: FloatArray
    """S B⁻¹ S 1: how the weights answer to the intercept."""

    def solve(self, residual: FloatArray) -> FloatArray:
        """Return S B⁻¹ S⁻¹ r: the step of the weights with the intercept held."""
        return self.root * _back(self.lower, residual / self.root)


def factorise(gram: NDArray[np.floating], curvature: FloatArray) -> Factor | None:
    """Factorise the system; None where it is not positive definite in this precision.

    Args:
        gram: Shape (n, n), in the precision to work in.
        curvature: C p (1−p) of every sentence.
    """
    root = np.sqrt(np.maximum(curvature, SMALLEST_CURVATURE))
    narrow = root.astype(gram.dtype)
    with np.errstate(over="ignore", invalid="ignore"):  # then there is no factor
        matrix = gram * narrow
        matrix *= narrow[:, None]
    matrix.flat[:: len(root) + 1] += 1
    potrf: Any = spotrf if gram.dtype == np.float32 else dpotrf
    # The transpose is the same matrix in the order LAPACK wants, so nothing is copied.
    lower, failure = potrf(matrix.T, lower=1, overwrite_a=1, clean=0)
    if failure or not np.isfinite(lower.diagonal()).all():
        return None
    return Factor(lower, root, root * _back(lower, root))


def _back(lower: NDArray[np.floating], side: FloatArray) -> FloatArray:
    potrs: Any = spotrs if lower.dtype == np.float32 else dpotrs
    solved, _ = potrs(lower, side.astype(lower.dtype), lower=1)
    return np.asarray(solved, dtype=np.float64)
