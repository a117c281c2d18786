"""What stands where there is no value: the words "no value" and the reason, never a 0."""

from collections.abc import Mapping
from typing import Any

from metrics.figures.style import missing_text
from metrics.score import Score

FIELD = "missing"
"""The data field with the words; null where there is a value."""
LINE_CHARACTERS = 30


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
        },
        "encoding": dict(other)
        | {axis: {"datum": at, "type": "quantitative"}, "text": {"field": FIELD}},
    }


class MissingNotes:
    """The reasons of one figure; those too long for their place are numbered, for the caption."""

    def __init__(self) -> None:
        self._number_by_reason: dict[str, int] = {}
        self._n = 0

    def words(self, score: Score | None, width: int = LINE_CHARACTERS) -> str | None:
        """Return the words for a score without a value; None where it has one.

        Args:
            score: None where nothing was asked.
            width: How many characters its place holds.
        """
        if score is not None and score.value is not None:
            return None
        self._n += 1
        reason = score.reason if score is not None else "not asked"
        text = missing_text(reason)
        if len(text) <= width or reason is None:
            return text
        number = self._number_by_reason.setdefault(reason, len(self._number_by_reason) + 1)
        return f"no value ({number})"

    def sentence(self) -> str:
        """Return what a caption adds; empty where every value is there."""
        if not self._n:
            return ""
        notes = "; ".join(f"({n}) {reason}" for reason, n in self._number_by_reason.items())
        return f" {self._n} without a value{f': {notes}' if notes else ''}."
