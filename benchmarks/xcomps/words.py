"""How much do the words alone say? Counts of words, as vectors for the same probe."""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.xcomps.languages import WITHOUT_SPACES

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def word_counts(sentences: Sequence[str], language: str) -> NDArray[np.float32]:
    """Return how often each word stands in each sentence; characters in Chinese and Japanese.

    Returns:
        Shape (n_sentences, n_words). A word that no training sentence has gets no weight.
    """
    bags = [Counter(_words(sentence, language)) for sentence in sentences]
    column = {word: number for number, word in enumerate(dict.fromkeys(w for b in bags for w in b))}
    counts = np.zeros((len(bags), max(1, len(column))), dtype=np.float32)
    for row, bag in enumerate(bags):
        for word, count in bag.items():
            counts[row, column[word]] = count
    return counts


def _words(sentence: str, language: str) -> list[str]:
    words = _WORD.findall(sentence.casefold())
    return list("".join(words)) if language in WITHOUT_SPACES else words
