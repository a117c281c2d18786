"""Is a label linearly readable from vectors? Logistic regression, solved exactly.

The optimum of ½‖w‖² + C Σ log(1 + exp(−y (w·x + b))) is unique, so the probe is defined as that
optimum and not as what a solver happens to reach: scikit-learn's default stops early on
activations with large dimensions. With more dimensions than sentences the weights are a combination
of the sentences, w = Σ αᵢ xᵢ, and Newton's method needs only the Gram matrix, which is computed
once for all folds and labels.

Source: Fan et al. 2008 (LIBLINEAR, objective; there the intercept is penalised, here it is not, as
in scikit-learn's lbfgs); Rasmussen & Williams 2006, section 3.4 (the Newton step in the form that
stays well conditioned).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]

TOLERANCE = 1e-9
"""Greatest allowed |C (t − p) − α|, in units of C."""
ROUGH_TOLERANCE = 1e-3
"""Until here steps are taken in single precision, in half the time; Newton corrects itself."""
MAX_STEPS = 200
MAX_ROUGH_STEPS = 30
MIN_SHARE = 2.0**-30
"""The shortest step tried along Newton's direction."""
ROUNDING = 1e-12
"""Share of the objective that counts as no change."""
SMALLEST_CURVATURE = 1e-14
"""Keeps C p (1−p) above 0 where a sentence is decided beyond doubt."""


class ProbeError(ArithmeticError):
    """Newton's method did not reach the optimum."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Weights of the training sentences, and the intercept."""

    alpha: FloatArray
    intercept: float
    projected: FloatArray
    """The Gram matrix times the weights: the scores less the intercept."""

    def at(self, share: float, goal: "Fit") -> "Fit":
        """Return the point at a share of the way to another one."""
        return Fit(
            self.alpha + share * (goal.alpha - self.alpha),
            self.intercept + share * (goal.intercept - self.intercept),
            self.projected + share * (goal.projected - self.projected),
        )

    def objective(self, targets: FloatArray, c: float) -> float:
        """Return what the probe minimises."""
        margins = np.where(targets > 0, 1.0, -1.0) * (self.projected + self.intercept)
        return float(0.5 * self.alpha @ self.projected + c * np.logaddexp(0.0, -margins).sum())

    def residual(self, targets: FloatArray, c: float) -> float:
        """Return the greatest |C (t − p) − α|, in units of C; 0 at the optimum."""
        probabilities = _sigmoid(self.projected + self.intercept)
        return float(np.abs(targets - probabilities - self.alpha / c).max())


def gram_matrix(vectors: NDArray[np.floating]) -> FloatArray:
    """Return the inner products of centred vectors.

    A common shift of all vectors changes only the intercept, which is not penalised; without it the
    numbers are smaller and nothing is lost.

    Args:
        vectors: Shape (n, width).
    """
    centred = np.asarray(vectors, dtype=np.float64)
    centred = centred - centred.mean(axis=0)
    return np.asarray(centred @ centred.T)


def fit(gram: FloatArray, labels: BoolArray, c: float = 1.0) -> Fit:
    """Return the exact optimum on the training sentences.

    Args:
        gram: Shape (n, n).
        labels: Shape (n,); where all are the same, the probe always says so.
        c: The inverse strength of the penalty.

    Raises:
        ProbeError: The optimum is not reached; the numbers are not finite.
    """
    if not np.isfinite(gram).all():
        raise ProbeError("no optimum: the inner products are not finite")
    targets = labels.astype(np.float64)
    zero = np.zeros(len(targets))
    if targets.min() == targets.max():
        return Fit(zero, 1.0 if targets[0] else -1.0, zero)
    start = Fit(zero, 0.0, zero)
    with np.errstate(over="ignore", invalid="ignore"):  # what fails here is done again below
        narrow = gram.astype(np.float32)
        rough = _descend(narrow, targets, start, c, (ROUGH_TOLERANCE, MAX_ROUGH_STEPS))
    start = Fit(rough.alpha, rough.intercept, gram @ rough.alpha)
    found = _descend(gram, targets, start, c, (TOLERANCE, MAX_STEPS))
    if not found.residual(targets, c) <= TOLERANCE:
        raise ProbeError(f"no optimum after {MAX_STEPS} Newton steps on {len(targets)} sentences")
    return found


def decide(gram: FloatArray, labels: BoolArray, folds: IntArray, c: float = 1.0) -> BoolArray:
    """Return the out-of-fold decision for every sentence.

    Args:
        gram: Shape (n, n), of all sentences.
        labels: Shape (n,).
        folds: Shape (n,); each fold is decided by a probe that has not seen it.
        c: The inverse strength of the penalty.
    """
    decisions = np.zeros(len(labels), dtype=np.bool_)
    for fold in np.unique(folds):
        tested = folds == fold
        trained = ~tested
        found = fit(gram[np.ix_(trained, trained)], labels[trained], c)
        scores = gram[np.ix_(tested, trained)] @ found.alpha + found.intercept
        decisions[tested] = scores > 0
    return decisions


def _descend(
    gram: NDArray[np.floating],
    targets: FloatArray,
    start: Fit,
    c: float,
    until: tuple[float, int],
) -> Fit:
    """Take at most so many Newton steps, in the Gram matrix's precision, to the tolerance."""
    found = start
    tolerance, max_steps = until
    for _ in range(max_steps):
        if found.residual(targets, c) <= tolerance:
            break
        try:
            goal = _newton_goal(gram, targets, found, c)
        except np.linalg.LinAlgError:  # too large numbers for this precision
            break
        moved = _step(found, goal, targets, c)
        if moved is None:
            break
        found = moved
    return found


def _newton_goal(gram: NDArray[np.floating], targets: FloatArray, at: Fit, c: float) -> Fit:
    """Return where a full Newton step leads.

    With S² = C p (1−p) and z = scores + (t − p)/(p (1−p)): α = S B⁻¹ S (z − b) with B = I + S K S,
    and b makes α sum to 0.
    """
    scores = at.projected + at.intercept
    probabilities = _sigmoid(scores)
    root = np.sqrt(np.maximum(c * probabilities * (1 - probabilities), SMALLEST_CURVATURE))
    narrow = root.astype(gram.dtype)
    b_matrix = gram * np.outer(narrow, narrow)
    b_matrix[np.diag_indices_from(b_matrix)] += 1
    # The transpose is the same matrix in the order LAPACK wants, so nothing is copied.
    factor = cho_factor(b_matrix.T, lower=True, overwrite_a=True, check_finite=False)
    scaled = root * scores + c * (targets - probabilities) / root
    sides = np.column_stack([scaled, root]).astype(gram.dtype)
    solved = cho_solve(factor, sides, check_finite=False).astype(np.float64)
    by_z, by_one = root * solved[:, 0], root * solved[:, 1]
    intercept = float(by_z.sum() / by_one.sum())
    alpha = by_z - intercept * by_one
    return Fit(alpha, intercept, (gram @ alpha.astype(gram.dtype)).astype(np.float64))


def _step(at: Fit, goal: Fit, targets: FloatArray, c: float) -> Fit | None:
    """Go all the way, or half, or a quarter …, so that the objective does not grow."""
    before = at.objective(targets, c)
    share = 1.0
    while share > MIN_SHARE:
        moved = at.at(share, goal)
        if moved.objective(targets, c) <= before * (1 + ROUNDING):
            return moved
        share /= 2
    return None


def _sigmoid(scores: FloatArray) -> FloatArray:
    return np.asarray(0.5 * (1 + np.tanh(0.5 * scores)))
