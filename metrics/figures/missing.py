"""What stands where there is no value: the words "no value" and the reason, never a 0."""

import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

from metrics.figures.style import missing_text
from metrics.score import Score

FIELD = "missing"
"""The data field with the words; null where there is a value."""
LINE_CHARACTERS = 30


def missing_lines(score: Score | None, width: int = LINE_CHARACTERS) -> str | None:
    """Return the words for a score without a value, or for none at all; None where it has one."""
    if score is not None and score.value is not None:
        return None
    reason = score.reason if score is not None else "not asked"
    return "\n".join(textwrap.wrap(missing_text(reason), width))


def missing_layer(axis: str, at: float, other: Mapping[str, Any]) -> dict[str, Any]:
    """Return the layer that writes the words where a value would stand.

    Args:
        axis: `x` or `y`, the axis of the values.
        at: The value at which the words begin.
        other: The encoding of the other position, as the points have it.
    """
    return {
        "transform": [{"filter": f"isValid(datum.{FIELD})"}],
        "mark": {
            "type": "text",
            "style": "missing",
            "align": "left",
            "baseline": "middle",
            "dx": 4,
            "lineBreak": "\n",
        },
        "encoding": dict(other)
        | {axis: {"datum": at, "type": "quantitative"}, "text": {"field": FIELD}},
    }


def missing_note(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return how many values are missing, to be added to a caption; empty where none is."""
    n = sum(row[FIELD] is not None for row in rows)
    return f" {n} without a value, each with its reason." if n else ""
