"""Cases that got no answer, kept apart from outcomes so that they can be asked again."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import Database, execute, fetch_all, transaction
from storage.encoding import from_text, to_text
from storage.records import Failure, Run

# A case that has an outcome by now, from another worker, has not failed.
INSERT = """INSERT INTO failures (run_id, number, task, variant, error, detail, request_key,
    n_attempts)
SELECT $1, number, task, variant, error, detail, request_key, n_attempts
FROM unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[])
    AS new (number, task, variant, error, detail, request_key, n_attempts)
WHERE NOT EXISTS (SELECT 1 FROM outcomes WHERE run_id = $1 AND task = new.task
    AND variant = new.variant AND number = new.number)
ORDER BY task, variant, number
ON CONFLICT (run_id, task, variant, number) DO UPDATE
SET error = excluded.error, detail = excluded.detail, request_key = excluded.request_key,
    n_attempts = failures.n_attempts + excluded.n_attempts, at = excluded.at"""

# Outcomes hold a weaker lock on the run while they are written: nobody writes one in between, so
# that no case ends up with both.
LOCK_RUN = "SELECT 1 FROM runs WHERE id = $1 FOR UPDATE"

INSERT_OPEN = """INSERT INTO failures (run_id, number, task, variant, error, detail, request_key,
    n_attempts)
SELECT $1, item.number, cell.task, cell.variant, $5, $6, '', 1
FROM items AS item CROSS JOIN unnest($3::text[], $4::text[]) AS cell (task, variant)
WHERE item.item_set = $2 AND NOT EXISTS (SELECT 1 FROM outcomes WHERE run_id = $1
    AND task = cell.task AND variant = cell.variant AND number = item.number)
ON CONFLICT DO NOTHING"""

SELECT = """SELECT number, task, variant, error, detail, request_key, n_attempts FROM failures
WHERE run_id = $1 ORDER BY number, task, variant LIMIT $2"""

OF_ITEM = """SELECT number, task, variant, error, detail, request_key, n_attempts FROM failures
WHERE run_id = $1 AND number = $2 ORDER BY task, variant"""


async def put(source: Database | AsyncConnection, run_id: str, failed: Sequence[Failure]) -> None:
    """Store failures; of a case that failed before the attempts add up and the last error stays."""
    if not failed:
        return
    async with transaction(source) as connection:
        await fetch_all(connection, LOCK_RUN, run_id)
        await execute(
            connection,
            INSERT,
            run_id,
            [failure.number for failure in failed],
            [to_text(failure.task) for failure in failed],
            [to_text(failure.variant) for failure in failed],
            [to_text(failure.error) for failure in failed],
            [to_text(failure.detail) for failure in failed],
            [to_text(failure.request_key) for failure in failed],
            [failure.n_attempts for failure in failed],
        )


async def put_open(source: Database | AsyncConnection, run: Run, error: str, detail: str) -> int:
    """List every case of a run that has neither outcome nor failure; return how many there were."""
    async with transaction(source) as connection:
        await fetch_all(connection, LOCK_RUN, run.id)
        return await execute(
            connection,
            INSERT_OPEN,
            run.id,
            run.item_set,
            [to_text(task) for task, _ in run.cells],
            [to_text(variant) for _, variant in run.cells],
            to_text(error),
            to_text(detail),
        )


async def numbers(source: Database | AsyncConnection, run_id: str) -> list[int]:
    """Return the numbers of the items with a failed case, rising."""
    async with transaction(source) as connection:
        sql = "SELECT DISTINCT number FROM failures WHERE run_id = $1 ORDER BY number"
        rows = await fetch_all(connection, sql, run_id)
    return [row.number for row in rows]


async def list_failures(
    source: Database | AsyncConnection, run_id: str, limit: int | None = None
) -> list[Failure]:
    """Return the failures of a run in the order of its items."""
    async with transaction(source) as connection:
        rows = await fetch_all(connection, SELECT, run_id, limit)
    return [_failure(row) for row in rows]


async def of_item(source: Database | AsyncConnection, run_id: str, number: int) -> list[Failure]:
    """Return the failed cases of one item of a run."""
    async with transaction(source) as connection:
        rows = await fetch_all(connection, OF_ITEM, run_id, number)
    return [_failure(row) for row in rows]


async def count_by_error(source: Database | AsyncConnection, run_id: str) -> dict[str, int]:
    """Return how many cases failed with each class of error, the most frequent first."""
    async with transaction(source) as connection:
        rows = await fetch_all(
            connection,
            """SELECT error, count(*) AS n FROM failures WHERE run_id = $1
                GROUP BY error ORDER BY n DESC, error""",
            run_id,
        )
    return {from_text(row.error): row.n for row in rows}


async def clear(source: Database | AsyncConnection, run_id: str) -> int:
    """Forget the failures of a run, so that its cases are open again; return how many."""
    async with transaction(source) as connection:
        return await execute(connection, "DELETE FROM failures WHERE run_id = $1", run_id)


def _failure(row: Row[Any]) -> Failure:
    return Failure(
        number=row.number,
        task=from_text(row.task),
        variant=from_text(row.variant),
        error=from_text(row.error),
        detail=from_text(row.detail),
        request_key=from_text(row.request_key),
        n_attempts=row.n_attempts,
    )
