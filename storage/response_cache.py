"""The stored responses as a cache: how large it is, and what nobody needs any more."""

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import Database, execute, fetch_all, transaction
from storage.encoding import from_text, to_text_or_none

SIZE = """SELECT provider, model, count(*) AS n_responses,
    sum(pg_column_size(request) + pg_column_size(response) + pg_column_size(usage)) AS n_bytes
FROM responses GROUP BY provider, model ORDER BY n_bytes DESC"""

# Which responses outcomes refer to is asked once; there is no index to ask it one by one.
USED = """CREATE TEMPORARY TABLE used_responses ON COMMIT DROP AS
SELECT DISTINCT unnest(response_keys) AS key FROM outcomes"""

# A run that goes on may have stored a response, and not yet the outcome made of it.
PRUNE = """DELETE FROM responses AS response
WHERE at < now() - make_interval(secs => $1)
    AND ($2::text IS NULL OR model = $2)
    AND ($3 OR NOT EXISTS (SELECT 1 FROM used_responses WHERE key = response.key))
    AND at < coalesce((SELECT min(created_at) FROM runs
        WHERE status IN ('queued', 'running', 'paused')), 'infinity')"""


@dataclass(frozen=True, slots=True)
class CacheSize:
    """What the responses of one model take."""

    provider: str
    model: str
    n_responses: int
    n_bytes: int


async def size(source: Database | AsyncConnection) -> list[CacheSize]:
    """Return what the responses of each model take, the largest first."""
    async with transaction(source) as connection:
        rows = await fetch_all(connection, SIZE)
    return [
        CacheSize(from_text(row.provider), from_text(row.model), row.n_responses, int(row.n_bytes))
        for row in rows
    ]


async def prune(
    source: Database | AsyncConnection,
    older_than_s: float,
    model: str | None,
    *,
    also_used: bool,
) -> int:
    """Delete responses; what a living run may still need stays.

    Args:
        source: The database, or an open transaction.
        older_than_s: Only those stored longer ago.
        model: Only those of this model.
        also_used: Whether also those that outcomes were judged from; they cannot be judged again.

    Returns:
        How many there were.
    """
    async with transaction(source) as connection:
        await execute(connection, USED)
        return await execute(connection, PRUNE, older_than_s, to_text_or_none(model), also_used)


async def files_in_use(source: Database | AsyncConnection) -> set[str]:
    """Return the files that responses refer to: hidden states."""
    async with transaction(source) as connection:
        rows = await fetch_all(
            connection,
            """SELECT DISTINCT response->>'file' AS file FROM responses
                WHERE kind = 'hidden_states' AND response->>'file' IS NOT NULL""",
        )
    return {from_text(row.file) for row in rows}
