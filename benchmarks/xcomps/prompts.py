"""How does the Meta task ask? Our own templates, one a language, with the option lists.

The paper (He et al. 2025) prints its prompts only in a picture, so these are ours; what both
sentences share becomes a question with a gap, which needs no grammar of the language.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.errors import SettingError
from benchmarks.prompt_file import TemplateFields, read_embedded
from benchmarks.xcomps.languages import WITHOUT_SPACES, language_table

TEMPLATES_FILE = Path(__file__).parent / "templates.json"
LABELS = ("1", "2")

_FIELDS = TemplateFields(frozenset({"o1", "o2"}), frozenset({"s1", "s2", "gapped"}))
TEMPLATE_FIELDS: Mapping[str, TemplateFields] = dict.fromkeys(
    ("default", *language_table()), _FIELDS
)
"""What a user's own prompt file holds: a template for some languages, or for all."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question without its cue, and what stands before the answer."""

    question: str
    cue: str
    """Empty where the template has its own."""
    joiner: str
    """Between the cue and the answer."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What fills a template: the first and second sentence and option as shown."""

    sentences: tuple[str, str]
    options: tuple[str, str]
    gapped: str


def prompt_of(language: str, style: str, choice: Choice, prompt_file: str) -> Prompt | None:
    """Return the filled template; None where there is none for the language.

    Args:
        language: Of the item.
        style: `concepts` or `labels` of our own, or `file`.
        choice: What to fill in.
        prompt_file: The embedded prompt file, or nothing.
    """
    joiner = "" if language in WITHOUT_SPACES else " "
    values = {
        "s1": choice.sentences[0],
        "s2": choice.sentences[1],
        "o1": choice.options[0],
        "o2": choice.options[1],
        "gapped": choice.gapped,
    }
    if style == "file":
        template = _own_template(language, prompt_file)
        return None if template is None else Prompt(template.format(**values), "", joiner)
    parts = _templates().languages.get(language)
    if parts is None:
        return None
    question = parts[style].format(**values)
    text = _templates().layout.format(
        statement=parts["statement"], s1=values["s1"], s2=values["s2"], question=question, cue=""
    )
    return Prompt(text.rstrip("\n"), f"\n{parts['cue']}", joiner)


def template_texts(style: str, prompt_file: str) -> dict[str, str]:
    """Return every template of a style by `style/language`, for the manifest."""
    if style == "file":
        own = read_embedded(prompt_file)
        return {f"file/{language}": template for language, template in own.items()}
    layout = _templates().layout
    return {
        f"{style}/{language}": "\n".join((layout, parts["statement"], parts[style], parts["cue"]))
        for language, parts in _templates().languages.items()
    }


def prompt_version() -> str:
    """Return the version of our own templates."""
    return _templates().version


def check_own_templates(prompt_file: str, languages: Sequence[str]) -> None:
    """Refuse an embedded prompt file that lacks a template of one of the languages.

    Raises:
        SettingError: Names the languages without one.
    """
    missing = [name for name in languages if _own_template(name, prompt_file) is None]
    if missing:
        has = ", ".join(read_embedded(prompt_file))
        raise SettingError(
            f"setting prompt_file: no Meta template for {', '.join(missing)}; it has: {has};"
            " `default` would serve every language, and --language chooses some"
        )


def _own_template(language: str, prompt_file: str) -> str | None:
    own = read_embedded(prompt_file)
    return own.get(language, own.get("default"))


@dataclass(frozen=True, slots=True)
class _Templates:
    version: str
    layout: str
    languages: Mapping[str, Mapping[str, str]]


@cache
def _templates() -> _Templates:
    found = json.loads(TEMPLATES_FILE.read_text(encoding="utf-8"))
    return _Templates(found["version"], found["layout"], found["languages"])
