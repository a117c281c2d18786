"""Texts of items and answers, ready for a page: readable, with their language and direction."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# Browsers choose fonts and line breaks by ISO 639-1 where there is one.
SHORT_CODES = {
    "afr": "af", "amh": "am", "arb": "ar", "eng": "en", "esp": "es", "hau": "ha", "hin": "hi",
    "ind": "id", "kin": "rw", "mar": "mr", "pan": "pa", "tel": "te",
}  # fmt: skip
ENGLISH_FIELDS = {
    "dtails": {"source"},
    "dibimt": {"sentence", "word", "lemma", "synset", "senses"},
}
"""Fields in English, whatever the item's language."""
PAIR_BENCHMARK = "stingray"
"""Its lists hold the first language's text, then the second's; an item's language is `en_de`."""

_CODE = re.compile(r"^[a-z]{2,3}$")
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class Text:
    """One text with what a browser should know of it."""

    text: str
    language: str | None
    direction: str
    """`rtl` or `ltr`, by its first letter that has a direction."""


@dataclass(frozen=True)
class Field:
    """One field of an item; a list has several texts."""

    name: str
    texts: tuple[Text, ...]


def printable(text: str) -> str:
    """Return a text in which characters that no page may hold are shown by their number."""
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def direction(text: str) -> str:
    """Return `rtl` where the first letter of a text runs from right to left, else `ltr`."""
    for character in text:
        kind = unicodedata.bidirectional(character)
        if kind in {"R", "AL"}:
            return "rtl"
        if kind == "L":
            return "ltr"
    return "ltr"


def language_tag(code: str | None) -> str | None:
    """Return the tag for HTML's `lang`; None for what is no single language."""
    if code is None or not _CODE.match(code):
        return None
    return SHORT_CODES.get(code, code)


def text_of(text: str, language: str | None = None) -> Text:
    """Return a text ready for a page."""
    return Text(printable(text), language_tag(language), direction(text))


def item_fields(benchmark: str, language: str, fields: Mapping[str, Any]) -> list[Field]:
    """Return the fields of an item in their order; empty ones are left out."""
    return [
        Field(printable(name).replace("_", " "), texts)
        for name, value in fields.items()
        if (texts := tuple(_texts(benchmark, language, name, value)))
    ]


def first_text(benchmark: str, language: str, fields: Mapping[str, Any]) -> Text:
    """Return the longest of an item's texts: what tells it from others in a list."""
    texts = [
        text
        for name, value in fields.items()
        if isinstance(value, str) or _is_list_of_strings(value)
        for text in _texts(benchmark, language, name, value)
    ]
    return max(texts, key=lambda text: len(text.text), default=text_of(""))


def _texts(benchmark: str, language: str, name: str, value: Any) -> list[Text]:  # noqa: ANN401
    if value is None or value in ("", [], {}):
        return []
    values = value if isinstance(value, list) else [value]
    return [
        text_of(_words(each), _language_of(benchmark, language, name, position))
        for position, each in enumerate(values)
    ]


def _language_of(benchmark: str, language: str, name: str, position: int) -> str | None:
    if benchmark == PAIR_BENCHMARK:
        pair = language.split(":")[0].split("_")
        return pair[position] if len(pair) == 2 and position < 2 else None
    return "en" if name in ENGLISH_FIELDS.get(benchmark, ()) else language


def _is_list_of_strings(value: Any) -> bool:  # noqa: ANN401  # any JSON value
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _words(value: Any) -> str:  # noqa: ANN401  # any JSON value
    """Write a JSON value for people: no quotes, lists by commas, mappings by name and value."""
    match value:
        case str():
            return value
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.6g}"
        case Mapping():
            return ", ".join(f"{name}: {_words(each)}" for name, each in value.items())
        case Sequence():
            return "; ".join(_words(each) for each in value)
    return str(value)


def words(value: Any) -> str:  # noqa: ANN401  # any JSON value
    """Write a JSON value for people, ready for a page."""
    return printable(_words(value))
