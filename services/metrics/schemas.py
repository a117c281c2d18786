"""What the metrics service answers."""

import json
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, Field
from starlette.responses import JSONResponse

from metrics.score import Score
from metrics.table import OutcomeRow, Status
from storage.records import PagePlace


class PlainJSONResponse(JSONResponse):
    """JSON in ASCII, so that a lone surrogate in a model's answer travels as its escape."""

    def render(self, content: Any) -> bytes:  # noqa: ANN401  # any JSON value
        """Return the body."""
        return json.dumps(content, ensure_ascii=True, allow_nan=False).encode()


class ScoresBody(BaseModel):
    """The scores of one run."""

    schema_version: Literal[1] = Field(default=1, serialization_alias="schema")
    run: str
    benchmark: str
    model: str
    status: str
    score_set: str | None
    """Which of `score_sets` this is; None where the run has no scores yet."""
    score_sets: list[str]
    """One for each way the answers were judged, the latest first."""
    scores: list[Score]


class OutcomeBody(BaseModel):
    """One case of a run."""

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
    detail: Mapping[str, Any]
    baselines: Mapping[str, float | None]


class OutcomesBody(BaseModel):
    """A page of the cases of a run."""

    outcomes: list[OutcomeBody]
    next: str | None
    """What to send as `after` for the page that follows; None on the last one."""


def outcome_body(row: OutcomeRow) -> OutcomeBody:
    """Return a case as it is answered."""
    return OutcomeBody(**{name: getattr(row, name) for name in OutcomeBody.model_fields})


def place_text(place: PagePlace | None) -> str | None:
    """Return a place between pages as it stands in an address: `<item>.<cell>`."""
    return None if place is None else f"{place.number}.{place.position}"


def parse_place(text: str | None) -> PagePlace | None:
    """Return the place that an address names; its pattern has been checked."""
    if not text:
        return None
    number, position = text.split(".")
    return PagePlace(int(number), int(position))
