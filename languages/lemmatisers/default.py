"""The lemmatiser that needs no downloads: one small library a language.

jieba for Chinese, SudachiPy for Japanese, pymorphy3 for Russian (every parse), simplemma's word
lists where it has the language; elsewhere (Afrikaans, Tamil, Telugu, …) a word is its own lemma.
"""

from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import version

from languages.tokenisation import words
from languages.tokens import TokenLemmas

_LIBRARIES = ("simplemma", "jieba", "sudachipy", "sudachidict-core", "pymorphy3")


class DefaultLemmatiser:
    """Several lemmas where a word is ambiguous; parts of speech for Japanese and Russian."""

    name = "default"

    def lemmas(self, text: str, language: str) -> list[TokenLemmas]:
        """Return the tokens of a text in order, without punctuation."""
        return _analyser(language)(text)

    def versions(self) -> Mapping[str, str]:
        """Return the libraries' versions, for a run's manifest."""
        return {"lemmatiser": "default-1", **{name: version(name) for name in _LIBRARIES}}


@cache
def _analyser(language: str) -> Callable[[str], list[TokenLemmas]]:
    match language:
        case "ja":
            from languages.lemmatisers import japanese

            return japanese.lemmas
        case "ru":
            from languages.lemmatisers import russian

            return russian.lemmas
        case "zh":
            return lambda text: _identity(text, "zh")
    from languages.lemmatisers import word_lists

    if word_lists.has(language):
        return lambda text: word_lists.lemmas(text, language)
    return lambda text: _identity(text, language)


def _identity(text: str, language: str) -> list[TokenLemmas]:
    return [
        TokenLemmas(word.surface, (word.surface,), word.start, word.end)
        for word in words(text, language)
    ]
