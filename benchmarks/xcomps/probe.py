"""Is a label linearly readable from vectors? Logistic regression, solved exactly.

The optimum of ½‖w‖² + C Σ log(1 + exp(−y (w·x + b))) is unique, so the probe is defined as that
optimum and not as what a solver happens to reach: scikit-learn's default stops early on
activations with large dimensions. With more dimensions than sentences the weights are a combination
of the sentences, w = Σ αᵢ xᵢ, and Newton's method needs only the Gram matrix, which is computed
once for all folds and labels.

Source: Fan et al. 2008 (LIBLINEAR, objective; there the intercept is penalised, here it is not, as
in scikit-learn's lbfgs); Rasmussen & Williams 2006, section 3.4 (the system that stays well
conditioned); Kelley 1995, section 5.4 (keeping a factor over several steps).
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.xcomps.newton import Factor, factorise

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]

TOLERANCE = 1e-9
"""Greatest allowed |C (t − p) − α|, in units of C."""
NEAR = 1e-3
"""From here on the curvature hardly changes, and whole steps are taken."""
GOOD_SHRINKAGE = 0.1
"""A factor is kept as long as each step leaves at most this share of the residual."""
BAD_SHRINKAGE = 0.5
"""Where a new factor in single precision leaves more than this, double precision takes over."""
MAX_STEPS = 300
STRETCH = 1.6
MIN_SHARE = 2.0**-30
ROUNDING = 1e-12
"""Share of the objective that counts as no change."""


class ProbeError(ArithmeticError):
    """Newton's method did not reach the optimum."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Weights of the training sentences, and the intercept."""

    alpha: FloatArray
    intercept: float
    projected: FloatArray
    """The Gram matrix times the weights: the scores less the intercept."""

    def moved(self, share: float, step: "Fit") -> "Fit":
        """Return the point after a share of a step."""
        return Fit(
            self.alpha + share * step.alpha,
            self.intercept + share * step.intercept,
            self.projected + share * step.projected,
        )


@dataclass(frozen=True, slots=True)
class Problem:
    """What is minimised: a Gram matrix, targets of 0 and 1, and the inverse penalty."""

    gram: FloatArray
    single: NDArray[np.float32]
    """The same in single precision."""
    targets: FloatArray
    c: float

    def objective(self, at: Fit) -> float:
        """Return penalty plus losses."""
        margins = np.where(self.targets > 0, 1.0, -1.0) * (at.projected + at.intercept)
        losses = np.logaddexp(0.0, -margins).sum()
        return float(0.5 * at.alpha @ at.projected + self.c * losses)

    def probabilities(self, at: Fit) -> FloatArray:
        """Return p of every training sentence."""
        return np.asarray(0.5 * (1 + np.tanh(0.5 * (at.projected + at.intercept))))

    def residual(self, at: Fit) -> FloatArray:
        """Return C (t − p) − α, which is 0 at the optimum."""
        return np.asarray(self.c * (self.targets - self.probabilities(at)) - at.alpha)

    def factor(self, at: Fit, *, is_single: bool) -> Factor | None:
        """Return the factorised curvature; None where it has too large numbers."""
        probabilities = self.probabilities(at)
        gram = self.single if is_single else self.gram
        return factorise(gram, self.c * probabilities * (1 - probabilities))

    def step(self, at: Fit, factor: Factor) -> Fit:
        """Return the Newton step, as a difference; α keeps summing to 0."""
        alpha = factor.solve(self.residual(at))
        intercept = float((alpha.sum() + at.alpha.sum()) / factor.by_one.sum())
        alpha = alpha - intercept * factor.by_one
        return Fit(alpha, intercept, self.gram @ alpha)


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
        ProbeError: The optimum is not reached, or the numbers are not finite.
    """
    if not np.isfinite(gram).all():
        raise ProbeError("no optimum: the inner products are not finite")
    zero = np.zeros(len(labels))
    if labels.all() or not labels.any():
        return Fit(zero, 1.0 if labels[0] else -1.0, zero)
    with np.errstate(over="ignore"):  # infinity has no factor; then double precision is taken
        single = gram.astype(np.float32)
    problem = Problem(gram, single, labels.astype(np.float64), c)
    found = _descend(problem, Fit(zero, 0.0, zero))
    if found is None:
        raise ProbeError(f"no optimum after {MAX_STEPS} Newton steps on {len(labels)} sentences")
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


def _descend(problem: Problem, start: Fit) -> Fit | None:
    """Step down to the tolerance; None where it is not reached.

    The curvature is factorised in single precision, which is enough for a direction: the residual
    is always exact, so a rough direction only costs another step.
    """
    found, factor, is_single, before = start, None, True, np.inf
    for _ in range(MAX_STEPS):
        size = float(np.abs(problem.residual(found)).max()) / problem.c
        if size <= TOLERANCE:
            return replace(found, projected=problem.gram @ found.alpha)
        if factor is None or size > GOOD_SHRINKAGE * before or size > NEAR:
            is_single = is_single and not (before <= NEAR and size > BAD_SHRINKAGE * before)
            factor = problem.factor(found, is_single=is_single)
            if factor is None and is_single:
                is_single, factor = False, problem.factor(found, is_single=False)
            if factor is None:
                return None
        before = size
        step = problem.step(found, factor)
        moved = found.moved(1.0, step) if size <= NEAR else _search(problem, found, step)
        if moved is None and not is_single:
            return None
        found, is_single = (moved or found), is_single and moved is not None
    return None


def _search(problem: Problem, at: Fit, step: Fit) -> Fit | None:
    """Go on as long as it helps, or half, a quarter … of the way; None where nothing helps."""
    allowed = problem.objective(at) * (1 + ROUNDING)
    share, moved = 1.0, at.moved(1.0, step)
    value = problem.objective(moved)
    if not value <= allowed:
        while share > MIN_SHARE:
            share /= 2
            moved = at.moved(share, step)
            if problem.objective(moved) <= allowed:
                return moved
        return None
    while True:
        farther = at.moved(share * STRETCH, step)
        beyond = problem.objective(farther)
        if not beyond < value:
            return moved
        share, moved, value = share * STRETCH, farther, beyond
