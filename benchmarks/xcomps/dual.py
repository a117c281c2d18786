"""A probe in terms of its sentences: w = Σ αᵢ xᵢ, so that only inner products are needed.

For fewer vectors than dimensions, or not many more. The Gram matrix is computed once for all folds
and labels.

Source: Rasmussen & Williams 2006, section 3.4 (the system that stays well conditioned).
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dtrsv, strsv

from benchmarks.xcomps.lapack import factorise
from benchmarks.xcomps.newton import Losses, Point, descend
from benchmarks.xcomps.rows import FloatArray, Vectors

SMALLEST_CURVATURE = 1e-14
"""Keeps C p (1−p) above 0 where a sentence is decided beyond doubt."""


@dataclass(frozen=True, slots=True)
class Cholesky:
    """A lower triangle L with L Lᵀ = A, and the two substitutions that solve A x = b.

    Whatever stands above the diagonal is not looked at.
    """

    lower: NDArray[np.floating]

    def solve(self, side: FloatArray) -> FloatArray:
        """Return A⁻¹ b."""
        trsv: Any = strsv if self.lower.dtype == np.float32 else dtrsv
        half = trsv(self.lower, side.astype(self.lower.dtype), lower=1, overwrite_x=1)
        solved = trsv(self.lower, half, lower=1, trans=1, overwrite_x=1)
        return np.asarray(solved, dtype=np.float64)


def cholesky(matrix: NDArray[np.floating]) -> Cholesky | None:
    """Factorise a symmetric matrix, which is lost; None where it is not positive definite."""
    if not factorise(matrix):
        return None
    return Cholesky(matrix.T)


@dataclass(frozen=True, slots=True)
class DualFactor:
    """B = I + S K S factorised, with S² = C · totals · p (1−p)."""

    system: Cholesky
    root: FloatArray
    """The diagonal of S."""
    by_one: FloatArray
    """S B⁻¹ S 1: how the weights answer to the intercept."""

    def solve(self, residual: FloatArray) -> FloatArray:
        """Return S B⁻¹ S⁻¹ r: the step of the weights with the intercept held."""
        return self.root * self.system.solve(residual / self.root)


@dataclass(frozen=True, slots=True)
class DualProblem:
    """Penalty plus losses as a function of one weight a vector."""

    gram: FloatArray
    single: NDArray[np.float32]
    """The same in single precision."""
    losses: Losses

    def start(self) -> Point:
        """Return the point where all weights are 0."""
        zero = np.zeros(len(self.gram))
        return Point(zero, 0.0, zero)

    def objective(self, at: Point) -> float:
        """Return penalty plus losses."""
        return float(0.5 * at.weights @ at.projected + self.losses.value(at.scores))

    def residual(self, at: Point) -> FloatArray:
        """Return what the vectors pull less α, which is 0 at the optimum."""
        return np.asarray(self.losses.pull(at.scores) - at.weights)

    def size(self, at: Point, step: Point) -> float:
        """Return the greatest residual, in units of C."""
        del step
        return float(np.abs(self.residual(at)).max()) / self.losses.c

    def factor(self, at: Point, *, is_single: bool) -> DualFactor | None:
        """Return the factorised curvature; None where it is not positive definite."""
        gram: NDArray[Any] = self.single if is_single else self.gram
        root = np.sqrt(np.maximum(self.losses.curvature(at.scores), SMALLEST_CURVATURE))
        narrow = root.astype(gram.dtype)
        with np.errstate(over="ignore", invalid="ignore"):  # then there is no factor
            matrix = gram * narrow
            matrix *= narrow[:, None]
        matrix.flat[:: len(root) + 1] += 1
        system = cholesky(matrix)
        return None if system is None else DualFactor(system, root, root * system.solve(root))

    def step(self, at: Point, factor: DualFactor) -> Point:
        """Return the Newton step; α keeps summing to 0."""
        weights = factor.solve(self.residual(at))
        intercept = float((weights.sum() + at.weights.sum()) / factor.by_one.sum())
        weights = weights - intercept * factor.by_one
        return Point(weights, intercept, self.gram @ weights)


class DualSpace:
    """All vectors of a layer by their inner products."""

    def __init__(self, vectors: Vectors) -> None:
        self.gram = gram_matrix(vectors)

    def training(self, totals: FloatArray, c: float) -> "DualTraining":
        """Return the part of the Gram matrix that belongs to the vectors trained on.

        Where all weights are 0, every set of labels has the same curvature: one factor for all.
        """
        seen = np.flatnonzero(totals)
        gram = self.gram.take(seen, axis=0).take(seen, axis=1)
        with np.errstate(over="ignore"):  # infinity has no factor; then double precision is taken
            single = gram.astype(np.float32)
        problem = DualProblem(gram, single, Losses(totals[seen], totals[seen] / 2, c))
        first = problem.factor(problem.start(), is_single=True)
        return DualTraining(self.gram, seen, problem, first)


@dataclass(frozen=True, slots=True)
class DualTraining:
    """The vectors of one fold's training sentences."""

    whole: FloatArray
    seen: NDArray[np.intp]
    unlabelled: DualProblem
    """The fold's problem with half of each vector's sentences good."""
    first: DualFactor | None

    def fit(self, goods: FloatArray, label_set: int) -> FloatArray | None:
        """Return the scores of all vectors, unseen ones too; None where there is no optimum."""
        del label_set  # the last optimum is no better start than 0: most of its weights are wrong
        losses = replace(self.unlabelled.losses, goods=goods[self.seen])
        found = descend(replace(self.unlabelled, losses=losses), factor=self.first)
        if found is None:
            return None
        weights = np.zeros(len(self.whole))
        weights[self.seen] = found.weights
        return np.asarray(self.whole @ weights + found.intercept)


def gram_matrix(vectors: Vectors) -> FloatArray:
    """Return the inner products of centred vectors.

    A common shift of all vectors changes only the intercept, which is not penalised; without it the
    numbers are smaller and nothing is lost.

    Args:
        vectors: Shape (n, width).
    """
    centred = np.asarray(vectors, dtype=np.float64)
    centred = centred - centred.mean(axis=0)
    return np.asarray(centred @ centred.T)
