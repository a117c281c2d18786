"""The whole story of a run: planned, started, paused, resumed, retried, cancelled, deleted."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from orchestrator.conclusion import is_complete, store_scores
from orchestrator.errors import RunStateError, WrongUseError
from orchestrator.jobs import ACTIVE, WORK_TASK, job_arguments, queue_of, with_numbers
from orchestrator.planning import Plan
from orchestrator.spec import RunSpec
from storage import failures, queue, runs, spending, webhooks
from storage.database import Database
from storage.records import Run, RunStatus

RESUMABLE = ("paused", "failed", "cancelled", "queued", "running")


@dataclass(frozen=True, slots=True)
class Labels:
    """What is kept beside a run and changes nothing about it."""

    note: str | None = None
    tags: tuple[str, ...] = ()
    webhook: str | None = None
    """Is told when the run ends; checked by whoever hands it in."""


async def start(database: Database, plan: Plan, labels: Labels | None = None) -> Run:
    """Store a planned run together with its jobs: both are there, or neither is.

    An idempotency key that was used before returns the run it made of the same spec.
    """
    async with database.begin() as connection:
        run = await runs.create(connection, plan.run)
        if run.id == plan.run.id:
            await _enqueue(connection, run)
            if plan.run.spec.get("budget") is not None:
                await set_budget(connection, run, plan.run.spec["budget"])
            if labels is not None:
                await runs.set_note(connection, run.id, labels.note, labels.tags)
            if labels is not None and labels.webhook is not None:
                await webhooks.put(connection, run.id, labels.webhook)
            run = await runs.get(connection, run.id)
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


async def resume(database: Database, run_id: str, budget: float | None = None) -> Run:
    """Go on with a run: what has an outcome is not asked again, what has failed is.

    Args:
        database: Where the run is.
        run_id: Its id.
        budget: What it may spend in all from now on; None leaves that as it is.

    Raises:
        RunStateError: The run is finished.
        WrongUseError: A budget is given, and no price is known for its model.
    """
    if budget is not None:
        await set_budget(database, await runs.get(database, run_id), budget)
    return await _requeue(database, run_id, RESUMABLE)


async def set_budget(source: Database | AsyncConnection, run: Run, budget: float) -> None:
    """Say how much a run may spend in all.

    Raises:
        WrongUseError: No price is known for its model.
    """
    price = run.manifest.get("price")
    if price is None:
        raise WrongUseError(f"a budget of {budget:g}: no price is known for {run.model}")
    await spending.set_budget(source, run.id, budget, price["currency"])


async def retry(database: Database, run_id: str) -> Run:
    """Ask the failed cases of a run again.

    Raises:
        RunStateError: It has none.
    """
    run = await runs.get(database, run_id)
    numbers = await failures.numbers(database, run_id)
    if not numbers:
        raise RunStateError(f"run {run_id} has no failed items ({run.status})")
    is_whole = await is_complete(database, run)
    allowed = (*RESUMABLE, "finished")
    return await _requeue(database, run_id, allowed, numbers if is_whole else None)


async def delete(database: Database, run_id: str) -> None:
    """Delete a run with all that belongs to it; a worker that has a batch in hand lets it go."""
    run = await runs.get(database, run_id)
    async with database.begin() as connection:
        await queue.clear(connection, queue_of(run.id))
        await runs.delete(connection, run.id)


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


async def _requeue(
    database: Database, run_id: str, allowed: tuple[str, ...], numbers: Sequence[int] | None = None
) -> Run:
    """Put the jobs of a run back into the queue: all of them, or those of the numbered items."""
    async with database.begin() as connection:
        if not await runs.set_status(connection, run_id, "queued", allowed_from=allowed):
            run = await runs.get(connection, run_id)
            raise RunStateError(f"run {run_id} is {run.status}; allowed: {', '.join(allowed)}")
        await queue.clear(connection, queue_of(run_id))
        await failures.clear(connection, run_id)
        run = await runs.get(connection, run_id)
        await _enqueue(connection, run, numbers)
    return run


async def _enqueue(
    connection: AsyncConnection, run: Run, numbers: Sequence[int] | None = None
) -> None:
    batch_items = RunSpec.model_validate(run.spec).batch_items
    jobs = job_arguments(run, batch_items)
    if numbers is not None:
        jobs = with_numbers(jobs, numbers)
    await queue.enqueue(connection, queue_of(run.id), WORK_TASK, jobs)
