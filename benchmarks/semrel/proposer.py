"""Which sentences could make a pair worth annotating? Pairs from near to far, by several methods.

Random sentences are hardly ever related, so pairs are proposed in ways that reach every degree.

Source: Ousidhoum et al. 2024 (arXiv:2402.08638), section 3.2.
"""

import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

Method = Literal["overlap", "tf-idf", "contiguity", "random"]

N_BINS = 5
"""Proposals are spread evenly over so many equal parts of [0, 1]."""
MAX_PARTNERS = 50
"""Sentences that are compared with one sentence, those with its rarest words first."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """How many words a sentence may have."""

    least: int = 5
    most: int = 25

    def hold(self, text: str) -> bool:
        """Return whether a sentence is neither too short nor too long."""
        return self.least <= len(text.split()) <= self.most


@dataclass(frozen=True, slots=True)
class Proposal:
    """Two sentences and why they were put together."""

    text_a: str
    text_b: str
    method: str
    value: float | None
    """The overlap or similarity in [0, 1]; None where the method has none."""


def propose_pairs(
    sentences: Sequence[str], method: Method, n: int, seed: int, lengths: Lengths | None = None
) -> list[Proposal]:
    """Propose at most n pairs of different sentences of a corpus.

    overlap: Dice of the words; tf-idf: cosine of TF-IDF vectors, so that rare words count more;
    both spread evenly over the degrees above 0 that occur. contiguity: a sentence and the next one.
    random: any two.

    Args:
        sentences: In the order of the text; an empty one ends a document.
        method: How pairs are found.
        n: How many at most.
        seed: Where drawing starts.
        lengths: Words a sentence may have.
    """
    limits = lengths or Lengths()
    generator = random.Random(f"{seed}:{method}")
    if method == "contiguity":
        found = list(_neighbours(sentences, limits))
        return generator.sample(found, min(n, len(found)))
    kept = list(dict.fromkeys(text for text in sentences if limits.hold(text)))
    if method == "random":
        return _random_pairs(kept, n, generator)
    measure = _dice if method == "overlap" else _tf_idf_cosine(kept)
    candidates = _candidates(kept, generator)
    proposals = [Proposal(a, b, method, measure(a, b)) for a, b in candidates]
    return spread_evenly(proposals, n, generator)


def without_repetitions(proposals: Iterable[Proposal]) -> list[Proposal]:
    """Return the proposals whose two sentences, in whichever order, were not proposed before."""
    found: dict[frozenset[str], Proposal] = {}
    for proposal in proposals:
        found.setdefault(frozenset((proposal.text_a, proposal.text_b)), proposal)
    return list(found.values())


def spread_evenly(
    proposals: Iterable[Proposal], n: int, generator: random.Random
) -> list[Proposal]:
    """Draw proposals so that every degree of relatedness is as frequent as the data allow."""
    bins: dict[int, list[Proposal]] = defaultdict(list)
    for proposal in proposals:
        bins[min(int((proposal.value or 0.0) * N_BINS), N_BINS - 1)].append(proposal)
    for members in bins.values():
        generator.shuffle(members)
    drawn: list[Proposal] = []
    while len(drawn) < n and any(bins.values()):
        for number in sorted(bins, reverse=True):
            if bins[number] and len(drawn) < n:
                drawn.append(bins[number].pop())
    return drawn


def _neighbours(sentences: Sequence[str], limits: Lengths) -> Iterator[Proposal]:
    for first, second in pairwise(sentences):
        if limits.hold(first) and limits.hold(second) and first != second:
            yield Proposal(first, second, "contiguity", None)


def _random_pairs(sentences: Sequence[str], n: int, generator: random.Random) -> list[Proposal]:
    size = len(sentences)
    n_possible = size * (size - 1) // 2
    found: dict[tuple[int, int], None] = {}
    while len(found) < min(n, n_possible):
        first, second = sorted(generator.sample(range(size), 2))
        found[first, second] = None
    return [Proposal(sentences[a], sentences[b], "random", None) for a, b in found]


def _candidates(sentences: Sequence[str], generator: random.Random) -> list[tuple[str, str]]:
    """Return pairs that share a word; each sentence with at most MAX_PARTNERS later ones."""
    holders: dict[str, list[int]] = defaultdict(list)
    for number, text in enumerate(sentences):
        for word in set(text.split()):
            holders[word].append(number)
    pairs = []
    for number, text in enumerate(sentences):
        partners: dict[int, None] = {}
        for word in sorted(set(text.split()), key=lambda word: (len(holders[word]), word)):
            later = [other for other in holders[word] if other > number]
            partners |= dict.fromkeys(generator.sample(later, min(len(later), MAX_PARTNERS)))
            if len(partners) >= MAX_PARTNERS:
                break
        pairs += [(text, sentences[other]) for other in list(partners)[:MAX_PARTNERS]]
    return pairs


def _dice(text_a: str, text_b: str) -> float:
    words_a, words_b = set(text_a.split()), set(text_b.split())
    return 2 * len(words_a & words_b) / (len(words_a) + len(words_b))


def _tf_idf_cosine(sentences: Sequence[str]) -> Callable[[str, str], float]:
    """Return the cosine of TF-IDF vectors with idf = ln(N / df) + 1."""
    n_holding = Counter(word for text in sentences for word in set(text.split()))
    idf = {word: math.log(len(sentences) / count) + 1 for word, count in n_holding.items()}

    def weights(text: str) -> Mapping[str, float]:
        return {word: count * idf[word] for word, count in Counter(text.split()).items()}

    def cosine(text_a: str, text_b: str) -> float:
        one, other = weights(text_a), weights(text_b)
        product = math.fsum(value * other.get(word, 0.0) for word, value in one.items())
        norms = math.hypot(*one.values()) * math.hypot(*other.values())
        return min(1.0, product / norms)

    return cosine
