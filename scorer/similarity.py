"""How alike two texts are, from the hidden states of their tokens."""

import numpy as np
from numpy.typing import NDArray

from scorer.errors import BackendError, NothingToScoreError

Vector = NDArray[np.float32]
"""Shape (width,)."""
Tokens = NDArray[np.float32]
"""Shape (n_tokens, width)."""


def cosine(one: Vector, other: Vector) -> float:
    """Return the cosine of two vectors, in [-1, 1].

    Raises:
        BackendError: A vector has no length.
    """
    lengths = float(np.linalg.norm(one)) * float(np.linalg.norm(other))
    if lengths == 0:
        raise BackendError("a text's vector is zero: it has no direction to compare")
    return float(np.clip(np.dot(one.astype(np.float64), other) / lengths, -1.0, 1.0))


def bertscore_f1(
    one: Tokens, other: Tokens, one_is_special: list[bool], other_is_special: list[bool]
) -> float:
    """Return BERTScore's F1 without idf weights and without rescaling.

    Special tokens weigh nothing in the averages, but a token may be matched with them.

    Raises:
        NothingToScoreError: A text has special tokens only.

    Source: Zhang et al. 2020 (arXiv:1904.09675), section 3.
    """
    alike = _unit(one) @ _unit(other).T
    precision = _mean_of_text(alike.max(axis=1), one_is_special)
    recall = _mean_of_text(alike.max(axis=0), other_is_special)
    return 2 * precision * recall / (precision + recall)


def _unit(tokens: Tokens) -> Tokens:
    lengths: Tokens = np.linalg.norm(tokens, axis=-1, keepdims=True)
    return tokens / lengths


def _mean_of_text(best: NDArray[np.float32], is_special: list[bool]) -> float:
    counts = ~np.array(is_special)
    if not counts.any():
        raise NothingToScoreError("a text without tokens of its own cannot be compared")
    return float(best[counts].mean())
