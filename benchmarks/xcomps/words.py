"""How much do the words alone say? Counts of words, as vectors for the same probe."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from benchmarks.xcomps.languages import WITHOUT_SPACES

WordCounts = Any
"""A sparse matrix of scipy, of shape (n_sentences, n_words)."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def word_counts(sentences: Sequence[str], language: str) -> WordCounts:
    """Return how often each word stands in each sentence; characters in Chinese and Japanese.

    Returns:
        Sparse, of shape (n_sentences, n_words). A word that no training sentence has gets no
        weight.
    """
    bags = [Counter(_words(sentence, language)) for sentence in sentences]
    column = {word: number for number, word in enumerate(dict.fromkeys(w for b in bags for w in b))}
    counts = np.array([count for bag in bags for count in bag.values()], dtype=np.float64)
    columns = np.array([column[word] for bag in bags for word in bag], dtype=np.intp)
    ends = np.cumsum([0, *(len(bag) for bag in bags)])
    return csr_array((counts, columns, ends), shape=(len(bags), max(1, len(column))))


def _words(sentence: str, language: str) -> list[str]:
    words = _WORD.findall(sentence.casefold())
    return list("".join(words)) if language in WITHOUT_SPACES else words
