"""Draw a candidate test set from mined concepts, for annotators to confirm.

Source: Barua et al. 2024 (DTAiLS), appendix B.1.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from benchmarks.dtails.mining import MinedConcept


class TestSetSettings(BaseModel):
    """How a candidate test set is drawn."""

    __test__ = False  # pytest would take it for tests
    model_config = ConfigDict(frozen=True, extra="forbid")

    n_concepts: int = Field(default=20, ge=1)
    """Drawn of each language; with no more than these, all are kept and none is too uneven."""
    max_skew: float = Field(default=0.20, ge=0, le=1)
    """How far from 1/k a variation's share may be, where there are more concepts than wanted."""
    n_sentences: int = Field(default=10, ge=1)
    """Of each concept; more only where it has more variations than this."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence pair that may become a test row."""

    concept: str
    source: str
    target: str
    variations: tuple[str, ...]
    label: str


def is_even(counts: Mapping[str, int], max_skew: float) -> bool:
    """Return whether every variation's share lies within `max_skew` of 1/k."""
    total, even = sum(counts.values()), 1 / len(counts)
    return all(abs(count / total - even) <= max_skew + 1e-12 for count in counts.values())


def draw_concepts(
    concepts: Sequence[MinedConcept], settings: TestSetSettings, seed: int
) -> list[MinedConcept]:
    """Return all concepts, or a draw of the even ones where there are more than wanted."""
    if len(concepts) <= settings.n_concepts:
        return list(concepts)
    even = [concept for concept in concepts if is_even(concept.counts, settings.max_skew)]
    if len(even) <= settings.n_concepts:
        return even
    drawn = random.Random(f"{seed}:concepts").sample(range(len(even)), settings.n_concepts)
    return [even[number] for number in sorted(drawn)]


def draw_candidates(
    concepts: Sequence[MinedConcept],
    texts: Sequence[tuple[str, str]],
    settings: TestSetSettings,
    seed: int,
) -> list[Candidate]:
    """Draw sentences of each concept, every variation at least once.

    Args:
        concepts: Those that were drawn.
        texts: The corpus, by the number of a pair.
        settings: How many.
        seed: Where drawing starts.
    """
    found: list[Candidate] = []
    for concept in concepts:
        drawn = _draw_pairs(concept, texts, settings.n_sentences, seed)
        variations = tuple(sorted(concept.counts))
        for number, label in drawn:
            source, target = texts[number]
            found.append(Candidate(concept.lemma, source, target, variations, label))
    return found


def _draw_pairs(
    concept: MinedConcept, texts: Sequence[tuple[str, str]], n_sentences: int, seed: int
) -> list[tuple[int, str]]:
    """Return (pair, variation), one for each variation and then any; no sentence twice."""
    shuffled = sorted({(o.pair, o.variation) for o in concept.occurrences})
    random.Random(f"{seed}:{concept.lemma}:{concept.upos}").shuffle(shuffled)
    chosen: list[tuple[int, str]] = []
    seen: set[str] = set()

    def take(wanted: str | None, most: int) -> None:
        for number, variation in shuffled:
            if len(chosen) >= most:
                return
            if wanted in {None, variation} and texts[number][0] not in seen:
                seen.add(texts[number][0])
                chosen.append((number, variation))

    for variation in sorted(concept.counts):
        take(variation, len(chosen) + 1)
    take(None, max(n_sentences, len(chosen)))
    return sorted(chosen)
