"""Whom the end of a run is told: kept beside the run, told by whichever worker comes first."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import Database, execute, fetch_all, fetch_one, transaction
from storage.encoding import from_text, from_text_or_none, to_text, to_text_or_none

MAX_ATTEMPTS = 5
CLAIM_S = 60
"""For so long nobody else tells the same end."""

# Taking is one statement: of several workers, one tells.
TAKE = """UPDATE webhooks SET due_at = now() + make_interval(secs => $1 * (1 << n_attempts)),
    n_attempts = n_attempts + 1
FROM runs WHERE runs.id = webhooks.run_id AND webhooks.run_id IN (
    SELECT hook.run_id FROM webhooks AS hook JOIN runs AS run ON run.id = hook.run_id
    WHERE run.finished_at IS NOT NULL AND hook.told_of IS DISTINCT FROM run.finished_at
        AND hook.due_at <= now() AND hook.n_attempts < $2
    LIMIT $3 FOR UPDATE OF hook SKIP LOCKED)
RETURNING webhooks.run_id, webhooks.url, runs.finished_at"""


@dataclass(frozen=True, slots=True)
class Webhook:
    """An end that is to be told."""

    run_id: str
    url: str
    finished_at: datetime


async def put(source: Database | AsyncConnection, run_id: str, url: str) -> None:
    """Note whom the end of a run is told."""
    async with transaction(source) as connection:
        await execute(
            connection,
            """INSERT INTO webhooks (run_id, url) VALUES ($1, $2)
                ON CONFLICT (run_id) DO UPDATE SET url = excluded.url""",
            run_id,
            to_text(url),
        )


async def take_due(source: Database | AsyncConnection, limit: int = 10) -> list[Webhook]:
    """Take ends that nobody has told yet; those that fail are due again, ever later."""
    async with transaction(source) as connection:
        rows = await fetch_all(connection, TAKE, CLAIM_S, MAX_ATTEMPTS, limit)
    return [Webhook(row.run_id, from_text(row.url), row.finished_at) for row in rows]


async def note(source: Database | AsyncConnection, told: Webhook, problem: str | None) -> None:
    """Note that an end was told, or why not; the next end starts with all its attempts."""
    async with transaction(source) as connection:
        await execute(
            connection,
            """UPDATE webhooks SET problem = $2::text,
                told_of = CASE WHEN $2::text IS NULL THEN $3::timestamptz ELSE told_of END,
                n_attempts = CASE WHEN $2::text IS NULL THEN 0 ELSE n_attempts END
                WHERE run_id = $1""",
            told.run_id,
            to_text_or_none(problem),
            told.finished_at,
        )


async def problem_of(source: Database | AsyncConnection, run_id: str) -> str | None:
    """Return why the end of a run could not be told, if it could not."""
    async with transaction(source) as connection:
        row = await fetch_one(connection, "SELECT problem FROM webhooks WHERE run_id = $1", run_id)
    return None if row is None else from_text_or_none(row.problem)
