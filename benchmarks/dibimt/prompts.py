"""How a model is given the sentence whose translation it scores; our own words, versioned.

The paper gives translation models the source alone. A decoder needs to be told what to do with it.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from benchmarks import translation_prompts
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
    ),
    "translation": translation_prompts.FIELDS,
}
"""What a user's own prompt file may hold: a template for one task, or for both."""


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


TRANSLATIONS: Mapping[str, str] = {
    "source": translation_prompts.PLAIN,
    "instruction": translation_prompts.SHORT,
}
"""How a generating model is asked for a translation, in each style."""


def styles(prompt_file: str) -> Mapping[str, Style]:
    """Return every style of `model_errors`, the embedded prompt file's as `file` if it has one."""
    own = read_embedded(prompt_file).get("model_errors")
    return STYLES if own is None else {**STYLES, "file": Style(own, " ")}


def translation_templates(prompt_file: str) -> Mapping[str, str]:
    """Return every template of `translate`, the embedded prompt file's as `file` if it has one."""
    own = read_embedded(prompt_file).get("translation")
    return TRANSLATIONS if own is None else {**TRANSLATIONS, "file": own}


def asked_styles(found: Collection[str], prompt_style: str) -> tuple[str, ...]:
    """Return the styles that a run asks one task in, the headline's first.

    Args:
        found: Every style that the task has, the default one first.
        prompt_style: The run's; `file` without a template for the task: none.
    """
    if prompt_style == "all":
        return tuple(found)
    return (prompt_style,) if prompt_style in found else ()


def error_prompt(style: Style, sentence: str, language: str) -> str:
    """Return the context after which a translation is scored."""
    name = LANGUAGE_NAMES.get(language, language)
    return style.template.format(sentence=sentence, language=name)
