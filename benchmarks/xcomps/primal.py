"""A probe in terms of its dimensions, for more vectors than dimensions.

The vectors are read in blocks, so that memory is theirs plus one square matrix of their width; only
where it is small, a copy in double precision is kept. With many more vectors than dimensions one
fold's optimum lies near the next one's, so each fit begins where the last one of its labels ended.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks.xcomps.dual import Cholesky, cholesky
from benchmarks.xcomps.newton import Losses, Point, descend
from benchmarks.xcomps.rows import FloatArray, Vectors
from benchmarks.xcomps.words import WordCounts

BLOCK_BYTES = 16 * 2**20
"""Of vectors in double precision at a time."""
KEPT_BYTES = 512 * 2**20
"""Up to here the vectors are kept in double precision."""


class Matrix(Protocol):
    """The vectors of a layer, as far as a probe of dimensions needs them."""

    shape: tuple[int, int]

    def project(self, weights: FloatArray) -> FloatArray:
        """Return the inner product of every vector with the weights."""
        ...

    def sum_up(self, shares: FloatArray) -> FloatArray:
        """Return the sum of all vectors, each times its share."""
        ...

    def squares(
        self, shares: FloatArray, centre: FloatArray, dtype: type[np.floating]
    ) -> NDArray[np.floating]:
        """Return Σ share (x − centre)(x − centre)ᵀ, where the centre is the mean by share.

        Since it is, this is Σ share x xᵀ less Σ share times centre centreᵀ.
        """
        ...


class DenseMatrix:
    """Vectors in an array, shifted so that their mean is 0 (it only changes the intercept)."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors
        self.shape: tuple[int, int] = (vectors.shape[0], vectors.shape[1])
        self._n_rows = max(1, BLOCK_BYTES // (8 * vectors.shape[1]))
        self._mean = np.mean(vectors, axis=0, dtype=np.float64)
        is_kept = 8 * vectors.size <= KEPT_BYTES
        self._kept = vectors - self._mean if is_kept else None

    def project(self, weights: FloatArray) -> FloatArray:
        """Return the inner product of every vector with the weights."""
        return np.concatenate([block @ weights for _, block in self._blocks()])

    def sum_up(self, shares: FloatArray) -> FloatArray:
        """Return the sum of all vectors, each times its share."""
        total = np.zeros(self.shape[1])
        for rows, block in self._blocks():
            total += shares[rows] @ block
        return total

    def squares(
        self, shares: FloatArray, centre: FloatArray, dtype: type[np.floating]
    ) -> NDArray[np.floating]:
        """Return Σ share x xᵀ less what the centre takes away."""
        width = self.shape[1]
        total = np.zeros((width, width), dtype=dtype)
        roots = np.sqrt(shares)[:, None]
        for rows, block in self._blocks():
            scaled = np.empty(block.shape, dtype=dtype)
            np.multiply(block, roots[rows], out=scaled, casting="same_kind")
            total += scaled.T @ scaled
        total -= np.outer(centre * shares.sum(), centre)
        return total

    def _blocks(self) -> Iterator[tuple[slice, FloatArray]]:
        """Yield some rows at a time, in double precision and centred."""
        for first in range(0, self.shape[0], self._n_rows):
            rows = slice(first, first + self._n_rows)
            if self._kept is not None:
                yield rows, self._kept[rows]
            else:
                yield rows, self._vectors[rows] - self._mean


class SparseMatrix:
    """Vectors of which most numbers are 0, as counts of words are; not shifted."""

    def __init__(self, counts: WordCounts) -> None:
        self._counts = counts
        self.shape: tuple[int, int] = counts.shape

    def project(self, weights: FloatArray) -> FloatArray:
        """Return the inner product of every vector with the weights."""
        return np.asarray(self._counts @ weights)

    def sum_up(self, shares: FloatArray) -> FloatArray:
        """Return the sum of all vectors, each times its share."""
        return np.asarray(self._counts.T @ shares)

    def squares(
        self, shares: FloatArray, centre: FloatArray, dtype: type[np.floating]
    ) -> NDArray[np.floating]:
        """Return Σ share x xᵀ less what the centre takes away."""
        scaled = self._counts.multiply(np.sqrt(shares)[:, None]).tocsr()
        total = np.asarray((scaled.T @ scaled).toarray())
        total -= np.outer(centre * shares.sum(), centre)
        return total.astype(dtype, order="C")


class PrimalSpace:
    """All vectors of a layer."""

    def __init__(self, matrix: Matrix) -> None:
        self._matrix = matrix
        self._last: dict[int, Point] = {}

    def training(self, totals: FloatArray, c: float) -> "PrimalTraining":
        """Return all vectors; those not trained on have a total of 0."""
        return PrimalTraining(self._matrix, totals, c, self._last)


@dataclass(frozen=True, slots=True)
class PrimalTraining:
    """The vectors of one fold's training sentences."""

    matrix: Matrix
    totals: FloatArray
    c: float
    last: dict[int, Point]
    """The optimum of the last fit with each set of labels."""

    def fit(self, goods: FloatArray, label_set: int) -> FloatArray | None:
        """Return the scores of all vectors, unseen ones too; None where there is no optimum."""
        problem = PrimalProblem(self.matrix, Losses(self.totals, goods, self.c))
        found = descend(problem, self.last.get(label_set))
        if found is None:
            return None
        self.last[label_set] = found
        return np.asarray(self.matrix.project(found.weights) + found.intercept)


@dataclass(frozen=True, slots=True)
class PrimalFactor:
    """H = I + Σ curvature (x − centre)(x − centre)ᵀ factorised."""

    system: Cholesky
    centre: FloatArray
    """The mean of the vectors by curvature: around it, weights and intercept part."""
    curvature: float
    """The sum of all: how the gradient answers to the intercept."""


@dataclass(frozen=True, slots=True)
class PrimalProblem:
    """Penalty plus losses as a function of one weight a dimension."""

    matrix: Matrix
    losses: Losses

    def start(self) -> Point:
        """Return the point where all weights are 0."""
        n_vectors, width = self.matrix.shape
        return Point(np.zeros(width), 0.0, np.zeros(n_vectors))

    def objective(self, at: Point) -> float:
        """Return penalty plus losses."""
        return float(0.5 * at.weights @ at.weights + self.losses.value(at.scores))

    def size(self, at: Point, step: Point) -> float:
        """Return how far the step moves any score of a training sentence."""
        del at
        return float(np.abs(step.scores[self.losses.totals > 0]).max())

    def factor(self, at: Point, *, is_single: bool) -> PrimalFactor | None:
        """Return the factorised curvature; None where it is not positive definite."""
        curvature = self.losses.curvature(at.scores)
        whole = float(curvature.sum())
        if not whole > 0:
            return None
        centre = self.matrix.sum_up(curvature) / whole
        dtype = np.float32 if is_single else np.float64
        with np.errstate(over="ignore", invalid="ignore"):  # then there is no factor
            squares = self.matrix.squares(curvature, centre, dtype)
        squares.flat[:: len(squares) + 1] += 1
        system = cholesky(squares)
        return None if system is None else PrimalFactor(system, centre, whole)

    def step(self, at: Point, factor: PrimalFactor) -> Point:
        """Return the Newton step."""
        pull = self.losses.pull(at.scores)
        gradient = self.matrix.sum_up(pull) - factor.centre * pull.sum() - at.weights
        weights = factor.system.solve(gradient)
        around_centre = float(pull.sum()) / factor.curvature
        intercept = around_centre - float(factor.centre @ weights)
        return Point(weights, intercept, self.matrix.project(weights))
