"""Ask a model for rules: what tells the variations of one concept apart; and read its answer."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.dtails.data import Row
from benchmarks.dtails.names import SOURCE, language_name
from benchmarks.dtails.prompts import MARK
from benchmarks.requests import Message
from languages.tokenisation import words

VERSION = "dtails-rules-1"
MAX_NEW_TOKENS = 2048
NO_REPEAT_NGRAM_SIZE = 6
MAX_TRIES = 3

_SYSTEM = (
    "Please only return a json with the following keys {variations} and no other text. For each key"
    " the value should be a string in {source} explaining how the meaning and usage of that"
    " {target} word is different from the others. The string should also include a brief example in"
    " {target} of the word being used with an {source} translation. Please include the"
    " transliteration from {target} to Latin characters if necessary."
)
_USER = (
    'When translating the concept "{concept}" from {source} to {target}, what is the difference in'
    " meaning between {quoted} and in which contexts should they be used?"
)
_SENTENCES = " Here are sentences where each word is used in-context to help you: {sentences}"
_AGAIN = " Please avoid the following error in your output: {error}"

CountTokens = Callable[[str], int]


class RulesFormatError(ValueError):
    """An answer that is not the JSON asked for; the message goes into the next try."""


@dataclass(frozen=True, slots=True)
class RulesPrompt:
    """The chat that asks for the rules of one concept."""

    concept: str
    variations: tuple[str, ...]
    n_sentences: int
    system: str
    user: str

    def messages(self, errors: Sequence[str], *, has_system_role: bool) -> tuple[Message, ...]:
        """Return the chat, with the errors of earlier tries appended to its first text."""
        system = self.system + "".join(_AGAIN.replace("{error}", error) for error in errors)
        if not has_system_role:
            return (Message(role="user", content=f"{system} {self.user}"),)
        return (Message(role="system", content=system), Message(role="user", content=self.user))


def count_words_and_marks(text: str) -> int:
    """Count the words of a text and its punctuation: a stand-in for a model's own tokenizer."""
    found = words(text, "en")
    inside = {place for word in found for place in range(word.start, word.end)}
    marks = sum(1 for at, sign in enumerate(text) if at not in inside and not sign.isspace())
    return len(found) + marks


def choose_sentences(
    rows: Sequence[Row],
    concept: str,
    variations: Sequence[str],
    limits: tuple[int, int],
    count_tokens: CountTokens,
) -> dict[str, list[str]]:
    """Return, for each variation, the longest source sentences in which it was the translation.

    Args:
        rows: Train rows only: an expert sentence here would give the answer away.
        concept: Whose sentences.
        variations: Whose labels.
        limits: The most sentences a variation, and the most tokens a sentence.
        count_tokens: The model's own tokenizer, where there is one.
    """
    max_sentences, max_tokens = limits
    chosen: dict[str, list[str]] = {}
    for variation in variations:
        found = [row.source for row in rows if row.concept == concept and row.label == variation]
        longest = sorted(found, key=len, reverse=True)
        short_enough: list[str] = []
        for sentence in longest:
            if len(short_enough) == max_sentences:
                break
            if count_tokens(sentence) <= max_tokens:
                short_enough.append(sentence)
        chosen[variation] = short_enough
    return chosen


def make_prompt(concept: str, language: str, sentences: Mapping[str, Sequence[str]]) -> RulesPrompt:
    """Return the chat for one concept; without any sentence it asks from memory.

    Args:
        concept: The English word.
        language: The code of the target language.
        sentences: By variation; its keys are the variations.
    """
    names = {"{concept}": concept, "{source}": SOURCE, "{target}": language_name(language)}
    variations = tuple(sentences)
    n_sentences = sum(len(found) for found in sentences.values())
    system = _replace(_SYSTEM, {**names, "{variations}": str(list(variations))})
    user = _replace(_USER, {**names, "{quoted}": quote_all(variations)})
    if n_sentences:
        listed = {variation: list(found) for variation, found in sentences.items()}
        user += _SENTENCES.replace("{sentences}", str(listed))
    return RulesPrompt(concept, variations, n_sentences, system, user)


def _replace(template: str, values: Mapping[str, str]) -> str:
    pieces = template
    for place in ("{source}", "{target}", "{concept}", "{quoted}", "{variations}"):
        pieces = pieces.replace(place, values.get(place, place))
    return pieces


def quote_all(variations: Sequence[str]) -> str:
    """Return `"a"`, `"a" and "b"`, or `"a", "b", and "c"`."""
    quoted = [f'"{variation}"' for variation in variations]
    if len(quoted) < 3:
        return " and ".join(quoted)
    return f"{', '.join(quoted[:-1])}, and {quoted[-1]}"


def parse_rules(text: str, variations: Sequence[str]) -> dict[str, str]:
    """Read an answer: a JSON object with exactly the variations as keys, in marks or without.

    Raises:
        RulesFormatError: It is anything else.
    """
    try:
        pairs = json.loads(_without_marks(text), object_pairs_hook=_Pairs)
    except (ValueError, RecursionError) as error:
        raise RulesFormatError(f"not valid JSON ({error})") from error
    if not isinstance(pairs, _Pairs):
        raise RulesFormatError("the JSON is not an object")
    keys = [key for key, _ in pairs]
    if sorted(keys) != sorted(variations):
        raise RulesFormatError(f"the keys must be exactly {list(variations)}, but were {keys}")
    found = dict(pairs)
    for variation in variations:
        if not isinstance(found[variation], str) or not found[variation].strip():
            raise RulesFormatError(f"the value of {variation!r} is not a text")
    return {variation: found[variation] for variation in variations}


class _Pairs(list[tuple[str, Any]]):
    """An object's keys and values in order, repeated keys included."""


def _without_marks(text: str) -> str:
    between = text.split(MARK)[1] if text.count(MARK) >= 2 else text
    return between.strip().removeprefix("json").strip()
