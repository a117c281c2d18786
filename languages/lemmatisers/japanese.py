"""Japanese words by SudachiPy, cut short (mode A) as Universal Dependencies cut them."""

from collections.abc import Iterator
from functools import cache

from sudachipy import Dictionary, Morpheme, SplitMode, Tokenizer

from languages.tokens import TokenLemmas

_MAX_CHARACTERS = 10_000
"""SudachiPy refuses a text of 49,150 bytes or more, so a longer one is cut in pieces."""

_UPOS = {
    "名詞": "NOUN",
    "代名詞": "PRON",
    "動詞": "VERB",
    "形容詞": "ADJ",
    "形状詞": "ADJ",
    "副詞": "ADV",
    "連体詞": "DET",
    "接続詞": "CCONJ",
    "感動詞": "INTJ",
    "助動詞": "AUX",
    "助詞": "ADP",
    "接頭辞": "NOUN",
    "接尾辞": "NOUN",
}
_NOT_WORDS = frozenset({"補助記号", "空白", "記号"})


@cache
def _tokenizer() -> Tokenizer:
    return Dictionary().tokenizer(SplitMode.A)


def morphemes(text: str) -> Iterator[tuple[int, int, Morpheme]]:
    """Yield every morpheme of a text with its half-open character range, punctuation included."""
    for offset in range(0, len(text), _MAX_CHARACTERS):
        for found in _tokenizer().tokenize(text[offset : offset + _MAX_CHARACTERS]):
            yield offset + found.begin(), offset + found.end(), found


def lemmas(text: str) -> list[TokenLemmas]:
    """Return each word with its dictionary form, then its normalised spelling."""
    return [
        TokenLemmas(
            morpheme.surface(),
            tuple(dict.fromkeys((morpheme.dictionary_form(), morpheme.normalized_form()))),
            start,
            end,
            _upos(morpheme.part_of_speech()),
        )
        for start, end, morpheme in morphemes(text)
        if morpheme.part_of_speech()[0] not in _NOT_WORDS
    ]


def _upos(tags: tuple[str, ...]) -> str:
    if tags[1] == "固有名詞":
        return "PROPN"
    if tags[1] == "数詞":
        return "NUM"
    return _UPOS.get(tags[0], "X")
