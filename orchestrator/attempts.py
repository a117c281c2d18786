"""What a job does: try a batch, try it again, and end the run where trying is of no more use."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial

from orchestrator.conclusion import conclude, is_complete
from orchestrator.contexts import RunContexts
from orchestrator.errors import (
    BudgetReachedError,
    OrchestratorError,
    ProviderRefusedError,
    WrongUseError,
)
from orchestrator.work import RunContext, work_range
from storage import failures, queue, runs
from storage.database import Database
from storage.errors import DatabaseUnreachableError, UnknownRunError
from storage.queue import RUN_QUEUE_PREFIX
from storage.records import Run

LOG = logging.getLogger(__name__)

PAUSES_S = (2.0, 4.0, 8.0, None)
"""Between attempts; none after the last."""
MAX_INTERRUPTIONS = 50
"""A job whose worker dies this often is likely what kills it."""
TELL_EVERY_S = 15.0
ACTIVE = ("queued", "running")
Action = Callable[[RunContext], Awaitable[None]]


async def work_span(
    contexts: RunContexts, run_id: str, batches: Sequence[tuple[int, int]], n_interruptions: int
) -> None:
    """Work on batches of a run until they are done or the run is no longer to go on.

    Raises:
        DatabaseUnreachableError: It went away; the same call may be made again.
    """
    try:
        run = await runs.get(contexts.database, run_id)
        if run.status not in ACTIVE:
            return
        if n_interruptions >= MAX_INTERRUPTIONS:
            first, last = batches[0][0], batches[-1][1]
            problem = f"workers died {n_interruptions} times on items {first} to {last}"
            await fail(contexts, run, "WorkerDiedError", problem)
            return
        await runs.set_status(contexts.database, run_id, "running", allowed_from=("queued",))
        for first, last in batches:
            if not await _attempt(contexts, run, partial(work_range, first=first, last=last)):
                return
        if await _is_last(contexts.database, run) and await _attempt(contexts, run, conclude):
            await contexts.drop(run_id)
    except UnknownRunError:  # deleted meanwhile
        await contexts.drop(run_id)


async def fail(contexts: RunContexts, run: Run, error: str, reason: str) -> None:
    """End a run that cannot go on; every case without an outcome is listed with the error."""
    database = contexts.database
    async with database.begin() as connection:
        if await runs.set_status(connection, run.id, "failed", allowed_from=ACTIVE, reason=reason):
            await failures.put_open(connection, run, error, reason)
            await queue.clear(connection, f"{RUN_QUEUE_PREFIX}{run.id}")
    await contexts.drop(run.id)


async def _pause(contexts: RunContexts, run: Run, reason: str) -> None:
    """Stop a run that may spend no more; a larger budget lets it go on."""
    database = contexts.database
    async with database.begin() as connection:
        if await runs.set_status(connection, run.id, "paused", allowed_from=ACTIVE, reason=reason):
            await queue.clear(connection, f"{RUN_QUEUE_PREFIX}{run.id}")
    await contexts.drop(run.id)


async def _attempt(contexts: RunContexts, run: Run, action: Action) -> bool:
    """Do one thing for a run, again if need be; say whether it was done and the run goes on."""
    for pause_s in PAUSES_S:
        state = await runs.read_state(contexts.database, run.id)
        if state.status not in ACTIVE:
            return False
        problem = await _try(contexts, run, action)
        if problem is None:
            if state.reason is not None:
                await runs.set_reason(contexts.database, run.id, None)
            return True
        if isinstance(problem, BudgetReachedError):
            await _pause(contexts, run, str(problem))
            return False
        if pause_s is None or isinstance(problem, ProviderRefusedError | WrongUseError):
            await fail(contexts, run, type(problem).__name__, _sentence(problem))
            return False
        sentence = f"{_sentence(problem)}; asked again in {pause_s:.0f} s"
        await runs.set_reason(contexts.database, run.id, sentence)
        await asyncio.sleep(pause_s)
    raise AssertionError("the last attempt always returns")


async def _try(contexts: RunContexts, run: Run, action: Action) -> Exception | None:
    """Do it once; return what went wrong, if it is not the database."""
    try:
        async with _silence_told(contexts, run):
            await action(await contexts.get(run))
    except (DatabaseUnreachableError, UnknownRunError):
        raise
    except OrchestratorError as error:
        return error
    except Exception as error:  # the one catch-all of a worker
        LOG.exception("job failed", extra={"run": run.id, "error": type(error).__name__})
        return error
    return None


@contextlib.asynccontextmanager
async def _silence_told(contexts: RunContexts, run: Run) -> AsyncIterator[None]:
    """Say of a run that its model has not answered, once that takes long."""

    async def tell() -> None:
        silent_s = contexts.silence_s
        await asyncio.sleep(silent_s)
        while True:
            sentence = f"model {run.model} has not answered for {silent_s:.0f} s"
            with contextlib.suppress(DatabaseUnreachableError):
                await runs.set_reason(contexts.database, run.id, sentence)
            await asyncio.sleep(TELL_EVERY_S)
            silent_s += TELL_EVERY_S

    telling = asyncio.create_task(tell())
    try:
        yield
    finally:
        telling.cancel()
        await asyncio.gather(telling, return_exceptions=True)


async def _is_last(database: Database, run: Run) -> bool:
    """Say whether no job of the run waits and every case is decided.

    Counting the cases takes time, so it is done only when the queue is empty; jobs that end
    together may both see the end, and concluding twice changes nothing.
    """
    if await queue.n_waiting(database, f"{RUN_QUEUE_PREFIX}{run.id}") > 0:
        return False
    return await is_complete(database, run)


def _sentence(problem: Exception) -> str:
    if isinstance(problem, OrchestratorError):
        return str(problem)
    return f"{type(problem).__name__}: {problem}"
