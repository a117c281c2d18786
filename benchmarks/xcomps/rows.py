"""Which sentences have the same vector? A probe sees each vector once, with its counts of labels.

COMPS repeats sentences, and where every sentence ends with the same token all embeddings of the
last token are the same. Merging them changes no optimum and leaves smaller systems.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.xcomps.words import WordCounts

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]
Vectors = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Rows:
    """The distinct vectors, and where each sentence's vector stands among them."""

    vectors: Vectors | WordCounts
    """Shape (n_distinct, width)."""
    places: IntArray
    """Shape (n_sentences,)."""

    @property
    def n_vectors(self) -> int:
        """Return how many are distinct."""
        return int(self.vectors.shape[0])

    def count(self, sentences: BoolArray) -> FloatArray:
        """Return how many of the chosen sentences have each vector, shape (n_distinct,)."""
        counts = np.bincount(self.places[sentences], minlength=self.n_vectors)
        return counts.astype(np.float64)


def merge_rows(vectors: Vectors, places: IntArray | None = None) -> Rows:
    """Merge vectors that are the same bit by bit.

    Args:
        vectors: Shape (n, width).
        places: The vector of each sentence, where sentences share vectors already.
    """
    numbers: dict[bytes, int] = {}
    merged = np.array([numbers.setdefault(name, len(numbers)) for name in _digests(vectors)])
    of_sentence = merged if places is None else merged[places]
    if len(numbers) == len(vectors):
        return Rows(vectors, of_sentence)
    _, first = np.unique(merged, return_index=True)
    return Rows(vectors[first], of_sentence)


def _digests(vectors: Vectors) -> Iterable[bytes]:
    return (hashlib.blake2b(row.tobytes(), digest_size=16).digest() for row in vectors)
