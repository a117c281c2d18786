"""Lemmas from simplemma's word lists.

A word is looked up as it stands and in lower case, since it may only be capitalised at the start
of a sentence while German nouns must keep theirs. Known errors of the lists: Italian goccio →
gocciare, sparo → sparare; German Schuss → Schuß. So match on the surface or any lemma, folded.
"""

from functools import lru_cache

import simplemma
from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

from languages.tokenisation import words
from languages.tokens import TokenLemmas

_ARMENIAN_MARKS = str.maketrans(dict.fromkeys("\u055b\u055c\u055e"))


def has(language: str) -> bool:
    """Return whether simplemma has a word list for the language."""
    return language in SUPPORTED_LANGUAGES


@lru_cache(maxsize=200_000)
def _look_up(surface: str, language: str) -> tuple[str, ...]:
    plain = surface.translate(_ARMENIAN_MARKS)
    forms = (simplemma.lemmatize(form, lang=language) for form in (plain, plain.lower()))
    return tuple(dict.fromkeys(forms))


def lemmas(text: str, language: str) -> list[TokenLemmas]:
    """Return each word with the lemmas of its spelling and of its lower-case spelling."""
    return [
        TokenLemmas(word.surface, _look_up(word.surface, language), word.start, word.end)
        for word in words(text, language)
    ]
