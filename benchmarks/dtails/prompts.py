"""The texts that ask for a translation of a concept; `released` is the authors' own wording.

A template's `{concept}`, `{source}`, `{variations}`, `{language}` and `{rules}` are filled in one
pass, so that braces in the data stay as they are.
"""

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.dtails.tables import read_text
from benchmarks.errors import DataError, SettingError
from benchmarks.requests import Message

VERSION = "dtails-prompts-1"

_TAIL = (
    'elect the best translation of "{concept}" in "{source}" from the following list: {variations}.'
    " Carefully explain your reasoning first and then enclose your final answer like this"
    " ```answer```."
)
_NEEDED = ("{concept}", "{source}", "{variations}")
MARK = "```"
_PLACEHOLDER = re.compile(r"\{(concept|source|variations|language|rules)\}")


@dataclass(frozen=True, slots=True)
class Templates:
    """One way to put the question."""

    plain: str
    """The user turn without rules."""
    with_rules: str
    """The user turn with rules."""
    system: str
    """The system turn with rules."""


RELEASED = Templates(
    plain="Please s" + _TAIL,
    with_rules="Based on the provided rules, please s" + _TAIL,
    system='Here are rules for how to translate "{concept}" in {language}:{rules}',
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
)
STYLES: Mapping[str, Templates] = {"released": RELEASED, "short": SHORT}
RETRY = "Please enclose your selected translation from <Translations> with 3 back ticks."
TRANSLATION = (
    "Translate this sentence from English to {language}. Answer with the translation only.\n"
    "{source}"
)


def fill(template: str, values: Mapping[str, str]) -> str:
    """Put the values in their places."""
    return _PLACEHOLDER.sub(lambda found: values.get(found.group(1), found.group()), template)


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
        return (Message(role="user", content=_asked_again(fill(templates.plain, values), retry)),)
    system, user = fill(templates.system, values), fill(templates.with_rules, values)
    if retry == "system":
        system = _asked_again(system, retry)
    else:
        user = _asked_again(user, retry)
    if not has_system_role:
        return (Message(role="user", content=f"{system}\n{user}"),)
    return (Message(role="system", content=system), Message(role="user", content=user))


def _asked_again(text: str, retry: str) -> str:
    return f"{text} {RETRY}" if retry else text


def read_templates(path: Path) -> Templates:
    """Read own templates: JSON with `plain`, `with_rules`, `system`, or a text that is `plain`.

    Raises:
        SettingError: The file is missing, or a place that must be filled is not in it.
    """
    try:
        text = read_text(path)
    except DataError as error:
        raise SettingError(f"prompt_file: {error}") from error
    given = _read_json(path, text) if path.suffix == ".json" else {"plain": text.rstrip("\n")}
    plain = given.get("plain", RELEASED.plain)
    with_rules = given.get("with_rules", plain)
    for name, template in (("plain", plain), ("with_rules", with_rules)):
        missing = [place for place in _NEEDED if place not in template]
        if missing:
            raise SettingError(f"prompt_file {path}: {name} has no {missing[0]}")
    return Templates(plain, with_rules, given.get("system", RELEASED.system))


def _read_json(path: Path, text: str) -> dict[str, str]:
    names = list(asdict(RELEASED))
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SettingError(f"prompt_file {path}: not JSON ({error})") from error
    if not isinstance(given, dict) or not all(isinstance(value, str) for value in given.values()):
        raise SettingError(f"prompt_file {path}: not an object of texts")
    unknown = [name for name in given if name not in names]
    if unknown:
        raise SettingError(
            f"prompt_file {path}: unknown template {unknown[0]!r}; allowed: {', '.join(names)}"
        )
    return given
