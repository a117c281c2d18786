"""What is a translation worth? GOOD, BAD, MISS or AMBIGUOUS, and which sense a BAD one took."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, Literal

from benchmarks.benchmark import Item, Outcome
from benchmarks.dibimt.matching import (
    Match,
    Pattern,
    SurfaceSearch,
    Translation,
    analyse,
    find_in_text,
    find_in_units,
    make_pattern,
)
from benchmarks.dibimt.notation import parse_entry
from benchmarks.dibimt.senses import polysemy_degree, sense_index, wrong_sense
from languages.lemmatisation import Lemmatiser
from languages.normalisation import fold

Verdict = Literal["GOOD", "BAD", "MISS", "AMBIGUOUS"]


@dataclass(frozen=True, slots=True)
class Found:
    """An entry of an answer set that the translation holds."""

    entry: Mapping[str, Any]
    match: Match

    def as_json(self) -> dict[str, Any]:
        """Return the entry and how it matched, in JSON values."""
        names = ("lemma", "synsets", "origin")
        return {**{name: self.entry[name] for name in names}, **asdict(self.match)}


class Judge:
    """Judges translations with one lemmatiser and one way of matching."""

    def __init__(
        self,
        lemmatiser: Lemmatiser,
        match_pos: bool = False,
        surface: SurfaceSearch = "bounded",
        ambiguous: Literal["apart", "good", "bad"] = "apart",
    ) -> None:
        """Bind the settings."""
        self.lemmatiser = lemmatiser
        self.version = " ".join(
            f"{name}={version}" for name, version in sorted(lemmatiser.versions().items())
        )
        self._surface = surface
        self._ambiguous = ambiguous
        self._pattern = lru_cache(maxsize=100_000)(
            lambda text, pos, language: make_pattern(
                parse_entry(text, pos), language, lemmatiser, match_pos
            )
        )

    def judge(self, item: Item, text: str) -> Outcome:
        """Decide what one translation is worth; only GOOD and BAD have a value.

        Source: Campolungo et al. 2022 (DiBiMT), analysis of the translations; the class AMBIGUOUS
        is ours: the paper does not say what becomes of a translation that holds both.
        """
        good, bad = self._find(item, text)
        verdict = self._verdict(bool(good), bool(bad))
        matched = {"GOOD": good, "BAD": bad}.get(verdict, [])
        detail = {
            "class": verdict,
            "stage": next((found.match.stage for found in [*good, *bad]), None),
            "matched": matched[0].as_json() if matched else None,
            "good": [found.entry["lemma"] for found in good],
            "bad": [found.entry["lemma"] for found in bad],
            "translation": text,
            "copied": copied(item, text) if verdict == "MISS" else None,
            "lemmatiser": self.version,
            **sense_detail(item, matched[0].entry["synsets"] if verdict == "BAD" else None),
        }
        return Outcome({"GOOD": 1.0, "BAD": 0.0}.get(verdict), detail=detail)

    def _find(self, item: Item, text: str) -> tuple[list[Found], list[Found]]:
        """Return good and bad entries found in tokens and words, in the bare text if none was."""
        translation = analyse(text, item.language, self.lemmatiser)
        entries = [*item.fields["good"], *item.fields["bad"]]
        patterns = [self._pattern(entry["lemma"], item.subset, item.language) for entry in entries]
        matches = [find_in_units(pattern, translation) for pattern in patterns]
        if not any(matches):
            matches = [self._find_in_text(pattern, translation) for pattern in patterns]
        n_good = len(item.fields["good"])
        found = list(zip(entries, matches, strict=True))
        return _kept(found[:n_good]), _kept(found[n_good:])

    def _find_in_text(self, pattern: Pattern, translation: Translation) -> Match | None:
        return find_in_text(pattern, translation, self._surface)

    def _verdict(self, is_good: bool, is_bad: bool) -> Verdict:
        if is_good and is_bad:
            both: dict[str, Verdict] = {"apart": "AMBIGUOUS", "good": "GOOD", "bad": "BAD"}
            return both[self._ambiguous]
        if is_good:
            return "GOOD"
        return "BAD" if is_bad else "MISS"


def sense_detail(item: Item, lexicalised: Sequence[str] | None) -> dict[str, Any]:
    """Return μ and δ of an item and, for a wrong lemma's synsets, the sense it took.

    Args:
        item: With its word's senses.
        lexicalised: The synsets of the bad lemma that matched; None if none did.
    """
    senses, synset = item.fields["senses"], item.fields["synset"]
    wrong = None if lexicalised is None else wrong_sense(senses, synset, lexicalised)
    return {
        "synset": synset,
        "mu": sense_index(senses, synset),
        "delta": polysemy_degree(senses),
        "wrong_sense": wrong,
        "wrong_mu": None if wrong is None else sense_index(senses, wrong),
    }


def copied(item: Item, text: str) -> Literal["sentence", "word"] | None:
    """Return whether a translation repeats the English sentence, or its target word."""
    sentence, answer = (
        fold(part, casefold=True).split() for part in (item.fields["sentence"], text)
    )
    if sentence == answer:
        return "sentence"
    word = fold(item.fields["word"], casefold=True).split()
    bare = [part.strip(".,;:!?\"'()«»„“”—-") for part in answer]
    starts = range(len(bare) - len(word) + 1)
    return "word" if any(bare[start : start + len(word)] == word for start in starts) else None


def _kept(found: Sequence[tuple[Mapping[str, Any], Match | None]]) -> list[Found]:
    return [Found(entry, match) for entry, match in found if match is not None]
