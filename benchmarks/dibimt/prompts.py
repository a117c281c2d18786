"""How a model is given the sentence whose translation it scores; our own words, versioned.

The paper gives translation models the source alone. A decoder needs to be told what to do with it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.prompt_file import TemplateFields, read_embedded

VERSION = "1"

LANGUAGE_NAMES = {
    "de": "German",
    "es": "Spanish",
    "it": "Italian",
    "ru": "Russian",
    "zh": "Chinese",
    "fr": "French",
    "ja": "Japanese",
    "nl": "Dutch",
    "pl": "Polish",
    "pt": "Portuguese",
}
"""In English; another language goes by its code."""

TEMPLATE_FIELDS = {
    "model_errors": TemplateFields(
        required=frozenset({"sentence"}), optional=frozenset({"language"})
    )
}


@dataclass(frozen=True, slots=True)
class Style:
    """One way to ask."""

    template: str
    joiner: str
    """What stands between the prompt and the translation."""


STYLES: Mapping[str, Style] = {
    "source": Style("{sentence}", ""),
    "instruction": Style(
        "Translate the sentence from English to {language}.\nEnglish: {sentence}\n{language}:", " "
    ),
}


def styles(prompt_file: str) -> Mapping[str, Style]:
    """Return every style there is, the embedded prompt file's as `file`."""
    own = read_embedded(prompt_file)
    return {**STYLES, "file": Style(own["model_errors"], " ")} if own else STYLES


def error_prompt(style: Style, sentence: str, language: str) -> str:
    """Return the context after which a translation is scored."""
    name = LANGUAGE_NAMES.get(language, language)
    return style.template.format(sentence=sentence, language=name)
