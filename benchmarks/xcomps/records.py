"""What does one record say, in whichever of the three schemas it is written?

XCOMPS has `acceptable_sent` and `unacceptable_sent`; COMPS has a prefix for each and a property
phrase; a third schema has COMPS's columns plus `sentence_good` and `sentence_bad`, which win.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.errors import DataError

NEGATIVE_TYPES = ("taxonomic", "overlap", "co-occurrence", "random")

SENTENCE_COLUMNS = (
    ("sentence_good", "sentence_bad"),
    ("acceptable_sent", "unacceptable_sent"),
)
COMPS_COLUMNS = ("prefix_acceptable", "prefix_unacceptable", "property_phrase")
CONCEPT_COLUMNS = ("acceptable_concept", "unacceptable_concept")

Record = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence that is true of its concept, and one that is not."""

    id: str
    sentences: tuple[str, str]
    """Acceptable, unacceptable."""
    negative_type: str
    property_name: str | None
    concepts: tuple[str, str] | None
    prefixes: tuple[str, str] | None
    phrase: str | None
    """COMPS: what both sentences say of their concept; None where the sentences are others."""

    @property
    def is_identical(self) -> bool:
        """Whether the two sentences are one: such a pair has no right answer."""
        return self.sentences[0] == self.sentences[1]


def read_pair(record: Record, index: str, place: str) -> Pair:
    """Check one record.

    Args:
        record: One of the three schemas.
        index: Its key or position; the id where the record has none of its own.
        place: Where it stands, for messages.

    Raises:
        DataError: A column is missing or blank, or holds a value that is not allowed.
    """
    prefixes, phrase = _comps_parts(record, place)
    sentences = _sentences(record, prefixes, phrase, place)
    if not _is_made_of(sentences, prefixes, phrase):
        prefixes = phrase = None
    negative_type = _text(record, "negative_sample_type", place).casefold()
    if negative_type not in NEGATIVE_TYPES:
        found = record["negative_sample_type"]
        allowed = ", ".join(NEGATIVE_TYPES)
        raise DataError(f"{place}: negative_sample_type is {found!r}; allowed: {allowed}")
    has_concepts = all(_is_given(record, column) for column in CONCEPT_COLUMNS)
    return Pair(
        id=_id(record, index, place),
        sentences=sentences,
        negative_type=negative_type,
        property_name=_text(record, "property", place) if _is_given(record, "property") else None,
        concepts=_texts(record, CONCEPT_COLUMNS, place) if has_concepts else None,
        prefixes=prefixes,
        phrase=phrase,
    )


def _comps_parts(record: Record, place: str) -> tuple[tuple[str, str] | None, str | None]:
    if not any(column in record for column in COMPS_COLUMNS):
        return None, None
    has_sentences = any(set(columns) <= set(record) for columns in SENTENCE_COLUMNS)
    if has_sentences and not all(_is_given(record, column) for column in COMPS_COLUMNS):
        return None, None
    return _texts(record, COMPS_COLUMNS[:2], place), _text(record, COMPS_COLUMNS[2], place)


def _sentences(
    record: Record, prefixes: tuple[str, str] | None, phrase: str | None, place: str
) -> tuple[str, str]:
    for columns in SENTENCE_COLUMNS:
        if any(column in record for column in columns):
            return _texts(record, columns, place)
    if prefixes is None or phrase is None:
        raise DataError(
            f"{place}: needs acceptable_sent and unacceptable_sent, or {', '.join(COMPS_COLUMNS)}"
        )
    return f"{prefixes[0]} {phrase}", f"{prefixes[1]} {phrase}"


def _is_made_of(
    sentences: tuple[str, str], prefixes: tuple[str, str] | None, phrase: str | None
) -> bool:
    """Say whether prefix and phrase make up the sentences; where they do not, the sentences win."""
    if prefixes is None or phrase is None:
        return False
    made = (prefix + phrase for prefix in prefixes)
    return all(
        _unspaced(text) == _unspaced(sentence)
        for text, sentence in zip(made, sentences, strict=True)
    )


def _unspaced(text: str) -> str:
    return "".join(text.split())


def _id(record: Record, index: str, place: str) -> str:
    """Return COMPS's id; XCOMPS numbers its records by their index."""
    is_numbered = "acceptable_sent" in record or "id" not in record
    value = index if is_numbered else record["id"]
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise DataError(f"{place}: id is {value!r}; a number or a text is needed")
    text = str(value).strip()
    if not text or "/" in text:
        raise DataError(f"{place}: id is {value!r}; it may be neither blank nor hold a slash")
    return text


def _texts(record: Record, columns: tuple[str, ...], place: str) -> tuple[str, str]:
    return _text(record, columns[0], place), _text(record, columns[1], place)


def _text(record: Record, column: str, place: str) -> str:
    if column not in record:
        raise DataError(f"{place}: column {column!r} is missing")
    value = record[column]
    if not isinstance(value, str) or not value.strip():
        raise DataError(f"{place}: {column} is {value!r}; a text is needed")
    if "\x00" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise DataError(f"{place}: {column} holds a character that is no text (NUL or surrogate)")
    return value.strip()


def _is_given(record: Record, column: str) -> bool:
    value = record.get(column)
    return isinstance(value, str) and bool(value.strip())
