"""Is the process alive, and can it serve?"""

import asyncio
from collections.abc import Awaitable, Callable

from fastapi import APIRouter, Response
from pydantic import BaseModel

from services.web.errors import error_answer

Readiness = Callable[[], Awaitable[str | None]]
"""Returns None when ready, else a sentence that says what is missing."""

READY_TIMEOUT_S = 5


class HealthBody(BaseModel):
    """The state of a service that answers."""

    status: str


def health_routes(readiness: Readiness | None) -> APIRouter:
    """Return `/health/live` and `/health/ready`."""
    router = APIRouter(prefix="/health", tags=["health"])

    @router.get("/live")
    async def live() -> HealthBody:
        """Answer as long as the process runs."""
        return HealthBody(status="live")

    @router.get("/ready", response_model=HealthBody)
    async def ready() -> HealthBody | Response:
        """Answer 200 when requests can be served, 503 with the reason until then."""
        missing = await _missing(readiness) if readiness else None
        return error_answer(503, missing) if missing else HealthBody(status="ready")

    return router


async def _missing(readiness: Readiness) -> str | None:
    try:
        async with asyncio.timeout(READY_TIMEOUT_S):
            return await readiness()
    except TimeoutError:
        return f"what this service needs did not answer within {READY_TIMEOUT_S} s"
