"""Newton's method for a probe: how it goes down, whatever the probe's weights belong to.

The optimum of ½‖w‖² + C Σ log(1 + exp(−y (w·x + b))) is unique, so the probe is defined as that
optimum and not as what a solver happens to reach.

The curvature is factorised in single precision, which is enough for a direction: what a step is
computed from is always exact, so a rough direction only costs another step.

Source: Fan et al. 2008 (LIBLINEAR, objective; there the intercept is penalised, here it is not, as
in scikit-learn's lbfgs); Kelley 1995, section 5.4 (keeping a factor over several steps).
"""

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

TOLERANCE = 1e-9
"""Greatest allowed size of what is left; see `Problem.size`."""
NEAR = 1e-2
"""From here on the curvature hardly changes, and whole steps are taken."""
NEAR_AFTER_START = 1.0
"""The same where the start is the optimum of nearly the same problem."""
GOOD_SHRINKAGE = 0.3
"""A factor is kept as long as each step leaves at most this share of what is left."""
VERY_NEAR = 1e-3
BAD_SHRINKAGE = 0.5
"""Where a new factor in single precision leaves more than this of what was very near, double
precision takes over."""
MAX_STEPS = 300
STRETCH = 1.6
MIN_SHARE = 2.0**-30
ROUNDING = 1e-12
"""Share of the objective that counts as no change."""

FactorT = TypeVar("FactorT")


@dataclass(frozen=True, slots=True)
class Losses:
    """What the training sentences say: how many there are of each vector, and how many are good."""

    totals: FloatArray
    """Shape (n,); 0 where a vector is not trained on."""
    goods: FloatArray
    """Shape (n,), of these with the label 1."""
    c: float
    """The inverse strength of the penalty."""

    def value(self, scores: FloatArray) -> float:
        """Return C times the sum of log(1 + exp(∓score)) over all training sentences."""
        common = np.log1p(np.exp(-np.abs(scores)))
        wrong = np.where(scores > 0, self.totals - self.goods, self.goods) * np.abs(scores)
        return float(self.c * (self.totals @ common + wrong.sum()))

    def pull(self, scores: FloatArray) -> FloatArray:
        """Return C (goods − totals · p): where each vector wants its score to go."""
        return np.asarray(self.c * (self.goods - self.totals * _probabilities(scores)))

    def curvature(self, scores: FloatArray) -> FloatArray:
        """Return C · totals · p (1 − p)."""
        p = _probabilities(scores)
        return np.asarray(self.c * self.totals * p * (1 - p))


@dataclass(frozen=True, slots=True)
class Point:
    """Weights (of sentences or of dimensions), the intercept, and what the weights make."""

    weights: FloatArray
    intercept: float
    projected: FloatArray
    """The scores less the intercept."""

    @property
    def scores(self) -> FloatArray:
        """Return the score of every vector; above 0 is acceptable."""
        return np.asarray(self.projected + self.intercept)

    def moved(self, share: float, step: "Point") -> "Point":
        """Return the point after a share of a step."""
        return Point(
            self.weights + share * step.weights,
            self.intercept + share * step.intercept,
            self.projected + share * step.projected,
        )


class Problem(Protocol, Generic[FactorT]):
    """Penalty plus losses as a function of the weights."""

    def start(self) -> Point:
        """Return the point where all weights are 0."""
        ...

    def objective(self, at: Point) -> float:
        """Return penalty plus losses."""
        ...

    def factor(self, at: Point, *, is_single: bool) -> FactorT | None:
        """Return the factorised curvature; None where it has too large numbers."""
        ...

    def step(self, at: Point, factor: FactorT) -> Point:
        """Return the Newton step, as a difference."""
        ...

    def size(self, at: Point, step: Point) -> float:
        """Return how much is left, as a number that is 0 at the optimum alone."""
        ...


def descend(
    problem: Problem[FactorT], start: Point | None = None, factor: FactorT | None = None
) -> Point | None:
    """Step down to the tolerance; None where it is not reached.

    Args:
        problem: What is minimised.
        start: Where to begin; None: where all weights are 0.
        factor: The factorised curvature there, where it is known already.
    """
    near = NEAR if start is None else NEAR_AFTER_START
    found, is_single, before = start or problem.start(), True, np.inf
    n_uses = 0
    for _ in range(MAX_STEPS):
        if factor is None:
            made = _factorise(problem, found, is_single=is_single)
            (factor, is_single), n_uses = made, 0
            if factor is None:
                return None
        step = problem.step(found, factor)
        size = problem.size(found, step)
        if size <= TOLERANCE:
            return found.moved(1.0, step)
        if n_uses and size > GOOD_SHRINKAGE * before:
            is_rough = n_uses == 1 and before <= VERY_NEAR and size > BAD_SHRINKAGE * before
            factor, is_single, before = None, is_single and not is_rough, size
            continue
        n_uses += 1
        moved = found.moved(1.0, step) if size <= near else _search(problem, found, step)
        if moved is None and not is_single:
            return None
        found, is_single, before = moved or found, is_single and moved is not None, size
        if size > near:
            factor = None
    return None


def _factorise(
    problem: Problem[FactorT], at: Point, *, is_single: bool
) -> tuple[FactorT | None, bool]:
    """Return a factor, in double precision where single does not do, and whether it is single."""
    factor = problem.factor(at, is_single=is_single)
    if factor is None and is_single:
        return problem.factor(at, is_single=False), False
    return factor, is_single


def _search(problem: Problem[FactorT], at: Point, step: Point) -> Point | None:
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


def _probabilities(scores: FloatArray) -> FloatArray:
    return np.asarray(0.5 * (1 + np.tanh(0.5 * scores)))
