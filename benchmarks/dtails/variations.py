"""Variations: the ways a concept may be said in the target language, each one or several forms."""

import ast
import warnings
from collections.abc import Sequence

MAX_CHARACTERS = 20_000
MAX_BRACKETS = 50


def parse_variations(text: str) -> tuple[str, ...]:
    """Read a Python list literal of texts; nothing is evaluated.

    Raises:
        ValueError: It is something else, empty, too long, or nested too deeply.
    """
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"{len(text)} characters, limit {MAX_CHARACTERS}")
    n_brackets = sum(text.count(bracket) for bracket in "[({")
    if n_brackets > MAX_BRACKETS:
        raise ValueError(f"{n_brackets} opening brackets, limit {MAX_BRACKETS}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an unknown escape in a text
            parsed = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise ValueError("not a list of texts") from error
    if not isinstance(parsed, list) or not parsed:
        raise ValueError("not a list of texts with at least one entry")
    if not all(isinstance(entry, str) and entry.strip() for entry in parsed):
        raise ValueError("an entry is not a text, or is empty")
    return tuple(parsed)


def forms_of(variation: str) -> tuple[str, ...]:
    """Return the forms of a variation, which stand between slashes (`gesê/sê`)."""
    return tuple(form.strip() for form in variation.split("/") if form.strip())


def share_a_form(predicted: str, gold: str) -> bool:
    """Return whether two variations have a form in common: that makes a prediction right.

    Source: Barua et al. 2024 (DTAiLS), released evaluation code.
    """
    return not set(forms_of(predicted)).isdisjoint(forms_of(gold))


def share_with(answer: str | None, gold: str) -> float:
    """Return 1.0 where an answer shares a form with the gold, else 0.0; no answer is wrong."""
    return 1.0 if answer is not None and share_a_form(answer, gold) else 0.0


def position_of(variation: str | None, shown: Sequence[str]) -> int | None:
    """Return the 1-based place of a variation among those shown."""
    return None if variation is None else list(shown).index(variation) + 1
