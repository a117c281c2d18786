"""The whole story of a run: planned, started, paused, resumed, retried, cancelled."""

from sqlalchemy.ext.asyncio import AsyncConnection

from orchestrator.conclusion import is_complete, store_scores
from orchestrator.errors import RunStateError
from orchestrator.jobs import ACTIVE, WORK_TASK, job_arguments, queue_of
from orchestrator.planning import Plan
from orchestrator.spec import RunSpec
from storage import failures, queue, runs
from storage.database import Database
from storage.records import Run, RunStatus

RESUMABLE = ("paused", "failed", "cancelled", "queued", "running")


async def start(database: Database, plan: Plan) -> Run:
    """Store a planned run together with its jobs: both are there, or neither is.

    An idempotency key that was used before returns the run it made.
    """
    async with database.begin() as connection:
        run = await runs.create(connection, plan.run)
        if run.id == plan.run.id:
            await _enqueue(connection, run)
    return run


async def pause(database: Database, run_id: str) -> Run:
    """Stop working on a run; what is in flight is kept.

    Raises:
        RunStateError: The run is neither queued nor running.
    """
    return await _stop(database, run_id, "paused", ACTIVE)


async def pause_if_live(database: Database, run_id: str) -> None:
    """Stop working on a run unless it has ended by now."""
    if await runs.set_status(database, run_id, "paused", allowed_from=ACTIVE):
        await queue.clear(database, queue_of(run_id))


async def cancel(database: Database, run_id: str) -> Run:
    """Stop working on a run for good, though `resume` still takes it up.

    Raises:
        RunStateError: The run has ended already.
    """
    return await _stop(database, run_id, "cancelled", (*ACTIVE, "paused"))


async def resume(database: Database, run_id: str) -> Run:
    """Go on with a run: what has an outcome is not asked again.

    Raises:
        RunStateError: The run is finished.
    """
    return await _requeue(database, run_id, RESUMABLE)


async def retry(database: Database, run_id: str) -> Run:
    """Ask the failed cases of a run again.

    Raises:
        RunStateError: It has none.
    """
    run = await runs.get(database, run_id)
    if not await failures.list_failures(database, run_id, limit=1):
        raise RunStateError(f"run {run_id} has no failed items ({run.status})")
    await failures.clear(database, run_id)
    return await _requeue(database, run_id, (*RESUMABLE, "finished"))


async def rescore(database: Database, run_id: str) -> None:
    """Compute a run's scores again from its stored outcomes."""
    run = await runs.get(database, run_id)
    if await is_complete(database, run):
        await store_scores(database, run)


async def _stop(database: Database, run_id: str, to: RunStatus, allowed: tuple[str, ...]) -> Run:
    if not await runs.set_status(database, run_id, to, allowed_from=allowed):
        run = await runs.get(database, run_id)
        raise RunStateError(f"run {run_id} is {run.status}; allowed: {', '.join(allowed)}")
    await queue.clear(database, queue_of(run_id))
    return await runs.get(database, run_id)


async def _requeue(database: Database, run_id: str, allowed: tuple[str, ...]) -> Run:
    if not await runs.set_status(database, run_id, "queued", allowed_from=allowed):
        run = await runs.get(database, run_id)
        raise RunStateError(f"run {run_id} is {run.status}; allowed: {', '.join(allowed)}")
    await queue.clear(database, queue_of(run_id))
    run = await runs.get(database, run_id)
    async with database.begin() as connection:
        await _enqueue(connection, run)
    return run


async def _enqueue(connection: AsyncConnection, run: Run) -> None:
    batch_items = RunSpec.model_validate(run.spec).batch_items
    arguments = job_arguments(run, batch_items)
    await queue.enqueue(connection, queue_of(run.id), WORK_TASK, arguments)
