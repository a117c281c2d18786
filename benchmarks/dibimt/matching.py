"""Where does a translation hold a lexicalisation? Tokens, then words, then the bare string.

Both sides go through the same lemmatiser and are folded (NFC, ß, ё, case, ZWNJ); a token and a
word of an entry are equal if a surface or *any* lemma of one is a surface or lemma of the other.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from benchmarks.dibimt.notation import Entry
from languages.lemmatisation import Lemmatiser
from languages.normalisation import fold
from languages.tokens import TokenLemmas

Stage = Literal["token", "word", "surface"]
SurfaceSearch = Literal["bounded", "substring", "off"]

Segment = tuple[frozenset[str], ...]
"""Words that follow each other, each by its folded forms."""

UNSPACED_LANGUAGES = frozenset({"zh", "ja", "th", "lo", "km", "my"})
"""Written without spaces between words: there a string has no boundary to stand on."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A token, or one of the words a token stands for, by all its folded forms."""

    forms: frozenset[str]
    upos: str | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Translation:
    """A translation, analysed once for all entries."""

    text: str
    folded: str
    language: str
    tokens: tuple[Unit, ...]
    words: tuple[Unit, ...]
    """With contractions taken apart; empty where there are none."""


@dataclass(frozen=True, slots=True)
class Match:
    """How an entry was found."""

    stage: Stage
    text: str
    start: int | None = None
    """0-based characters in the translation; None for a bare string, found in folded text."""
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Pattern:
    """An entry made ready for one language."""

    readings: tuple[tuple[Segment, ...], ...]
    """Ways to cut the entry: segments between wildcards, each a run of words by their forms."""
    strings: tuple[str, ...]
    """The same segments as folded strings."""
    upos: frozenset[str] | None
    """The part of speech a matched unit must have; None: any."""


def analyse(text: str, language: str, lemmatiser: Lemmatiser) -> Translation:
    """Return the translation's tokens and words with their folded forms.

    Raises:
        BackendUnavailableError: The lemmatiser has no models for the language.
    """
    tokens = lemmatiser.lemmas(text, language)
    words = [word for token in tokens for word in (token.words or (token,))]
    is_contracted = any(token.words for token in tokens)
    return Translation(
        text,
        fold(text, casefold=True),
        language,
        tuple(map(_unit, tokens)),
        tuple(map(_unit, words)) if is_contracted else (),
    )


def make_pattern(entry: Entry, language: str, lemmatiser: Lemmatiser, match_pos: bool) -> Pattern:
    """Run an entry through the lemmatiser that translations go through.

    Alone, an entry may be cut otherwise than in a sentence (Chinese), so it counts uncut too.
    """
    strings = tuple(fold(piece, casefold=True) for piece in entry.pieces)
    cut = tuple(_segment(piece, language, lemmatiser) for piece in entry.pieces)
    whole = tuple(tuple(frozenset({word}) for word in string.split()) for string in strings)
    readings = (cut,) if whole == cut else (cut, whole)
    return Pattern(readings, strings, entry.upos if match_pos else None)


def find_in_units(pattern: Pattern, translation: Translation) -> Match | None:
    """Return the first place where tokens, or else words, are the entry's."""
    stages: tuple[tuple[Stage, tuple[Unit, ...]], ...] = (
        ("token", translation.tokens),
        ("word", translation.words),
    )
    for stage, units in stages:
        for segments in pattern.readings:
            span = _find_segments(segments, pattern.upos, units)
            if span is not None:
                start, end = units[span[0]].start, units[span[1]].end
                return Match(stage, translation.text[start:end], start, end)
    return None


def find_in_text(pattern: Pattern, translation: Translation, search: SurfaceSearch) -> Match | None:
    """Return where the entry's strings stand in the folded text, in order.

    A string has no part of speech: an entry that has one, and whose words were found as tokens of
    another, was judged before and is not found again.

    Args:
        pattern: The entry.
        translation: The translation.
        search: `bounded`: not inside a longer word, where the language writes spaces;
            `substring`: anywhere; `off`: nowhere.
    """
    if search == "off" or _is_of_another_pos(pattern, translation):
        return None
    is_bounded = search == "bounded" and translation.language not in UNSPACED_LANGUAGES
    at, first = 0, None
    for string in pattern.strings:
        hit = _string_pattern(string, is_bounded).search(translation.folded, at)
        if hit is None:
            return None
        first, at = (hit.start() if first is None else first), hit.end()
    return Match("surface", translation.folded[first:at])


def _is_of_another_pos(pattern: Pattern, translation: Translation) -> bool:
    if pattern.upos is None:
        return False
    return find_in_units(replace(pattern, upos=None), translation) is not None


def _unit(token: TokenLemmas) -> Unit:
    forms = (fold(form, casefold=True) for form in (token.surface, *token.lemmas))
    return Unit(frozenset(forms), token.upos, token.start, token.end)


def _segment(piece: str, language: str, lemmatiser: Lemmatiser) -> Segment:
    units = tuple(_unit(token).forms for token in lemmatiser.lemmas(piece, language))
    return units or (frozenset({fold(piece, casefold=True)}),)


def _find_segments(
    segments: Sequence[Segment], upos: frozenset[str] | None, units: Sequence[Unit]
) -> tuple[int, int] | None:
    """Return the first and last unit; leftmost placing suffices, since gaps may be of any length.

    With a part of speech, one of the matched units must have it, so every start is tried.
    """
    origin = 0
    while origin < len(units):
        at, matched = origin, list[int]()
        for segment in segments:
            found = _find_run(segment, units, at)
            if found is None:
                return None
            at = found + len(segment)
            matched += range(found, at)
        if upos is None or any(units[n].upos in upos for n in matched):
            return matched[0], matched[-1]
        origin = matched[0] + 1
    return None


def _find_run(segment: Segment, units: Sequence[Unit], at: int) -> int | None:
    for start in range(at, len(units) - len(segment) + 1):
        run = units[start : start + len(segment)]
        if all(forms & unit.forms for forms, unit in zip(segment, run, strict=True)):
            return start
    return None


@cache
def _string_pattern(string: str, is_bounded: bool) -> re.Pattern[str]:
    body = r"\s+".join(re.escape(word) for word in string.split())
    return re.compile(rf"(?<!\w){body}(?!\w)" if is_bounded else body)
