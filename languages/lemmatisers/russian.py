"""Russian lemmas by pymorphy3: every parse of a word, the likeliest first."""

from functools import cache, lru_cache

import pymorphy3

from languages.tokenisation import words
from languages.tokens import TokenLemmas

_UPOS = {
    "NOUN": "NOUN",
    "ADJF": "ADJ",
    "ADJS": "ADJ",
    "COMP": "ADJ",
    "VERB": "VERB",
    "INFN": "VERB",
    "PRTF": "VERB",
    "PRTS": "VERB",
    "GRND": "VERB",
    "NUMR": "NUM",
    "ADVB": "ADV",
    "NPRO": "PRON",
    "PREP": "ADP",
    "CONJ": "CCONJ",
    "PRCL": "PART",
    "INTJ": "INTJ",
}


@cache
def _morphology() -> pymorphy3.MorphAnalyzer:
    return pymorphy3.MorphAnalyzer(lang="ru")


@lru_cache(maxsize=100_000)
def _parses(surface: str) -> tuple[tuple[str, ...], str]:
    parses = _morphology().parse(surface)
    return (
        tuple(dict.fromkeys(parse.normal_form for parse in parses)),
        _UPOS.get(str(parses[0].tag.POS), "X"),
    )


def lemmas(text: str) -> list[TokenLemmas]:
    """Return each word with the normal forms of all its parses."""
    found = []
    for word in words(text, "ru"):
        normal_forms, upos = _parses(word.surface)
        found.append(TokenLemmas(word.surface, normal_forms, word.start, word.end, upos))
    return found
