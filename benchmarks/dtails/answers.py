"""Read a model's answer: what stands between triple back ticks, held against the variations."""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Indel

from benchmarks.dtails.prompts import MARK
from benchmarks.dtails.variations import forms_of

MIN_SIMILARITY = 0.7
_AROUND = " \t\r\n\"'“”„‘’«»「」*.,;:!?。、"


@dataclass(frozen=True, slots=True)
class Reading:
    """What an answer was taken to say."""

    is_marked: bool
    """Whether the answer stands between marks as asked; if not, it is asked once more."""
    variation: str | None = None
    """None where no variation is near enough."""
    similarity: float | None = None
    """Of the variation that comes nearest, in [0, 1]."""


def similarity(text: str, other: str) -> float:
    """Return the normalised indel similarity 2·LCS/(len + len), in [0, 1]; two empty texts: 1.

    It is computed from integers, so that equal fractions are equal and 7/10 is exactly 0.7. It is
    not 1 - edit distance / longer length, which decides otherwise near the threshold.

    Source: what python-Levenshtein calls `ratio`, in Barua et al. 2024 (DTAiLS), released code.
    """
    n_characters = len(text) + len(other)
    if n_characters == 0:
        return 1.0
    return (n_characters - Indel.distance(text, other)) / n_characters


def marked_text(answer: str) -> str | None:
    """Return what stands between the only two marks; None for another number, or just "answer"."""
    if len(re.findall(MARK, answer)) != 2:
        return None
    between = answer.split(MARK)[1]
    return None if between.strip() == "answer" else between


def read_released(answer: str, variations: Sequence[str]) -> Reading:
    """Return the variation with the most similar form; on ties the first of those shown.

    Source: Barua et al. 2024 (DTAiLS), released evaluation code.
    """
    between = marked_text(answer)
    if between is None:
        return Reading(is_marked=False)
    given = [part.strip() for part in _without_word(between).split("/")]
    best, nearest = "", -1.0
    for variation in variations:
        forms = (form.strip() for form in variation.split("/"))
        found = max(similarity(part, form) for form in forms for part in given)
        if found > nearest:
            best, nearest = variation, found
    return Reading(True, best if nearest >= MIN_SIMILARITY else None, nearest)


def read_strict(answer: str, variations: Sequence[str]) -> Reading:
    """Return the variation of which the answer is a form, or the whole; nothing is merely near.

    The word "answer", quotation marks and punctuation around the answer are dropped; case and
    spelling must agree.
    """
    between = marked_text(answer)
    if between is None:
        return Reading(is_marked=False)
    given = unicodedata.normalize("NFC", _without_word(between)).strip(_AROUND)
    for variation in variations:
        whole = unicodedata.normalize("NFC", variation)
        if given == whole or given in forms_of(whole):
            return Reading(True, variation, 1.0)
    return Reading(is_marked=True)


def _without_word(between: str) -> str:
    """Return an answer without the word that the prompt's pattern shows in its place."""
    return between.replace("answer", "")


PARSERS: Mapping[str, Callable[[str, Sequence[str]], Reading]] = {
    "released": read_released,
    "strict": read_strict,
}
