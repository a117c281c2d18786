"""The texts that ask for a translation of a concept; `released` is the authors' own wording.

A template's `{concept}`, `{source}`, `{variations}`, `{language}` and `{rules}` are filled in one
pass, so that braces in the data stay as they are.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from benchmarks import translation_prompts
from benchmarks.prompt_file import TemplateFields, read_embedded
from benchmarks.requests import Message

VERSION = "dtails-prompts-1"

_TAIL = (
    'elect the best translation of "{concept}" in "{source}" from the following list: {variations}.'
    " Carefully explain your reasoning first and then enclose your final answer like this"
    " ```answer```."
)
MARK = "```"
_QUESTION = frozenset({"concept", "source", "variations"})
TEMPLATE_FIELDS: Mapping[str, TemplateFields] = {
    "plain": TemplateFields(_QUESTION, frozenset({"language"})),
    "with_rules": TemplateFields(_QUESTION, frozenset({"language", "rules"})),
    "system": TemplateFields(frozenset(), frozenset({"concept", "language", "rules"})),
    "translation": translation_prompts.FIELDS,
}
"""What a user's own prompt file may hold; for a template that it lacks, the released one stands."""


@dataclass(frozen=True, slots=True)
class Templates:
    """One way to put the question."""

    plain: str
    """The user turn without rules."""
    with_rules: str
    """The user turn with rules."""
    system: str
    """The system turn with rules."""
    translation: str
    """The user turn that asks a generating model for a translation; ours in every style."""


RELEASED = Templates(
    plain="Please s" + _TAIL,
    with_rules="Based on the provided rules, please s" + _TAIL,
    system='Here are rules for how to translate "{concept}" in {language}:{rules}',
    translation=translation_prompts.PLAIN,
)
SHORT = Templates(
    plain=(
        'Sentence: {source}\nWord: "{concept}"\nWhich of these {language} words translates it best'
        " here? {variations}\nAnswer with one of them between triple back ticks: ```answer```."
    ),
    with_rules=(
        'Sentence: {source}\nWord: "{concept}"\nBy the rules above, which of these {language} words'
        " translates it best here? {variations}\nAnswer with one of them between triple back"
        " ticks: ```answer```."
    ),
    system=RELEASED.system,
    translation=translation_prompts.SHORT,
)
STYLES: Mapping[str, Templates] = {"released": RELEASED, "short": SHORT}
RETRY = "Please enclose your selected translation from <Translations> with 3 back ticks."


def own_templates(prompt_file: str) -> Templates:
    """Return the templates of an embedded prompt file; an own `plain` serves with rules too."""
    own = dict(read_embedded(prompt_file))
    if "plain" in own:
        own.setdefault("with_rules", own["plain"])
    return replace(RELEASED, **own)


def shuffled(variations: Sequence[str], seed: int, language: str, item: str) -> list[str]:
    """Return the variations in the order one item shows them under one seed."""
    order = list(variations)
    random.Random(f"{seed}:{language}:{item}").shuffle(order)
    return order


def messages(
    templates: Templates, values: Mapping[str, str], *, has_system_role: bool, retry: str = ""
) -> tuple[Message, ...]:
    """Return the chat that asks once; with rules if `values` has any.

    Args:
        templates: The wording.
        values: What goes in the places, `rules` only where there are some.
        has_system_role: False puts the system text on top of the user turn.
        retry: `user` or `system`: the turn to which the retry's sentence is appended.
    """
    if "rules" not in values:
        return (
            Message(role="user", content=_asked_again(templates.plain.format(**values), retry)),
        )
    system, user = templates.system.format(**values), templates.with_rules.format(**values)
    if retry == "system":
        system = _asked_again(system, retry)
    else:
        user = _asked_again(user, retry)
    if not has_system_role:
        return (Message(role="user", content=f"{system}\n{user}"),)
    return (Message(role="system", content=system), Message(role="user", content=user))


def _asked_again(text: str, retry: str) -> str:
    return f"{text} {RETRY}" if retry else text
