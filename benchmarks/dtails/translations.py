"""Find a variation in a translation: exactly, or else by its most similar word or lemma."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.dtails.answers import MIN_SIMILARITY, similarity
from benchmarks.dtails.variations import forms_of
from languages.normalisation import fold
from languages.tokenisation import words
from languages.tokens import TokenLemmas


@dataclass(frozen=True, slots=True)
class Match:
    """Which variation a translation uses, and how that was seen."""

    variation: str | None
    step: str
    """exact, similar, or none."""
    similarity: float | None = None


def find_exact(lowered: str, variations: Sequence[str]) -> str | None:
    """Return the first variation a form of which stands anywhere, even inside a word.

    Args:
        lowered: The translation in lower case.
        variations: In the order of the data.

    Source: Barua et al. 2024 (DTAiLS), released code; so "ma" is found in "ouma".
    """
    for variation in variations:
        if any(form in lowered for form in variation.split("/")):
            return variation
    return None


def find_whole_words(translation: str, variations: Sequence[str], language: str) -> str | None:
    """Return the variation whose longest form stands between word boundaries; first wins ties."""
    text = fold(translation, casefold=True)
    found = words(text, language)
    starts, ends = {word.start for word in found}, {word.end for word in found}
    candidates = [
        (fold(form, casefold=True), variation)
        for variation in variations
        for form in forms_of(variation)
    ]
    for form, variation in sorted(candidates, key=lambda pair: -len(pair[0])):
        for start in _occurrences(form, text):
            if start in starts and start + len(form) in ends:
                return variation
    return None


def _occurrences(part: str, text: str) -> Iterator[int]:
    start = text.find(part)
    while part and start >= 0:
        yield start
        start = text.find(part, start + 1)


def find_similar(tokens: Sequence[TokenLemmas], variations: Sequence[str]) -> Match:
    """Return the variation with the form most similar to any word or lemma; first wins ties."""
    spellings = {
        spelling.lower()
        for token in tokens
        for word in (token, *token.words)
        for spelling in (word.surface, *word.lemmas)
    }
    best, nearest = "", 0.0
    for variation in variations:
        forms = variation.split("/")
        found = max((similarity(word, form) for form in forms for word in spellings), default=0.0)
        if found > nearest:
            best, nearest = variation, found
    if nearest < MIN_SIMILARITY:
        return Match(None, "none", nearest)
    return Match(best, "similar", nearest)


def match_translation(
    translation: str,
    variations: Sequence[str],
    language: str,
    lemmas: Callable[[str, str], Sequence[TokenLemmas]],
) -> Mapping[str, Match]:
    """Return what the matchers `released` and `strict` find in one translation.

    Args:
        translation: As the system gave it.
        variations: In the order of the data.
        language: The language of the translation.
        lemmas: From a text and its language to its tokens; asked only where a search failed.
    """
    lowered = translation.lower()
    exact = {
        "released": find_exact(lowered, variations),
        "strict": find_whole_words(translation, variations, language),
    }
    if all(found is not None for found in exact.values()):
        return {name: Match(found, "exact") for name, found in exact.items()}
    similar = find_similar(lemmas(lowered, language), variations)
    return {
        name: similar if found is None else Match(found, "exact") for name, found in exact.items()
    }
