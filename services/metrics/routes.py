"""The metrics service's JSON routes: translate, ask, translate back."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from sse_starlette import EventSourceResponse, ServerSentEvent

from orchestrator.liveness import with_reasons
from services.metrics.schemas import (
    OutcomesBody,
    PlainJSONResponse,
    ScoresBody,
    outcome_body,
    parse_place,
    place_text,
)
from services.orchestrator.schemas import RunBody, RunBrief, brief, whole
from storage import outcome_pages, runs, scores
from storage.database import Database
from storage.records import OutcomeFilter, OutcomeStatus

router = APIRouter(default_response_class=PlainJSONResponse)

EVENT_INTERVAL_S = 1.0
LIVE = ("queued", "running")
PLACE = r"^\d{1,9}\.\d{1,9}$"


def get_database(request: Request) -> Database:
    """Return the open database."""
    database: Database = request.app.state.database
    return database


DatabaseParameter = Annotated[Database, Depends(get_database)]
PlaceParameter = Annotated[str | None, Query(pattern=PLACE)]


def get_filter(
    language: str | None = None,
    subset: str | None = None,
    task: str | None = None,
    variant: str | None = None,
    status: OutcomeStatus | None = None,
) -> OutcomeFilter:
    """Return which cases a request wants."""
    return OutcomeFilter(language, subset, task, variant, status)


@router.get("/v1/runs")
async def list_runs(
    database: DatabaseParameter,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    before: Annotated[str | None, Query(max_length=26)] = None,
) -> list[RunBrief]:
    """List runs, the newest first; `before` is the last id of the page before."""
    found = await runs.list_runs(database, limit, before=before)
    return [brief(run) for run in await with_reasons(database, found)]


@router.get("/v1/runs/{run_id}")
async def read_run(run_id: str, database: DatabaseParameter) -> RunBody:
    """Return a run with its manifest, how far it is, and its scores."""
    [run] = await with_reasons(database, [await runs.get(database, run_id)])
    progress = await runs.count_progress(database, run.id)
    return whole(run, progress, await scores.read(database, run.id))


@router.get("/v1/runs/{run_id}/scores")
async def read_scores(
    run_id: str,
    database: DatabaseParameter,
    score_set: Annotated[str | None, Query(alias="set")] = None,
) -> ScoresBody:
    """Return a run's scores, headline rows first; `set` names another judgement of its answers."""
    run = await runs.get(database, run_id)
    sets = await scores.list_sets(database, run.id)
    shown = score_set or next(iter(sets), None)
    return ScoresBody(
        run=run.id,
        benchmark=run.benchmark,
        model=run.model,
        status=run.status,
        score_set=shown,
        score_sets=sets,
        scores=await scores.read(database, run.id, shown),
    )


@router.get("/v1/runs/{run_id}/outcomes")
async def list_outcomes(
    run_id: str,
    database: DatabaseParameter,
    wanted: Annotated[OutcomeFilter, Depends(get_filter)],
    after: PlaceParameter = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> OutcomesBody:
    """Return cases of a run item by item, unanswered ones included; `next` starts the next page."""
    page = await outcome_pages.page(database, run_id, wanted, parse_place(after), limit)
    return OutcomesBody(
        outcomes=[outcome_body(row) for row in page.rows], next=place_text(page.next_after)
    )


@router.get("/v1/runs/{run_id}/events")
async def follow_run(run_id: str, database: DatabaseParameter) -> EventSourceResponse:
    """Send an event whenever a run has moved, until it ends (server-sent events)."""
    await runs.get(database, run_id)  # an unknown run is answered 404, not with an empty stream
    return EventSourceResponse(_events(database, run_id))


async def _events(database: Database, run_id: str) -> AsyncIterator[ServerSentEvent]:
    told = ""
    while True:
        [run] = await with_reasons(database, [await runs.get(database, run_id)])
        body = whole(run, await runs.count_progress(database, run_id), [])
        text = body.model_dump_json(include={"id", "status", "reason", "progress"})
        if text != told:
            yield ServerSentEvent(data=text, event="progress")
            told = text
        if run.status not in LIVE:
            return
        await asyncio.sleep(EVENT_INTERVAL_S)
