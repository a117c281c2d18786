"""The paper's two scores of a pair: which language a model leans to, and how much it comprehends.

Source: Cahyawijaya et al. 2024 (arXiv:2410.21573), section 3.3.
"""

import math

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

QUARTER_TURN = math.pi / 4


def cognate_bias(accuracy_l1: float, accuracy_l2: float) -> float | None:
    """Return how far a model leans to one language of a pair.

    Returns:
        In [-1, 1]; negative leans to L1, 0 is even, None if both accuracies are 0.
    """
    bias = float(cognate_biases(np.array([accuracy_l1]), np.array([accuracy_l2]))[0])
    return None if math.isnan(bias) else bias


def cognate_comprehension(accuracy_l1: float, accuracy_l2: float) -> float:
    """Return how well a model tells right from wrong in both languages, in [0, 1]."""
    found = cognate_comprehensions(np.array([accuracy_l1]), np.array([accuracy_l2]))
    return float(found[0])


def cognate_biases(accuracies_l1: FloatArray, accuracies_l2: FloatArray) -> FloatArray:
    """Return the bias of each pair of accuracies; NaN where both are 0."""
    bias = (np.arctan2(accuracies_l2, accuracies_l1) - QUARTER_TURN) / QUARTER_TURN
    return np.where((accuracies_l1 == 0) & (accuracies_l2 == 0), np.nan, bias)


def cognate_comprehensions(accuracies_l1: FloatArray, accuracies_l2: FloatArray) -> FloatArray:
    """Return the comprehension of each pair of accuracies."""
    return np.asarray(np.hypot(accuracies_l1, accuracies_l2) / math.sqrt(2))
