"""What does one row of StingrayBench say, and is it as the authors lay it out?"""

from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.errors import DataError
from benchmarks.stingray.prompts import SEMANTIC_LABELS, USAGE_LABELS

LABEL = "semantic_appropriate_label"
COLUMNS = (
    "word",
    "lang1_sentence",
    "lang2_sentence",
    "lang_en_sentence",
    "language_flag",
    "meaning_l1",
    "meaning_l2",
    LABEL,
    "semantic_appropriate_answer",
    "usage_correctness_lang1_answer",
    "usage_correctness_lang2_answer",
)
NEEDED_TEXTS = ("word", "lang1_sentence", "lang2_sentence")
"""Columns that may not be blank; the other texts are only read by `check`."""

LETTER_BY_ANSWER: Mapping[str, str] = {
    "a": "A", "l1": "A", "b": "B", "l2": "B",
    "c": "C", "both": "C", "l1 and l2": "C", "l1,l2": "C", "l1, l2": "C", "l1/l2": "C",
}  # fmt: skip
"""The authors' code compares the answer with L1, another harness reads it as a letter."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row, checked."""

    word: str
    sentences: tuple[str, str]
    gold: str
    """A, B or C."""
    usage: tuple[str, str]
    """Yes or No for the sentence of L1 and of L2."""
    sense: str
    """L1 or L2: whose sense a false friend's row holds; empty where a cognate's row says none."""
    meanings: tuple[str, str]
    place: str
    """`file, line 3`: where it stands."""
    line: int
    """1-based."""


def read_row(cells: Mapping[str, object], place: str, line: int, *, is_cognate: bool) -> Row:
    """Check one row.

    Raises:
        DataError: A column is missing or blank, or holds a value that is not allowed.
    """
    for column in COLUMNS:
        if column not in cells:
            raise DataError(f"{place}: column {column!r} is missing")
    texts = {name: _text(cells, name, place) for name in COLUMNS if name != LABEL}
    for name in NEEDED_TEXTS:
        if not texts[name]:
            raise DataError(f"{place}: {name} is blank")
    return Row(
        word=texts["word"],
        sentences=(texts["lang1_sentence"], texts["lang2_sentence"]),
        gold=_gold(cells[LABEL], texts["semantic_appropriate_answer"], place),
        usage=(
            _usage(texts, "usage_correctness_lang1_answer", place),
            _usage(texts, "usage_correctness_lang2_answer", place),
        ),
        sense=_sense(texts["language_flag"], place, is_cognate=is_cognate),
        meanings=(texts["meaning_l1"], texts["meaning_l2"]),
        place=place,
        line=line,
    )


def cognate_words(word: str) -> tuple[str, str]:
    """Return the words of L1 and L2 of a cognate's row ("l1word,l2word").

    Raises:
        ValueError: There are not two of them.
    """
    words = [part.strip() for part in word.replace("，", ",").split(",")]
    if len(words) != 2 or not all(words):
        raise ValueError(f"word {word!r} of a true cognate; needed: 'l1word,l2word'")
    return words[0], words[1]


def _text(cells: Mapping[str, object], name: str, place: str) -> str:
    value = cells[name]
    if value is None:
        return ""
    if not isinstance(value, str):
        raise DataError(f"{place}: {name} is {value!r}; a text is needed")
    if "\x00" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise DataError(f"{place}: {name} holds a character that is no text (NUL or surrogate)")
    return value.strip()


def _gold(label: object, answer: str, place: str) -> str:
    """Return the letter of the label column, checked against the answer column."""
    is_whole = isinstance(label, int) and not isinstance(label, bool)
    number = str(label).strip() if is_whole or isinstance(label, str) else ""
    if number not in ("0", "1", "2"):
        raise DataError(f"{place}: {LABEL} is {label!r}; allowed: 0, 1, 2")
    letter = SEMANTIC_LABELS[int(number)]
    said = LETTER_BY_ANSWER.get(answer.casefold().rstrip("."))
    if said is None:
        raise DataError(
            f"{place}: semantic_appropriate_answer is {answer!r}; allowed: L1, L2, Both, A, B, C"
        )
    if said != letter:
        raise DataError(
            f"{place}: {LABEL} {number} means {letter},"
            f" but semantic_appropriate_answer is {answer!r}, which means {said}"
        )
    return letter


def _usage(texts: Mapping[str, str], name: str, place: str) -> str:
    for label in USAGE_LABELS:
        if texts[name].casefold() == label.casefold():
            return label
    raise DataError(f"{place}: {name} is {texts[name]!r}; allowed: Yes, No")


def _sense(flag: str, place: str, *, is_cognate: bool) -> str:
    upper = flag.upper()
    if upper in ("L1", "L2"):
        return upper
    if is_cognate:
        return ""
    raise DataError(f"{place}: language_flag is {flag!r}; allowed: L1, L2")
