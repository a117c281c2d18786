"""What does an answer say? Two readings of a generated text, and what a letter accepts.

`released` is the authors' code: strip, then the exact label. `paper` is the paper's
post-processing: case and punctuation do not matter, and "A and B" or "both" counts as C.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from itertools import takewhile

from benchmarks.stingray.prompts import SEMANTIC_LABELS

SIDES = ("L1", "L2")

_FILLERS = frozenset({"answer", "is", "my", "the", "option", "sentence", "correct", "would", "be"})
"""Words that may come before a label: "The correct answer is: B"."""

_JOINERS = frozenset({"and", "or", "to"})

_ACCEPTED_BY_LETTER: Mapping[str, tuple[str, ...]] = {"A": ("L1",), "B": ("L2",), "C": SIDES}

Parser = Callable[[str, tuple[str, ...]], str | None]


def parse_released(text: str, labels: tuple[str, ...]) -> str | None:
    """Return the label that the stripped text is, or None."""
    stripped = text.strip()
    return stripped if stripped in labels else None


def parse_paper(text: str, labels: tuple[str, ...]) -> str | None:
    """Return the label that a freely worded answer begins with, or None.

    An answer that names several labels is none ("Yes or no", "A, B, or C"), but for A together with
    B, which is C.
    """
    words = _words(text)
    while words and words[0] in _FILLERS:
        words = words[1:]
    if labels == SEMANTIC_LABELS and words[:1] == ["both"]:
        return "C"
    by_word = {label.casefold(): label for label in labels}
    opening = list(takewhile(lambda word: word in by_word or word in _JOINERS, words))
    named = {by_word[word] for word in opening if word in by_word}
    joiners = _JOINERS.intersection(opening)
    is_all = opening == words
    if named == {"A", "B"} and (joiners == {"and"} or (not joiners and is_all)):
        return "C"
    if not named or (joiners and (is_all or len(named) > 1)) or (is_all and len(named) > 1):
        return None
    return by_word.get(opening[0])


PARSERS: Mapping[str, Parser] = {"released": parse_released, "paper": parse_paper}


def accepts(letter: str | None, side: str) -> bool:
    """Say whether an answer A, B or C (with L1 at A) accepts the sentence of one side."""
    return letter is not None and side in _ACCEPTED_BY_LETTER[letter]


def side_verdicts(predicted: str | None, gold: str) -> dict[str, float]:
    """Return by side whether its sentence is accepted exactly when the gold accepts it.

    An answer that could not be read is wrong on both sides.
    """
    if predicted is None:
        return dict.fromkeys(SIDES, 0.0)
    return {side: float(accepts(predicted, side) == accepts(gold, side)) for side in SIDES}


def chance_side_verdicts(gold: str) -> dict[str, float]:
    """Return what a uniform guess among A, B and C would get on each side, on average."""
    by_letter = [side_verdicts(letter, gold) for letter in SEMANTIC_LABELS]
    return {side: sum(verdicts[side] for verdicts in by_letter) / 3 for side in SIDES}


def swapped(letter: str) -> str:
    """Return the letter after the sentences at A and B have changed places."""
    return {"A": "B", "B": "A"}.get(letter, letter)


def _words(text: str) -> list[str]:
    """Return the words of the first line that has any, folded."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("&", " and ")
    lines = (re.findall(r"[^\W_]+", line) for line in folded.splitlines())
    return next((words for words in lines if words), [])
