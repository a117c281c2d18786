"""Which sentences does one probe see, with which labels, folds and hidden states?"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.benchmark import Case
from benchmarks.errors import ReplayError
from benchmarks.responses import Response, TensorResponse
from benchmarks.xcomps.asking import SENTENCE_PARTS
from benchmarks.xcomps.folds import property_folds, sentence_folds
from benchmarks.xcomps.rows import BoolArray, IntArray
from benchmarks.xcomps.tensors import TensorReader, Tensors
from benchmarks.xcomps.words import WordCounts, word_counts

BOTH = (0, 1)
"""The acceptable sentence of a pair and the unacceptable one."""

Answered = tuple[Case, Mapping[str, Response]]


@dataclass(frozen=True, slots=True)
class Look:
    """What the first look at a sentence's hidden states shows."""

    place: TensorResponse
    shape: tuple[int, ...]
    dtype: np.dtype[np.floating]


@dataclass(frozen=True, slots=True)
class Pair:
    """A case whose hidden states can be read."""

    case: Case
    good: Look
    bad: Look


@dataclass(frozen=True, slots=True)
class ProbeSet:
    """The sentences of one language and negative type: n good ones, then n bad ones."""

    cases: Sequence[Case]
    tensors: Tensors
    """Those of a repeated sentence once."""
    tensor_of: IntArray
    """Shape (n_sentences,): which of the tensors is each sentence's."""
    sentences: Sequence[str]
    labels: BoolArray
    folds: Mapping[str, IntArray | None]
    """By name: `sentence`, `group`."""
    control_labels: BoolArray
    words: WordCounts

    @property
    def n_layers(self) -> int:
        """How many layers there are, the embeddings included."""
        return self.tensors.n_layers

    @property
    def title(self) -> str:
        """Return the language and, where there is one, the negative type."""
        item = self.cases[0].item
        return f"{item.language} {item.subset}" if item.subset else item.language

    def places(self, number: int) -> tuple[int, int]:
        """Return where the two sentences of a pair stand."""
        return number, number + len(self.cases)

    def repeated(self) -> list[bool]:
        """Say of each sentence whether it stands there more than once."""
        counts = Counter(self.sentences)
        return [counts[sentence] > 1 for sentence in self.sentences]

    def two_labelled(self) -> list[bool]:
        """Say of each sentence whether it is good in one pair and bad in another."""
        n = len(self.cases)
        both = set(self.sentences[:n]) & set(self.sentences[n:])
        return [sentence in both for sentence in self.sentences]


def by_probe(answered: Iterable[Answered]) -> dict[tuple[str, str | None], list[Answered]]:
    """Part the cases by language and negative type; those without responses are passed over."""
    found: dict[tuple[str, str | None], list[Answered]] = {}
    for case, responses in answered:
        if all(part in responses for part in SENTENCE_PARTS):
            key = (case.item.language, case.item.subset)
            found.setdefault(key, []).append((case, responses))
    return found


def find_pairs(
    of_probe: Sequence[Answered], read_tensor: TensorReader
) -> tuple[list[Pair], list[tuple[Case, str]]]:
    """Look at the states of every pair once, to know which can be read; none are kept.

    Returns:
        The pairs that can be read, and the others with the reason.
    """
    seen: dict[TensorResponse, Look] = {}
    readable, refused = [], []
    for case, responses in of_probe:
        try:
            good, bad = (_look(responses[part], seen, read_tensor) for part in SENTENCE_PARTS)
        except ReplayError as error:
            refused.append((case, str(error)))
        else:
            readable.append(Pair(case, good, bad))
    return readable, refused


def probe_set(pairs: Sequence[Pair], seed: int, read_tensor: TensorReader) -> ProbeSet:
    """Put together what one probe sees.

    Args:
        pairs: At least one.
        seed: Of folds and control labels.
        read_tensor: How a tensor is read from where it rests.

    Raises:
        ReplayError: The states of two sentences do not have one shape.
    """
    cases = [pair.case for pair in pairs]
    tensors, tensor_of = _tensors(pairs, read_tensor)
    sentences = [str(case.item.fields["sentences"][at]) for at in BOTH for case in cases]
    properties = [str(case.item.fields["property"]) for _ in BOTH for case in cases]
    labels = np.arange(len(sentences)) < len(cases)
    return ProbeSet(
        cases=cases,
        tensors=tensors,
        tensor_of=tensor_of,
        sentences=sentences,
        labels=labels,
        folds={
            "sentence": sentence_folds(labels, seed),
            "group": property_folds(labels, properties, seed),
        },
        control_labels=control_labels(cases, seed),
        words=word_counts(sentences, cases[0].item.language),
    )


def control_labels(cases: Sequence[Case], seed: int) -> BoolArray:
    """Return one random label a concept; a sentence where no concept is named."""
    named = [
        str((case.item.fields["concepts"] or case.item.fields["sentences"])[at])
        for at in BOTH
        for case in cases
    ]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(named))}
    drawn = np.random.default_rng(seed).integers(2, size=len(numbers)).astype(np.bool_)
    return np.array([drawn[numbers[name]] for name in named])


def _tensors(pairs: Sequence[Pair], read_tensor: TensorReader) -> tuple[Tensors, IntArray]:
    """Return where all states rest, each place once, and which of them is each sentence's."""
    looks = [pair.good for pair in pairs] + [pair.bad for pair in pairs]
    shapes = sorted({look.shape for look in looks})
    if len(shapes) > 1:
        raise ReplayError(f"hidden states of shapes {shapes[0]} and {shapes[1]} in one run")
    n_layers, width = shapes[0]
    dtype = np.result_type(*{look.dtype for look in looks})
    numbers = {place: at for at, place in enumerate(dict.fromkeys(look.place for look in looks))}
    tensors = Tensors(tuple(numbers), read_tensor, n_layers, width, dtype)
    return tensors, np.array([numbers[look.place] for look in looks])


def _look(response: Response, seen: dict[TensorResponse, Look], read_tensor: TensorReader) -> Look:
    if not isinstance(response, TensorResponse):
        raise ReplayError(f"a {type(response).__name__} holds no hidden states")
    if response not in seen:
        states = read_tensor(response)
        seen[response] = Look(response, states.shape, states.dtype)
    return seen[response]
