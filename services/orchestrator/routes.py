"""The orchestrator's routes: translate, ask, translate back."""

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Request
from sse_starlette import EventSourceResponse, ServerSentEvent

from benchmarks.catalog import open_all
from orchestrator import run as run_story
from orchestrator.liveness import with_reasons
from orchestrator.planning import make_plan
from orchestrator.resources import Resources
from services.home import Home
from services.orchestrator.schemas import (
    BenchmarkBody,
    CreatedBody,
    NewRunBody,
    NoteBody,
    RunBody,
    RunBrief,
    brief,
    whole,
)
from services.orchestrator.webhooks import check_webhook
from storage import runs, scores
from storage.database import Database

LOG = logging.getLogger(__name__)
router = APIRouter()

EVENT_INTERVAL_S = 0.5
LIVE = ("queued", "running")


def get_database(request: Request) -> Database:
    """Return the open database."""
    database: Database = request.app.state.database
    return database


def get_resources(request: Request) -> Resources:
    """Return what this process lends to runs."""
    resources: Resources = request.app.state.resources
    return resources


def get_home(request: Request) -> Home:
    """Return the folders and settings of this installation."""
    home: Home = request.app.state.home
    return home


DatabaseParameter = Annotated[Database, Depends(get_database)]
ResourcesParameter = Annotated[Resources, Depends(get_resources)]
HomeParameter = Annotated[Home, Depends(get_home)]


@router.get("/v1/benchmarks")
def list_benchmarks() -> list[BenchmarkBody]:
    """List the benchmarks that can be used, with their tasks, settings and baselines."""
    found = []
    benchmarks, problems = open_all()
    for problem in problems:
        LOG.warning("benchmark cannot be used", extra={"problem": problem})
    for benchmark in benchmarks:
        found.append(
            BenchmarkBody(
                name=benchmark.name,
                title=benchmark.title,
                paper=benchmark.paper,
                tasks=list(benchmark.tasks),
                languages=list(benchmark.languages(benchmark.sample)),
                baselines=list(benchmark.baselines()),
                settings=benchmark.settings.model_dump(mode="json"),
            )
        )
    return found


@router.post("/v1/runs", status_code=202)
async def create_run(
    body: NewRunBody,
    database: DatabaseParameter,
    resources: ResourcesParameter,
    home: HomeParameter,
    idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
) -> CreatedBody:
    """Plan a run and queue it.

    The same Idempotency-Key and body return the run that they made before; another body is another
    run.
    """
    webhook = check_webhook(home.settings, body.webhook)
    plan = await make_plan(database, body.spec(), resources, idempotency_key)
    labels = run_story.Labels(body.note, body.tags, webhook)
    run = await run_story.start(database, plan, labels)
    return CreatedBody(run=brief(run), skipped=plan.skipped, warnings=plan.warnings)


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
    """Return a run, how far it is, and its scores once it is finished."""
    [run] = await with_reasons(database, [await runs.get(database, run_id)])
    progress = await runs.count_progress(database, run.id)
    return whole(run, progress, list(await scores.read(database, run.id)))


@router.get("/v1/runs/{run_id}/events")
async def follow_run(run_id: str, database: DatabaseParameter) -> EventSourceResponse:
    """Send an event whenever a run has moved, until it ends (server-sent events)."""
    await runs.get(database, run_id)  # an unknown run is answered 404, not with an empty stream
    return EventSourceResponse(_events(database, run_id))


@router.post("/v1/runs/{run_id}/pause")
async def pause_run(run_id: str, database: DatabaseParameter) -> RunBrief:
    """Stop a run for now; what is in flight is kept."""
    return brief(await run_story.pause(database, run_id))


@router.post("/v1/runs/{run_id}/cancel")
async def cancel_run(run_id: str, database: DatabaseParameter) -> RunBrief:
    """Stop a run and throw its waiting jobs away."""
    return brief(await run_story.cancel(database, run_id))


@router.post("/v1/runs/{run_id}/resume")
async def resume_run(
    run_id: str,
    database: DatabaseParameter,
    budget: Annotated[float | None, Query(gt=0)] = None,
) -> RunBrief:
    """Go on with a run, perhaps with another budget; what has an outcome is not asked again."""
    return brief(await run_story.resume(database, run_id, budget))


@router.post("/v1/runs/{run_id}/retry")
async def retry_run(run_id: str, database: DatabaseParameter) -> RunBrief:
    """Ask the failed cases of a run again."""
    return brief(await run_story.retry(database, run_id))


@router.patch("/v1/runs/{run_id}")
async def label_run(run_id: str, body: NoteBody, database: DatabaseParameter) -> RunBrief:
    """Write a note or tags on a run."""
    run = await runs.get(database, run_id)
    note = body.note if "note" in body.model_fields_set else run.note
    tags = body.tags if body.tags is not None else run.tags
    await runs.set_note(database, run_id, note, tags)
    return brief(await runs.get(database, run_id))


@router.delete("/v1/runs/{run_id}", status_code=204)
async def delete_run(run_id: str, database: DatabaseParameter) -> None:
    """Delete a run with its outcomes and scores; responses stay, for others may ask the same."""
    await run_story.delete(database, run_id)


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
