"""Make items from sentences and an open wordnet, before annotators see them.

A candidate is a sentence with a sense-tagged word. Good lemmas are the lexicalisations of its sense
in the target language, bad ones those of the word's other senses.

Source: Campolungo et al. 2022 (DiBiMT), construction of the benchmark.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from benchmarks.dibimt.inventory import Inventories, Inventory
from benchmarks.dibimt.lines import parse_record, read_lines
from benchmarks.dibimt.records import Answers, ItemRecord, Lexicalisation, Pos, SensesRecord
from languages.normalisation import fold
from languages.wordnet import Senses, WordNet

MIN_SENSES = 3

Reason = Literal[
    "unknown word",
    "unknown sense",
    "fewer than 3 senses",
    "sense and source seen",
    "shared lexicalisation",
    "no lexicalisation",
    "idiom",
    "proper name",
    "insufficient context",
]


class Candidate(BaseModel):
    """A sentence that may become an item."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    id: str
    sentence: str
    word: str
    start: Annotated[int, Field(ge=0)]
    lemma: str
    pos: Pos
    synset: str
    source: str
    discard: Literal["idiom", "proper name", "insufficient context"] | None = None
    """Why a person does not want it."""
    tags: list[Literal["DISCUSS"]] = []


@dataclass(frozen=True)
class Built:
    """The items that were made, the senses they need, and why others were not."""

    items: tuple[ItemRecord, ...]
    senses: tuple[SensesRecord, ...]
    discarded: Mapping[str, Reason]
    """By candidate id."""

    @property
    def n_discarded(self) -> Mapping[str, int]:
        """How many were discarded, by reason."""
        return Counter(self.discarded.values())


def read_candidates(path: Path) -> list[Candidate]:
    """Read candidates from JSON lines.

    Raises:
        DataError: A line is not as the README says.
    """
    return [parse_record(Candidate, line, path, number) for number, line in read_lines(path)]


def build_items(
    candidates: Iterable[Candidate], english: WordNet, inventories: Inventories
) -> Built:
    """Make an item of every candidate that passes the filters, in their order.

    Filters: three senses at least; one sentence a sense and source, the first wins; and in no
    language may a lexicalisation of the sense lexicalise another sense of the English lemma.
    """
    items: list[ItemRecord] = []
    discarded: dict[str, Reason] = {}
    senses_by_word: dict[tuple[str, Pos], Senses] = {}
    seen: set[tuple[str, str, str, str]] = set()
    for candidate in candidates:
        senses = english.senses(candidate.lemma, candidate.pos)
        reason = _why_not(candidate, senses, inventories, seen)
        if reason is not None or senses is None:
            discarded[candidate.id] = reason or "unknown word"
            continue
        seen.add(_sense_and_source(candidate))
        senses_by_word[candidate.lemma, candidate.pos] = senses
        items.append(_item(candidate, senses.synsets, inventories))
    records = [
        SensesRecord(
            lemma=lemma,
            pos=pos,
            senses=list(senses.synsets),
            counts=None if senses.counts is None else list(senses.counts),
        )
        for (lemma, pos), senses in senses_by_word.items()
    ]
    return Built(tuple(items), tuple(records), discarded)


def prefill(synset: str, senses: Sequence[str], inventory: Inventory) -> Answers:
    """Return a language's answers as the wordnet gives them: good of the sense, bad of others."""
    good = _by_spelling(inventory.words(synset))
    others = [word for other in senses if other != synset for word in inventory.words(other)]
    bad = {key: word for key, word in _by_spelling(others).items() if key not in good}
    return Answers(good=_entries(good.values(), inventory), bad=_entries(bad.values(), inventory))


def _why_not(
    candidate: Candidate,
    senses: Senses | None,
    inventories: Inventories,
    seen: set[tuple[str, str, str, str]],
) -> Reason | None:
    if candidate.discard is not None:
        return candidate.discard
    if senses is None:
        return "unknown word"
    if candidate.synset not in senses.synsets:
        return "unknown sense"
    if senses.delta < MIN_SENSES:
        return "fewer than 3 senses"
    if _sense_and_source(candidate) in seen:
        return "sense and source seen"
    return _why_not_in(candidate.synset, senses.synsets, inventories)


def _why_not_in(synset: str, senses: Sequence[str], inventories: Inventories) -> Reason | None:
    others = set(senses) - {synset}
    words = {language: inventory.words(synset) for language, inventory in inventories.items()}
    if not all(words.values()):
        return "no lexicalisation"
    is_shared = any(
        others.intersection(inventories[language].synsets(word))
        for language, own in words.items()
        for word in own
    )
    return "shared lexicalisation" if is_shared else None


def _sense_and_source(candidate: Candidate) -> tuple[str, str, str, str]:
    return candidate.lemma, candidate.pos, candidate.synset, candidate.source


def _item(candidate: Candidate, senses: Sequence[str], inventories: Inventories) -> ItemRecord:
    fields = candidate.model_dump(exclude={"discard"})
    languages = {
        language: prefill(candidate.synset, senses, inventory)
        for language, inventory in inventories.items()
    }
    return ItemRecord(**fields, languages=languages)


def _by_spelling(words: Iterable[str]) -> dict[str, str]:
    """Return the words without those that are only spelt otherwise; the first stays."""
    found: dict[str, str] = {}
    for word in words:
        found.setdefault(fold(word, casefold=True), word)
    return found


def _entries(words: Iterable[str], inventory: Inventory) -> list[Lexicalisation]:
    return [Lexicalisation(lemma=word, synsets=inventory.synsets(word)) for word in words]
