"""What is a generating model asked for the relatedness of two sentences? Ours, versioned."""

from collections.abc import Mapping
from typing import Final

from benchmarks.prompt_file import TemplateFields, read_embedded
from benchmarks.requests import Message

VERSION = "semrel-rating-1"

DEFAULT_STYLE: Final = "number"
STYLES: Mapping[str, str] = {
    "number": (
        "How related in meaning are these two sentences, from 0 (completely unrelated) to 1 "
        "(maximally related)? Answer with one number only.\n1: {s1}\n2: {s2}"
    ),
    "scale": (
        "Sentence 1: {s1}\nSentence 2: {s2}\nHow close are these sentences in meaning? Give a "
        "decimal number between 0 and 1, where 0 means that they have nothing to do with each "
        "other and 1 that they could not be more related. Write only the number."
    ),
}
TEMPLATE_FIELDS: Mapping[str, TemplateFields] = {
    "rating": TemplateFields(frozenset({"s1", "s2"})),
}
"""What a user's own prompt file holds."""


def styles(prompt_file: str) -> Mapping[str, str]:
    """Return every template there is, the embedded prompt file's as `file`."""
    own = read_embedded(prompt_file)
    return {**STYLES, "file": own["rating"]} if own else STYLES


def rating_messages(template: str, text_a: str, text_b: str) -> tuple[Message, ...]:
    """Return the one user message that asks for a number."""
    return (Message(role="user", content=template.format(s1=text_a, s2=text_b)),)
