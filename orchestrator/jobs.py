"""The tasks that the queue runs, and the worker that runs them."""

import logging

import procrastinate
from procrastinate import JobContext, RetryStrategy

from orchestrator.conclusion import conclude, is_complete
from orchestrator.contexts import RunContexts
from orchestrator.errors import ProviderRefusedError, ProviderUnavailableError
from orchestrator.plan import ranges
from orchestrator.work import work_range
from storage import queue, runs
from storage.database import Database
from storage.records import Run

LOG = logging.getLogger(__name__)

WORK_TASK = "work_range"
MAX_ATTEMPTS = 4
HEARTBEAT_S = 5.0
STALLED_AFTER_S = 20.0
DRAIN_S = 20.0
"""How long a worker that is told to stop may take for the jobs in its hands."""
INTERRUPT_S = 3.0
"""The same for a person who waits at a terminal."""
ACTIVE = ("queued", "running")


def queue_of(run_id: str) -> str:
    """Return the name of the queue that holds a run's jobs."""
    return f"run-{run_id}"


def job_arguments(run: Run, batch_items: int) -> list[dict[str, object]]:
    """Return the arguments of every job of a run: one range of items each."""
    return [
        {"run_id": run.id, "first": first, "last": last}
        for first, last in ranges(run.n_items, batch_items)
    ]


def add_tasks(app: procrastinate.App, contexts: RunContexts) -> procrastinate.App:
    """Register what a worker of this process can do."""

    @app.task(
        name=WORK_TASK,
        pass_context=True,
        retry=RetryStrategy(max_attempts=MAX_ATTEMPTS, exponential_wait=2),
    )
    async def work_range_job(context: JobContext, *, run_id: str, first: int, last: int) -> None:
        is_last_attempt = context.job.attempts + 1 >= MAX_ATTEMPTS
        await _work(contexts, run_id, (first, last), is_last_attempt=is_last_attempt)

    @app.periodic(cron="* * * * *")
    @app.task(name="retry_stalled_jobs", queueing_lock="retry_stalled_jobs", pass_context=True)
    async def retry_stalled_jobs(context: JobContext, timestamp: int) -> None:
        del timestamp
        await hand_back_stalled(context.app)

    return app


async def hand_back_stalled(app: procrastinate.App) -> int:
    """Give the jobs of workers that died back to the queue; return how many there were."""
    stalled = list(await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=STALLED_AFTER_S))
    for job in stalled:
        await app.job_manager.retry_job(job)
    if stalled:
        LOG.warning("jobs of a dead worker handed back", extra={"n_jobs": len(stalled)})
    return len(stalled)


async def run_worker(
    app: procrastinate.App, queues: list[str], concurrency: int, *, signals: bool
) -> None:
    """Work until cancelled or told to stop.

    Args:
        app: With the tasks added and its connection open.
        queues: Names; empty for every queue there is.
        concurrency: Jobs at a time.
        signals: Whether SIGINT and SIGTERM end the worker, its jobs done first.
    """
    await app.run_worker_async(
        queues=queues or None,  # type: ignore[arg-type]  # None is allowed, its type forgets it
        concurrency=concurrency,
        install_signal_handlers=signals,
        update_heartbeat_interval=HEARTBEAT_S,
        stalled_worker_timeout=STALLED_AFTER_S,
        fetch_job_polling_interval=1.0,
        shutdown_graceful_timeout=DRAIN_S if signals else INTERRUPT_S,
        delete_jobs="successful",
    )


async def _work(
    contexts: RunContexts, run_id: str, bounds: tuple[int, int], *, is_last_attempt: bool
) -> None:
    """Work on one range; a model that is gone for good, or too long, fails the run."""
    database = contexts.database
    run = await runs.get(database, run_id)
    if run.status not in ACTIVE:
        return
    await runs.set_status(database, run_id, "running", allowed_from=("queued",))
    try:
        context = await contexts.get(run)
        await work_range(context, *bounds)
        if await _is_last(database, run):
            await conclude(context)
            await contexts.drop(run_id)
    except ProviderRefusedError as error:
        await _fail(contexts, run, str(error))
    except ProviderUnavailableError as error:
        if not is_last_attempt:
            raise
        await _fail(contexts, run, str(error))
    except Exception as error:  # the one catch-all of a worker
        LOG.exception("job failed", extra={"run": run_id, "error": type(error).__name__})
        if not is_last_attempt:
            raise
        await _fail(contexts, run, f"{type(error).__name__}: {error}")


async def _is_last(database: Database, run: Run) -> bool:
    """Say whether no job of the run waits and every case is decided.

    Counting the cases takes time, so it is done only when the queue is empty; jobs that end
    together may both see the end, and concluding twice changes nothing.
    """
    if await queue.n_waiting(database, queue_of(run.id)) > 0:
        return False
    return await is_complete(database, run)


async def _fail(contexts: RunContexts, run: Run, reason: str) -> None:
    await runs.set_status(contexts.database, run.id, "failed", allowed_from=ACTIVE, reason=reason)
    await contexts.drop(run.id)
