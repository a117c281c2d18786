"""Find concepts that a language splits: words with several frequent and evenly used translations.

Source: Barua et al. 2024 (DTAiLS), appendix B.1. It differs in what is pluggable: lemmatiser and
aligner, and senses come from a file or WordNet's glosses, where the paper has EWISER.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from benchmarks.dtails.entropy import MIN_COUNT, MIN_ENTROPY, EntropyBase, entropy
from benchmarks.dtails.mining_corpus import LemmaPair
from languages.alignment_ibm1 import Links

ConceptKey = tuple[str, str]
"""A source lemma and its part of speech."""

SenseOf = Callable[[int, int], str | None]
"""From a pair's number and the place of a source word in it to the word's sense, if known."""

Reason = Literal["few_variations", "low_entropy", "polysemy"]


class MiningSettings(BaseModel):
    """The rules of the paper, each to be changed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    min_count: int = Field(default=MIN_COUNT, ge=1)
    """How often a variation must be seen."""
    min_variations: int = Field(default=2, ge=2)
    min_entropy: float = Field(default=MIN_ENTROPY, ge=0)
    entropy_base: EntropyBase = "e"


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A source word linked to a target word."""

    pair: int
    place: int
    """Of the source word among the pair's source words."""
    variation: str


@dataclass(frozen=True, slots=True)
class MinedConcept:
    """A concept that passed every rule."""

    lemma: str
    upos: str
    counts: Mapping[str, int]
    """By variation, the most frequent first."""
    occurrences: tuple[Occurrence, ...]
    entropy: float
    """In the base of the settings."""
    n_senses: int | None = None
    """Different senses seen; None without senses."""
    n_dropped: int = 0
    """Variations that were frequent enough only through other senses."""


@dataclass
class Mined:
    """The concepts of a corpus, the most frequent first, and why other candidates were not kept."""

    concepts: list[MinedConcept]
    n_pairs: int
    n_links: int
    rejected: Counter[Reason] = field(default_factory=Counter)
    """Candidates: words with a variation that is frequent enough."""


def link_occurrences(
    pairs: Sequence[LemmaPair], links: Sequence[Links]
) -> Iterator[tuple[ConceptKey, Occurrence]]:
    """Yield every link as an occurrence of its source word's concept."""
    for pair, linked in zip(pairs, links, strict=True):
        for source, target in linked:
            key = (pair.source[source], pair.source_upos[source])
            yield key, Occurrence(pair.number, source, pair.target[target])


def mine(
    pairs: Sequence[LemmaPair],
    links: Sequence[Links],
    settings: MiningSettings,
    sense_of: SenseOf | None = None,
) -> Mined:
    """Return the concepts of an aligned corpus.

    Args:
        pairs: The corpus in lemmas.
        links: Of each pair, in the same order.
        settings: The rules.
        sense_of: Where senses are known: then each concept keeps its most frequent sense only, and
            the rules are applied again to what is left.
    """
    counts = count_links(pairs, links)
    candidates = {
        key for key, found in counts.items() if any(n >= settings.min_count for n in found.values())
    }
    by_concept: dict[ConceptKey, list[Occurrence]] = {key: [] for key in candidates}
    for key, occurrence in link_occurrences(pairs, links):
        if key in candidates:
            by_concept[key].append(occurrence)
    mined = Mined([], len(pairs), sum(map(len, links)))
    for key, occurrences in by_concept.items():
        kept = _keep(key, occurrences, settings, sense_of)
        if isinstance(kept, MinedConcept):
            mined.concepts.append(kept)
        else:
            mined.rejected[kept] += 1
    mined.concepts.sort(key=lambda c: (-sum(c.counts.values()), c.lemma, c.upos))
    return mined


def count_links(
    pairs: Sequence[LemmaPair], links: Sequence[Links]
) -> dict[ConceptKey, Counter[str]]:
    """Return how often each source lemma with its part of speech is linked to each target lemma."""
    counts: dict[ConceptKey, Counter[str]] = {}
    for key, occurrence in link_occurrences(pairs, links):
        counts.setdefault(key, Counter())[occurrence.variation] += 1
    return counts


def _keep(
    key: ConceptKey,
    occurrences: Sequence[Occurrence],
    settings: MiningSettings,
    sense_of: SenseOf | None,
) -> MinedConcept | Reason:
    frequent = _frequent(occurrences, settings)
    reason = _rejection(frequent, settings)
    if reason is not None:
        return reason
    if sense_of is None:
        return _concept(key, occurrences, frequent, settings)
    senses = Counter(sense for o in occurrences if (sense := sense_of(o.pair, o.place)) is not None)
    if not senses:
        return _concept(key, occurrences, frequent, settings)
    main = max(senses, key=lambda sense: (senses[sense], sense))
    of_main = [o for o in occurrences if sense_of(o.pair, o.place) == main]
    left = _frequent(of_main, settings)
    if _rejection(left, settings) is not None:
        return "polysemy"
    return _concept(key, of_main, left, settings, len(senses), len(frequent) - len(left))


def _frequent(occurrences: Iterable[Occurrence], settings: MiningSettings) -> dict[str, int]:
    counts = Counter(occurrence.variation for occurrence in occurrences)
    kept = [(n, variation) for variation, n in counts.items() if n >= settings.min_count]
    return {variation: n for n, variation in sorted(kept, key=lambda pair: (-pair[0], pair[1]))}


def _rejection(frequent: Mapping[str, int], settings: MiningSettings) -> Reason | None:
    if len(frequent) < settings.min_variations:
        return "few_variations"
    if entropy(frequent.values(), settings.entropy_base) < settings.min_entropy:
        return "low_entropy"
    return None


def _concept(
    key: ConceptKey,
    occurrences: Sequence[Occurrence],
    counts: Mapping[str, int],
    settings: MiningSettings,
    *senses: int,
) -> MinedConcept:
    n_senses, n_dropped = senses or (None, 0)
    kept = tuple(o for o in occurrences if o.variation in counts)
    found = entropy(counts.values(), settings.entropy_base)
    return MinedConcept(*key, counts, kept, found, n_senses, n_dropped)
