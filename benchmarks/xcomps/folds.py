"""Which sentences are decided together, by a probe that has not seen them?

The paper's folds part sentences, so that pairs, concepts and properties leak from training to test;
folds by property do not leak.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

N_FOLDS = 5

IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]


def sentence_folds(labels: BoolArray, seed: int) -> IntArray | None:
    """Return the fold of each sentence, labels in proportion; None with too few of a label."""
    if min(labels.sum(), (~labels).sum()) < N_FOLDS:
        return None
    splitter = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
    return _numbered(splitter.split(np.zeros(len(labels)), labels), len(labels))


def property_folds(labels: BoolArray, properties: Sequence[str], seed: int) -> IntArray | None:
    """Return the fold of each sentence, properties whole; None with too few of them."""
    is_too_few = min(labels.sum(), (~labels).sum()) < N_FOLDS
    if is_too_few or len(set(properties)) < N_FOLDS:
        return None
    splitter = StratifiedGroupKFold(N_FOLDS, shuffle=True, random_state=seed)
    groups = np.array(properties)  # by name: the order of the rows moves no property
    return _numbered(splitter.split(np.zeros(len(labels)), labels, groups), len(labels))


def _numbered(splits: Iterable[tuple[IntArray, IntArray]], n_sentences: int) -> IntArray:
    folds = np.full(n_sentences, -1, dtype=np.intp)
    for number, (_, tested) in enumerate(splits):
        folds[tested] = number
    return folds
