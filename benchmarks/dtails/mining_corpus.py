"""A parallel corpus as mining needs it: lemmas of both sides, parts of speech of the source."""

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.dtails.names import SOURCE_CODE
from benchmarks.dtails.tables import read_text
from benchmarks.errors import DataError
from languages.alignment_ibm1 import Links, align_ibm1
from languages.lemmatisation import Lemmatiser
from languages.tokens import TokenLemmas

UNTAGGED = "X"
"""Universal part of speech of a word nobody tagged."""

TagWord = Callable[[str], str | None]
"""From a lemma to its part of speech where that is certain; for backends that do not tag."""


@dataclass(frozen=True, slots=True)
class LemmaPair:
    """A sentence pair in lemmas, in lower case."""

    number: int
    """0-based line in the corpus."""
    source: tuple[str, ...]
    source_upos: tuple[str, ...]
    target: tuple[str, ...]


def read_pairs(source: Path, target: Path) -> list[tuple[str, str]]:
    """Read two files with a sentence a line, line by line of each other's translation.

    Raises:
        DataError: One is missing, empty, or has another number of lines.
    """
    sides = [read_text(path).split("\n") for path in (source, target)]
    for lines in sides:
        if lines[-1] == "":
            lines.pop()
    if not sides[0]:
        raise DataError(f"{source}: empty")
    if len(sides[0]) != len(sides[1]):
        raise DataError(
            f"{target}: {len(sides[1])} lines, but {source} has {len(sides[0])};"
            " the lines must be translations of each other"
        )
    return [(one.strip(), other.strip()) for one, other in zip(*sides, strict=True)]


def lemmatise(
    pairs: Sequence[tuple[str, str]],
    language: str,
    lemmatiser: Lemmatiser,
    tag_word: TagWord = lambda lemma: None,
) -> Iterator[LemmaPair]:
    """Yield the lemmas of each pair; equal texts are kept once in memory.

    Args:
        pairs: English sentences and their translations.
        language: Of the translations.
        lemmatiser: For both sides.
        tag_word: Asked where the lemmatiser gives no part of speech.
    """
    same: dict[str, str] = {}
    for number, (source, target) in enumerate(pairs):
        tokens = lemmatiser.lemmas(source, SOURCE_CODE)
        lemmas = [_lemma(token, same) for token in tokens]
        tags = [
            token.upos or tag_word(lemma) or UNTAGGED
            for token, lemma in zip(tokens, lemmas, strict=True)
        ]
        translated = [_lemma(token, same) for token in lemmatiser.lemmas(target, language)]
        yield LemmaPair(
            number,
            tuple(lemmas),
            tuple(same.setdefault(tag, tag) for tag in tags),
            tuple(translated),
        )


def _lemma(token: TokenLemmas, same: dict[str, str]) -> str:
    lemma = unicodedata.normalize("NFC", token.lemmas[0]).lower()
    return same.setdefault(lemma, lemma)


def lemmas_by(lemmatiser: Lemmatiser, language: str) -> Callable[[str], set[str]]:
    """Return a function from a form to the lemmas of its words, as `lemmatise` spells them."""

    def lemmas_of(form: str) -> set[str]:
        return {_lemma(token, {}) for token in lemmatiser.lemmas(form, language)}

    return lemmas_of


def align_lemmas(pairs: Sequence[LemmaPair], n_iterations: int = 5) -> list[Links]:
    """Align the lemmas of a corpus without a model."""
    return align_ibm1([(pair.source, pair.target) for pair in pairs], n_iterations)
