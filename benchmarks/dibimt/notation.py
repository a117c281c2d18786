"""What an entry of an answer set may look like: words, wildcards, and the annotators' brackets.

`*` standing alone is the wildcard token: any number of tokens, none included. Annotators write
`[candidate|Px]` for a candidate of another part of speech than the item's, or of several words;
x is n, v, a, r (noun, verb, adjective, adverb), or x itself where any part of speech will do.
"""

import re
from dataclasses import dataclass

from languages.normalisation import fold

WILDCARD = "*"

_WORDS = r"(?:\*\s+)*(?:[^\[\]|\s*]|\*[^\[\]|\s])[^\[\]|]*"
"""At least one word that is no wildcard; no brackets."""
ENTRY_PATTERN = rf"^\s*(?:{_WORDS}|\[\s*{_WORDS}\|\s*[Pp][nvarxNVARX]\s*\])\s*$"
"""What `parse_entry` reads, for the JSON schema."""

_BRACKETS = re.compile(r"\[\s*(?P<text>[^\[\]|]*?)\s*\|\s*[Pp](?P<letter>[nvarxNVARX])\s*\]")
_UPOS: dict[str, frozenset[str] | None] = {
    "n": frozenset({"NOUN", "PROPN"}),
    "v": frozenset({"VERB", "AUX"}),
    "a": frozenset({"ADJ"}),
    "r": frozenset({"ADV"}),
    "x": None,
}
_LETTER = {"NOUN": "n", "VERB": "v"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One lemma of an answer set, read."""

    pieces: tuple[str, ...]
    """Text between wildcards, in order, each of one or more words; never empty."""
    upos: frozenset[str] | None
    """The parts of speech it may have in a translation; None: any."""


def parse_entry(text: str, pos: str) -> Entry:
    """Read one entry of an answer set.

    Args:
        text: As in the data.
        pos: The item's part of speech, which holds unless brackets say otherwise.

    Raises:
        ValueError: Broken brackets, or nothing but wildcards.
    """
    letter = _LETTER[pos]
    plain = text.strip()
    if any(character in plain for character in "[]|"):
        found = _BRACKETS.fullmatch(plain)
        if found is None:
            raise ValueError(f"{text!r} is no entry; in brackets only [candidate|Px] is allowed")
        plain, letter = found["text"], found["letter"].lower()
    pieces: list[list[str]] = [[]]
    for word in plain.split():
        if word == WILDCARD:
            pieces.append([])
        else:
            pieces[-1].append(word)
    kept = tuple(" ".join(words) for words in pieces if words)
    if not kept:
        raise ValueError(f"{text!r} has no word to look for")
    return Entry(kept, _UPOS[letter])


def entry_key(text: str, pos: str) -> str:
    """Return what two spellings of one entry have in common: brackets and case do not matter.

    Raises:
        ValueError: As `parse_entry`.
    """
    return fold(" * ".join(parse_entry(text, pos).pieces), casefold=True)
