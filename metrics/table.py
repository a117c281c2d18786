"""The rows that scores are made of: every case of a run, answered or not."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Status = Literal["valid", "invalid", "unanswered"]
"""valid: the answer could be read · invalid: it could not · unanswered: there is none."""


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """One case of a run with what its answer was worth."""

    number: int
    """The item's 0-based position in the run's data."""
    item_id: str
    language: str
    subset: str | None
    unit: str
    task: str
    variant: str
    status: Status
    value: float | None
    detail: Mapping[str, Any] = field(default_factory=dict)
    baselines: Mapping[str, float | None] = field(default_factory=dict)
