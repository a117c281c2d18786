"""What is wrong with a value that a model class refused? One clean clause, for a message."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError


def first_problem(error: ValidationError) -> str:
    """Return the first thing that is wrong: `place: reason`, or only the reason."""
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    reason = problem_reason(first)
    return f"{place}: {reason}" if place else reason


def problem_reason(problem: Mapping[str, Any]) -> str:
    """Return why one entry of `ValidationError.errors()` is refused, without its place.

    Args:
        problem: Has `type` and `msg`, and `ctx` where its type gives one.
    """
    context = problem.get("ctx") or {}
    match problem["type"]:
        case "value_error" | "assertion_error":
            return str(context.get("error") or problem["msg"])
        case "json_invalid":
            return f"not JSON: {context['error']}"
        case "union_tag_not_found":
            return f"no {context['discriminator']}"
        case "union_tag_invalid":
            names = f"{context['discriminator']} is {context['tag']!r}"
            return f"{names}; allowed: {context['expected_tags']}"
        case _:
            return str(problem["msg"])


def read_problem(error: OSError | UnicodeDecodeError) -> str:
    """Return why a file could not be read as text, without a number or the path again."""
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 (byte {error.start})"
    return error.strerror or type(error).__name__
