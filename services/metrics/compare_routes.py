"""The route that compares two stored runs."""

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from services.comparing import compare_stored, document, read_dimensions, told
from services.metrics.routes import DatabaseParameter
from services.metrics.schemas import PlainJSONResponse
from storage import runs

compare_router = APIRouter(default_response_class=PlainJSONResponse)


class CompareRequest(BaseModel):
    """Which runs, and how closely."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    a: str = Field(max_length=26)
    """A run's id."""
    b: str = Field(max_length=26)
    """Another one's; differences are B less A."""
    by: list[str] = Field(default=["task", "language", "subset"], max_length=5)
    """Dimensions to keep apart; also layer, setting."""
    force: bool = False
    """Whether data and metric versions may differ."""
    seed: int = Field(default=0, ge=0, le=2**31 - 1)
    """Where redrawing starts."""


class CompareBody(BaseModel):
    """What two runs differ by on the items that both answered."""

    comparisons: list[dict[str, Any]]
    verdict: str
    notes: list[str]
    """What was matched and left out, and what else differs between the runs."""


@compare_router.post("/v1/compare")
async def compare(asked: CompareRequest, database: DatabaseParameter) -> CompareBody:
    """Compare two runs by every metric; runs that did not measure the same thing are refused."""
    dimensions = read_dimensions(asked.by)
    first, second = await runs.get(database, asked.a), await runs.get(database, asked.b)
    found = await compare_stored(
        database, first, second, dimensions=dimensions, force=asked.force, seed=asked.seed
    )
    return CompareBody(**document(found, dimensions), notes=told(found))
