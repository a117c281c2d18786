"""Cut a text into words, keeping their places.

Chinese and Japanese write no spaces: jieba and SudachiPy cut them. Every other language is cut by
a regular expression over letters, digits and marks.
"""

import re
import sys
import unicodedata
from dataclasses import dataclass
from functools import cache

_ELIDING = frozenset({"it", "fr", "ca"})
"""Languages in which an apostrophe ends a word (`l'acqua` is two)."""

_INSIDE = "\u200c\u200d\u00b7\u055b\u055c\u055e"
"""ZWNJ, ZWJ, the Catalan dot, and the Armenian marks that stand over a vowel."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word and the half-open character range it takes up in its text."""

    surface: str
    start: int
    end: int


def words(text: str, language: str) -> list[Word]:
    """Return the words of a text in order, without punctuation.

    Args:
        text: Any text.
        language: ISO 639-1 or -3; an unknown one is cut by the regular expression.
    """
    if language in {"zh", "ja"}:
        return [Word(text[a:b], a, b) for a, b in _spans(text, language) if _has_letter(text[a:b])]
    return [Word(m.group(), *m.span()) for m in _word_pattern(language in _ELIDING).finditer(text)]


def _spans(text: str, language: str) -> list[tuple[int, int]]:
    if language == "zh":
        from languages.lemmatisers import chinese

        return chinese.spans(text)
    from languages.lemmatisers import japanese

    return [(start, end) for start, end, _ in japanese.morphemes(text)]


def _has_letter(text: str) -> bool:
    return any(unicodedata.category(character)[0] in "LN" for character in text)


@cache
def _word_pattern(is_eliding: bool) -> re.Pattern[str]:
    """Return letters, digits and marks, joined by apostrophes and hyphens between them."""
    piece = rf"[^\W_](?:[^\W_]|[{_marks()}{_INSIDE}])*"
    joiner = "[-\u2010]" if is_eliding else "['\u2019\u02bc-]"
    return re.compile(rf"{piece}(?:{joiner}{piece})*")


@cache
def _marks() -> str:
    """Return every combining mark as regular-expression ranges: word characters lack them."""
    codes = [
        code
        for code in range(0x300, sys.maxunicode >> 3)
        if unicodedata.category(chr(code)).startswith("M")
    ]
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and code == ranges[-1][1] + 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)
