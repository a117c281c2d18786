"""How a generating model is asked for a translation; the same words for every benchmark that does.

A template's `{source}` and `{language}` are filled in one pass.
"""

from collections.abc import Collection
from typing import Literal

from benchmarks.errors import SettingError
from benchmarks.prompt_file import TemplateFields
from benchmarks.requests import GenerateRequest, Message

VERSION = "1"
TASK = "translate"
TranslateBy = Literal["translation", "generation"]
"""Whether a translation system is asked, or a generating model with a prompt."""

PLAIN = (
    "Translate this sentence from English to {language}. Answer with the translation only.\n"
    "{source}"
)
SHORT = "English: {source}\n{language}:"
FIELDS = TemplateFields(frozenset({"source"}), frozenset({"language"}))
"""What the template `translation` of a user's own prompt file holds."""


def translation_request(
    key: str, template: str, source: str, language: str, max_new_tokens: int
) -> GenerateRequest:
    """Return the chat that asks for one translation.

    Args:
        key: Of the request.
        template: With `{source}`, and `{language}` where it names one.
        source: The English sentence.
        language: The target language's name.
        max_new_tokens: Where an answer is cut.
    """
    prompt = template.format(source=source, language=language)
    return GenerateRequest(
        key=key,
        messages=(Message(role="user", content=prompt),),
        max_new_tokens=max_new_tokens,
    )


def unused_style(style: str, translate_by: str, chosen: str, tasks: Collection[str]) -> list[str]:
    """Return a sentence where a prompt style was chosen that the task `translate` does not use.

    Args:
        style: The run's `prompt_style`.
        translate_by: The run's.
        chosen: The style if nobody chooses one.
        tasks: Those of the run.

    Raises:
        SettingError: No other task is there to use it.
    """
    if TASK not in tasks or translate_by == "generation" or style == chosen:
        return []
    sentence = (
        f"prompt_style={style} does nothing for the task {TASK}: a translation system is given no"
        " prompt; translate_by=generation asks a generating model with one"
    )
    if set(tasks) == {TASK}:
        raise SettingError(sentence)
    return [sentence]
