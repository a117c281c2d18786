"""Which sentences does one probe see, with which labels, folds and hidden states?"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.benchmark import Case
from benchmarks.errors import ReplayError
from benchmarks.responses import Response, TensorResponse
from benchmarks.xcomps.asking import SENTENCE_PARTS
from benchmarks.xcomps.folds import property_folds, sentence_folds
from benchmarks.xcomps.tensors import States, TensorReader
from benchmarks.xcomps.words import word_counts

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.intp]

BOTH = (0, 1)
"""The acceptable sentence of a pair and the unacceptable one."""

Answered = tuple[Case, Mapping[str, Response]]


@dataclass(frozen=True, slots=True)
class ProbeSet:
    """The sentences of one language and negative type: n good ones, then n bad ones."""

    cases: Sequence[Case]
    states: Sequence[States]
    sentences: Sequence[str]
    labels: BoolArray
    folds: Mapping[str, IntArray | None]
    """By name: `sentence`, `group`."""
    control_labels: BoolArray
    words: NDArray[np.float32]

    @property
    def n_layers(self) -> int:
        """How many layers there are, the embeddings included."""
        return len(self.states[0])

    def places(self, number: int) -> tuple[int, int]:
        """Return where the two sentences of a pair stand."""
        return number, number + len(self.cases)

    def layer(self, number: int) -> NDArray[np.floating]:
        """Return the vectors of one layer, shape (n_sentences, width)."""
        return np.stack([states[number] for states in self.states])

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


def read_pairs(
    of_probe: Sequence[Answered], read_tensor: TensorReader
) -> tuple[list[tuple[Case, tuple[States, States]]], list[tuple[Case, str]]]:
    """Read the states of every pair, those of a repeated sentence once.

    Returns:
        The pairs that could be read, and the others with the reason.
    """
    by_place: dict[TensorResponse, States] = {}
    readable, refused = [], []
    for case, responses in of_probe:
        try:
            good, bad = (_read(responses[part], by_place, read_tensor) for part in SENTENCE_PARTS)
        except ReplayError as error:
            refused.append((case, str(error)))
        else:
            readable.append((case, (good, bad)))
    return readable, refused


def probe_set(pairs: Sequence[tuple[Case, tuple[States, States]]], seed: int) -> ProbeSet:
    """Put together what one probe sees.

    Args:
        pairs: At least one.
        seed: Of folds and control labels.

    Raises:
        ReplayError: The states of two sentences do not have one shape.
    """
    cases = [case for case, _ in pairs]
    states = [found[at] for at in BOTH for _, found in pairs]
    shapes = sorted({found.shape for found in states})
    if len(shapes) > 1:
        raise ReplayError(f"hidden states of shapes {shapes[0]} and {shapes[1]} in one run")
    sentences = [str(case.item.fields["sentences"][at]) for at in BOTH for case in cases]
    properties = [str(case.item.fields["property"]) for _ in BOTH for case in cases]
    labels = np.arange(len(sentences)) < len(cases)
    return ProbeSet(
        cases=cases,
        states=states,
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


def _read(
    response: Response, by_place: dict[TensorResponse, States], read_tensor: TensorReader
) -> States:
    if not isinstance(response, TensorResponse):
        raise ReplayError(f"a {type(response).__name__} holds no hidden states")
    if response not in by_place:
        by_place[response] = read_tensor(response)
    return by_place[response]
