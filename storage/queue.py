"""The job queue: procrastinate in the same database, so that a run and its jobs commit together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import procrastinate
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.address import libpq_address
from storage.database import Database, execute, fetch_all, fetch_one, transaction
from storage.encoding import to_json

RUN_QUEUE_PREFIX = "run-"
"""Each run has a queue of its own, named by its id."""
MIN_CONNECTIONS = 1
MAX_CONNECTIONS = 10

# procrastinate's own function, so that its triggers and notifications are the same.
ENQUEUE = """SELECT procrastinate_defer_jobs_v1(ARRAY(
    SELECT ROW($1, $2, $3, NULL, NULL, arguments::jsonb, NULL)::procrastinate_job_to_defer_v1
    FROM unnest($4::text[]) WITH ORDINALITY AS job (arguments, position) ORDER BY position))"""

# A worker that lost its lease may still finish: the outcomes' key keeps what it writes single.
HAND_BACK = """UPDATE procrastinate_jobs SET status = 'todo', attempts = attempts + 1,
    worker_id = NULL, scheduled_at = NULL, abort_requested = false
WHERE id IN (SELECT job.id FROM procrastinate_jobs AS job
    LEFT JOIN procrastinate_workers AS worker ON worker.id = job.worker_id
    WHERE job.status = 'doing'
        AND (worker.id IS NULL OR worker.last_heartbeat < now() - make_interval(secs => $1))
    FOR UPDATE OF job SKIP LOCKED)"""

# A job whose end could not be written stays with a worker that has forgotten it.
LOSE = """UPDATE procrastinate_jobs SET status = 'todo', attempts = attempts + 1,
    worker_id = NULL, scheduled_at = NULL, abort_requested = false
WHERE status = 'doing' AND worker_id = $1 AND id = ANY($2::bigint[])"""

SWEEP_LOCK = 7_265_536_474
"""Of the advisory lock that lets one worker at a time look after the jobs of others."""

STALLED = """SELECT count(*) AS n FROM procrastinate_jobs AS job
LEFT JOIN procrastinate_workers AS worker ON worker.id = job.worker_id
WHERE job.status = 'doing' AND ($1::text IS NULL OR job.queue_name = $1)
    AND (worker.id IS NULL OR worker.last_heartbeat < now() - make_interval(secs => $2))"""


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """How many jobs of a queue are in each state; finished ones are not counted."""

    n_waiting: int
    n_running: int
    n_failed: int


def open_queue(url: str) -> procrastinate.App:
    """Return the queue's app; it connects in `async with app.open_async()`.

    Args:
        url: Any spelling that `storage.address` reads; the same as the database's.

    Raises:
        DatabaseAddressError: The address cannot be read.
    """
    connector = procrastinate.PsycopgConnector(
        conninfo=libpq_address(url), min_size=MIN_CONNECTIONS, max_size=MAX_CONNECTIONS
    )
    return procrastinate.App(connector=connector)


async def enqueue(
    source: Database | AsyncConnection,
    queue: str,
    task_name: str,
    arguments: Sequence[Mapping[str, Any]],
    priority: int = 0,
) -> None:
    """Put one job for each of the arguments into a queue, within the given transaction."""
    if not arguments:
        return
    documents = [to_json(each) for each in arguments]
    async with transaction(source) as connection:
        await fetch_all(connection, ENQUEUE, queue, task_name, priority, documents)


async def pending(source: Database | AsyncConnection, queue: str) -> QueueCounts:
    """Count the jobs of a queue by state."""
    async with transaction(source) as connection:
        rows = await fetch_all(
            connection,
            """SELECT status::text, count(*) AS n FROM procrastinate_jobs
                WHERE queue_name = $1 GROUP BY status""",
            queue,
        )
    n_by_status = {row.status: row.n for row in rows}
    return QueueCounts(
        n_waiting=n_by_status.get("todo", 0),
        n_running=n_by_status.get("doing", 0),
        n_failed=n_by_status.get("failed", 0),
    )


async def n_waiting(source: Database | AsyncConnection, queue: str) -> int:
    """Count the jobs of a queue that no worker has taken yet."""
    return (await pending(source, queue)).n_waiting


async def n_stalled(
    source: Database | AsyncConnection, queue: str | None, without_heartbeat_s: float
) -> int:
    """Count the jobs, of one queue or of all, whose worker has died."""
    async with transaction(source) as connection:
        row = await fetch_one(connection, STALLED, queue, without_heartbeat_s)
    return 0 if row is None else int(row.n)


async def try_sweep_lock(connection: AsyncConnection) -> bool:
    """Say whether this transaction, and no other, may look after the jobs of dead workers."""
    row = await fetch_one(connection, "SELECT pg_try_advisory_xact_lock($1) AS mine", SWEEP_LOCK)
    return row is not None and bool(row.mine)


async def hand_back(source: Database | AsyncConnection, lease_s: float) -> int:
    """Give the jobs of workers without a heartbeat back to their queues; return how many."""
    async with transaction(source) as connection:
        return await execute(connection, HAND_BACK, lease_s)


async def taken_by(source: Database | AsyncConnection, worker_id: int) -> set[int]:
    """Return the jobs that a worker has taken, as the database believes."""
    async with transaction(source) as connection:
        rows = await fetch_all(
            connection,
            "SELECT id FROM procrastinate_jobs WHERE status = 'doing' AND worker_id = $1",
            worker_id,
        )
    return {row.id for row in rows}


async def give_up(
    source: Database | AsyncConnection, worker_id: int, job_ids: Sequence[int]
) -> int:
    """Give jobs of a living worker that it no longer works on back; return how many."""
    async with transaction(source) as connection:
        return await execute(connection, LOSE, worker_id, list(job_ids))


async def clear(source: Database | AsyncConnection, queue: str) -> int:
    """Remove the jobs of a queue that no worker has taken yet; return how many."""
    async with transaction(source) as connection:
        return await execute(
            connection,
            "DELETE FROM procrastinate_jobs WHERE queue_name = $1 AND status = 'todo'",
            queue,
        )
