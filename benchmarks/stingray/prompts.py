"""How is an item asked? Named styles of the two prompts.

Source: Cahyawijaya et al. 2024 (arXiv:2410.21573); `released` is the wording of the authors' code
with its typo, `paper` the example printed in the paper.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.prompt_file import TemplateFields, read_embedded

PROMPT_VERSION = "1"

SEMANTIC_LABELS = ("A", "B", "C")
USAGE_LABELS = ("Yes", "No")

ANSWER_CUE = "\nAnswer:"
"""Stands between a prompt and the label whose likelihood is taken."""

LANGUAGE_NAMES: Mapping[str, str] = {
    "de": "German",
    "en": "English",
    "id": "Indonesian",
    "ja": "Japanese",
    "ms": "Malay",
    "tl": "Tagalog",
    "zh": "Chinese",
}


@dataclass(frozen=True, slots=True)
class Style:
    """The templates of both tasks, and what generation needs to hear besides."""

    semantic: str
    usage: str
    semantic_limit: str = ""
    usage_limit: str = ""


STYLES: Mapping[str, Style] = {
    "released": Style(
        semantic=(
            "Which sentence is more semantically appropriate? Please limit you answer to A, B, or"
            " C.\nA.{l1}\nB.{l2}\nC.Both."
        ),
        usage=(
            "Is the usage of {word} in this sentence correct? Please limit your answer to Yes or"
            " No.\n{sentence}"
        ),
    ),
    "paper": Style(
        semantic=(
            "Which sentence is more semantically appropriate?\n"
            'A. "{l1}" ({language1})\nB. "{l2}" ({language2})\n'
            'C. "Both sentences are appropriate."'
        ),
        usage=(
            'Is the usage of "{word}" in this sentence correct?\n"{sentence}" ({language})'
        ),
        semantic_limit="\nPlease limit your answer to A, B, or C.",
        usage_limit="\nPlease limit your answer to Yes or No.",
    ),
}  # fmt: skip

TEMPLATE_FIELDS: Mapping[str, TemplateFields] = {
    "semantic": TemplateFields(frozenset({"l1", "l2"}), frozenset({"language1", "language2"})),
    "usage": TemplateFields(frozenset({"sentence"}), frozenset({"word", "language"})),
}
"""What a user's own prompt file holds."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and the name of its language."""

    text: str
    language: str


def styles(prompt_file: str) -> Mapping[str, Style]:
    """Return every style there is, the embedded prompt file's as `file`."""
    own = read_embedded(prompt_file)
    return {**STYLES, "file": Style(own["semantic"], own["usage"])} if own else STYLES


def semantic_prompt(style: Style, at_a: Sentence, at_b: Sentence, *, is_generated: bool) -> str:
    """Return the question which of two sentences is appropriate."""
    prompt = style.semantic.format(
        l1=at_a.text, l2=at_b.text, language1=at_a.language, language2=at_b.language
    )
    return prompt.strip() + (style.semantic_limit if is_generated else "")


def usage_prompt(style: Style, word: str, sentence: Sentence, *, is_generated: bool) -> str:
    """Return the question whether a word is used correctly in one sentence."""
    prompt = style.usage.format(word=word, sentence=sentence.text, language=sentence.language)
    return prompt.strip() + (style.usage_limit if is_generated else "")
