"""A worker: takes jobs, gives signs of life, looks after the jobs of dead ones, outlives trouble.

Whatever breaks on its way to the database (a restart, a cut connection, a lease that was lost while
the process was stopped) ends procrastinate's own worker; then a new one is begun in its place.
"""

import asyncio
import contextlib
import logging
import os
import signal
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass

import procrastinate
from procrastinate import exceptions
from procrastinate.worker import Worker
from ulid import ULID

from orchestrator.contexts import RunContexts
from orchestrator.jobs import add_tasks
from orchestrator.sweeping import sweep
from storage import queue, workers
from storage.database import Database
from storage.errors import StorageError
from storage.queue import open_queue

LOG = logging.getLogger(__name__)

LEASE_S = 20.0
BEATS_A_LEASE = 4
DRAIN_S = 20.0
"""How long a worker that is told to stop may take for the jobs in its hands."""
INTERRUPT_S = 3.0
"""The same for a person who waits at a terminal."""
PAUSE_S = 0.5
FALSE_START_S = 2.0
MAX_FALSE_STARTS = 20
"""In a row: then the trouble is no outage, and who started the worker must hear of it."""


@dataclass(frozen=True)
class WorkerOptions:
    """How one worker works."""

    queues: tuple[str, ...] = ()
    """Names; none for every queue there is."""
    concurrency: int = 4
    """Jobs at a time."""
    has_signals: bool = False
    """Whether SIGINT and SIGTERM end the worker, its jobs done first."""
    lease_s: float = LEASE_S
    """Without a sign of life for so long, its jobs go to others."""
    on_beat: Callable[[], Awaitable[None]] | None = None
    """Done once a beat beside the jobs."""


@dataclass
class _Hands:
    """What a worker of this process holds."""

    jobs: set[int]
    """Ids of the jobs that are being worked on."""
    worker: Worker | None = None
    """procrastinate's own, as of now."""
    n_false_starts: int = 0
    """How often in a row it ended as soon as it was begun."""
    lost: frozenset[int] = frozenset()
    """Jobs that the database believes to be here, and are not, as of the last beat."""
    is_told_to_stop: bool = False


async def work(url: str, contexts: RunContexts, options: WorkerOptions) -> None:
    """Take jobs until cancelled or told to stop.

    Raises:
        DatabaseUnreachableError: There is no database to begin with.
        ConnectorException: The database answers, and refuses what the queue asks for.
    """
    await contexts.database.ping()
    hands = _Hands(set())
    app = add_tasks(open_queue(url), contexts, hands.jobs)
    async with app.open_async(), _beating(app, contexts.database, hands, options):
        with _signals(hands) if options.has_signals else contextlib.nullcontext():
            while not hands.is_told_to_stop:
                await _work_until_trouble(app, hands, options)
                await _settle(app, contexts.database, hands)


async def _work_until_trouble(
    app: procrastinate.App, hands: _Hands, options: WorkerOptions
) -> None:
    began_at = time.monotonic()
    hands.worker = Worker(
        app,
        queues=list(options.queues) or None,
        concurrency=options.concurrency,
        install_signal_handlers=False,
        update_heartbeat_interval=options.lease_s / BEATS_A_LEASE,
        stalled_worker_timeout=options.lease_s,
        fetch_job_polling_interval=1.0,
        shutdown_graceful_timeout=DRAIN_S if options.has_signals else INTERRUPT_S,
        delete_jobs="successful",
    )
    try:
        await hands.worker.run()  # type: ignore[no-untyped-call]  # of procrastinate
    except exceptions.ConnectorException as error:
        cause = error.__cause__ or error
        LOG.warning("worker begins anew", extra={"error": f"{type(cause).__name__}: {cause}"})
        is_false = time.monotonic() - began_at < FALSE_START_S
        hands.n_false_starts = hands.n_false_starts + 1 if is_false else 0
        if hands.n_false_starts >= MAX_FALSE_STARTS:
            raise
        await asyncio.sleep(PAUSE_S)


async def _settle(app: procrastinate.App, database: Database, hands: _Hands) -> None:
    """Wait for the database, then let go of what the ended worker still held."""
    before = None if hands.worker is None else hands.worker.worker_id
    hands.worker = None
    while not hands.is_told_to_stop:
        try:
            await database.ping()
            if before is not None:
                await app.job_manager.unregister_worker(before)
        except (StorageError, exceptions.ConnectorException):
            await asyncio.sleep(PAUSE_S)
        else:
            return


@contextlib.asynccontextmanager
async def _beating(
    app: procrastinate.App, database: Database, hands: _Hands, options: WorkerOptions
) -> AsyncIterator[None]:
    """Give signs of life until the block ends."""
    name = str(ULID())
    beating = asyncio.create_task(_beat(app, database, hands, options, name))
    try:
        yield
    finally:
        beating.cancel()
        await asyncio.gather(beating, return_exceptions=True)
        with contextlib.suppress(StorageError):
            await workers.end(database, name)


async def _beat(
    app: procrastinate.App, database: Database, hands: _Hands, options: WorkerOptions, name: str
) -> None:
    place = f"{socket.gethostname()}:{os.getpid()}"
    while True:
        try:
            await workers.see(database, name, place, options.queues)
            await _drop_lost(database, hands)
            await sweep(database, options.lease_s)
            if options.on_beat is not None:
                await options.on_beat()
        except StorageError as error:
            LOG.warning("no sign of life", extra={"error": str(error)})
        await asyncio.sleep(options.lease_s / BEATS_A_LEASE)


async def _drop_lost(database: Database, hands: _Hands) -> None:
    """Give back what this worker took and no longer works on: the end of a job was not written."""
    worker_id = None if hands.worker is None else hands.worker.worker_id
    if worker_id is None:
        hands.lost = frozenset()
        return
    not_here = frozenset(await queue.taken_by(database, worker_id) - hands.jobs)
    lost = not_here & hands.lost
    if lost:
        n_given = await queue.give_up(database, worker_id, sorted(lost))
        LOG.warning("jobs without an end given back", extra={"n_jobs": n_given})
    hands.lost = not_here - lost


@contextlib.contextmanager
def _signals(hands: _Hands) -> Iterator[None]:
    """Let SIGINT and SIGTERM end the worker."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        hands.is_told_to_stop = True
        if hands.worker is not None:
            hands.worker.stop()  # type: ignore[no-untyped-call]  # of procrastinate

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
