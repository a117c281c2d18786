"""Workers: who has given a sign of life, for which queues, and when."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import Database, execute, fetch_all, transaction
from storage.encoding import from_text, to_text

KEPT_DAYS = 7
SILENT_AFTER_S = 30.0

SEE = """INSERT INTO workers (id, place, queues) VALUES ($1, $2, $3)
ON CONFLICT (id) DO UPDATE SET seen_at = now(), ended_at = NULL"""

FORGET = """DELETE FROM workers WHERE seen_at < now() - make_interval(days => $1)
AND seen_at < (SELECT max(seen_at) FROM workers)"""

LIST = """SELECT id, place, queues, started_at, seen_at, ended_at, now() AS now,
    extract(epoch FROM now() - seen_at)::float8 AS silent_s
FROM workers ORDER BY seen_at DESC LIMIT $1"""


@dataclass(frozen=True, slots=True)
class Worker:
    """One worker process, as the database knows it."""

    id: str
    place: str
    """Host and process."""
    queues: tuple[str, ...] | None
    """None: every queue there is."""
    started_at: datetime
    seen_at: datetime
    ended_at: datetime | None
    """When it said that it stops; None while it works, and where it was killed."""
    silent_s: float
    """Since its last sign of life, by the database's clock."""

    def serves(self, queue: str) -> bool:
        """Say whether it takes jobs of a queue."""
        return self.queues is None or queue in self.queues

    @property
    def is_alive(self) -> bool:
        """Whether it works, as far as one can tell."""
        return self.ended_at is None and self.silent_s < SILENT_AFTER_S

    @property
    def last_sign(self) -> datetime:
        """When it was there for the last time."""
        return self.seen_at if self.ended_at is None else self.ended_at


async def see(
    source: Database | AsyncConnection, worker_id: str, place: str, queues: Sequence[str]
) -> None:
    """Note a sign of life of a worker; without queues it takes the jobs of all."""
    stored = [to_text(queue) for queue in queues] or None
    async with transaction(source) as connection:
        await execute(connection, SEE, worker_id, to_text(place), stored)


async def end(source: Database | AsyncConnection, worker_id: str) -> None:
    """Note that a worker stops."""
    async with transaction(source) as connection:
        sql = "UPDATE workers SET ended_at = now(), seen_at = now() WHERE id = $1"
        await execute(connection, sql, worker_id)


async def forget_old(source: Database | AsyncConnection) -> int:
    """Forget who has been silent for a week, but never the last one; return how many."""
    async with transaction(source) as connection:
        return await execute(connection, FORGET, KEPT_DAYS)


async def list_workers(source: Database | AsyncConnection, limit: int = 1_000) -> list[Worker]:
    """Return workers, the one seen last first."""
    async with transaction(source) as connection:
        rows = await fetch_all(connection, LIST, limit)
    return [
        Worker(
            id=row.id,
            place=from_text(row.place),
            queues=None if row.queues is None else tuple(from_text(q) for q in row.queues),
            started_at=row.started_at,
            seen_at=row.seen_at,
            ended_at=row.ended_at,
            silent_s=row.silent_s,
        )
        for row in rows
    ]
