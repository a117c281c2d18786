"""Align words by a multilingual encoder's hidden states, as AWESOME does without fine-tuning.

Source: Dou & Neubig 2021 (AWESOME, arXiv:2101.08231): softmax of dot products of layer 8 of
multilingual BERT in both directions, threshold 0.001, intersection, sub-words to words.
"""

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from languages.alignment_ibm1 import Links
from languages.tokenisation import Word

LAYER = 8
THRESHOLD = 0.001

States = NDArray[np.floating]
"""Shape (n_tokens, width): one row a sub-word, special tokens included."""


def align_awesome(
    source: States,
    target: States,
    source_words: Sequence[int | None],
    target_words: Sequence[int | None],
    threshold: float = THRESHOLD,
) -> Links:
    """Return the word pairs of which any pair of sub-words likes each other in both directions.

    Args:
        source: Hidden states of the source sentence, encoded on its own.
        target: Those of its translation.
        source_words: The word each row belongs to; None for special tokens and padding.
        target_words: The same for the target.
        threshold: What both softmaxes must exceed.

    Raises:
        ValueError: The number of rows and of words differ.
    """
    if len(source) != len(source_words) or len(target) != len(target_words):
        raise ValueError(
            f"{len(source)} and {len(target)} rows for"
            f" {len(source_words)} and {len(target_words)} tokens"
        )
    source_rows = [row for row, word in enumerate(source_words) if word is not None]
    target_rows = [row for row, word in enumerate(target_words) if word is not None]
    if not source_rows or not target_rows:
        return []
    products = source[source_rows].astype(np.float64) @ target[target_rows].astype(np.float64).T
    is_kept = (_softmax(products, 1) > threshold) & (_softmax(products, 0) > threshold)
    found: set[tuple[int, int]] = set()
    for row, column in np.argwhere(is_kept):
        one, other = source_words[source_rows[row]], target_words[target_rows[column]]
        if one is not None and other is not None:
            found.add((one, other))
    return sorted(found)


def words_of_tokens(offsets: Sequence[tuple[int, int]], words: Sequence[Word]) -> list[int | None]:
    """Return the word each token lies in, by character ranges; None for those in none.

    Args:
        offsets: Half-open character ranges of a tokenizer; special tokens are empty ranges.
        words: The words of the same text, in order.
    """
    starts = [word.start for word in words]
    found: list[int | None] = []
    for start, end in offsets:
        # The first word that ends behind the token's start: words do not overlap.
        after = bisect_right(starts, start) - 1
        number = after if after >= 0 and words[after].end > start else after + 1
        is_inside = number < len(words) and words[number].start < end
        found.append(number if is_inside and start < end else None)
    return found


def _softmax(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    shifted = np.exp(values - values.max(axis=axis, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=axis, keepdims=True))
