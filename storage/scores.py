"""Scores of a run, in sets: one for each way its answers were judged."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from metrics.score import Score
from storage.database import Database, execute, fetch_all, transaction
from storage.encoding import from_json, from_text, to_json, to_text
from storage.errors import UnknownRunError


async def replace(
    source: Database | AsyncConnection, run_id: str, score_set: str, scores: Sequence[Score]
) -> None:
    """Store a score set in the place of an earlier one of the same name.

    Raises:
        UnknownRunError: There is no run with this id.
    """
    documents = [to_json(score.model_dump(mode="json")) for score in scores]
    async with transaction(source) as connection:
        # The lock on the run lets two writers pass one after the other.
        found = await fetch_all(connection, "SELECT 1 FROM runs WHERE id = $1 FOR UPDATE", run_id)
        if not found:
            raise UnknownRunError(f"no run {run_id!r}; `polysense runs` lists them")
        await execute(
            connection,
            "DELETE FROM scores WHERE run_id = $1 AND score_set = $2",
            run_id,
            to_text(score_set),
        )
        await execute(
            connection,
            """INSERT INTO scores (run_id, score_set, position, score)
                SELECT $1, $2, position, score::json
                FROM unnest($3::text[]) WITH ORDINALITY AS new (score, position)""",
            run_id,
            to_text(score_set),
            documents,
        )


async def read(
    source: Database | AsyncConnection, run_id: str, score_set: str | None = None
) -> list[Score]:
    """Return a score set in the order it was stored; without a name, the one stored last."""
    async with transaction(source) as connection:
        rows = await fetch_all(
            connection,
            """SELECT score::text FROM scores WHERE run_id = $1 AND score_set = coalesce($2,
                (SELECT score_set FROM scores WHERE run_id = $1 ORDER BY at DESC LIMIT 1))
                ORDER BY position""",
            run_id,
            None if score_set is None else to_text(score_set),
        )
    return [Score.model_validate(from_json(row.score)) for row in rows]


async def list_sets(source: Database | AsyncConnection, run_id: str) -> list[str]:
    """Return the names of a run's score sets, the one stored last first."""
    async with transaction(source) as connection:
        rows = await fetch_all(
            connection,
            """SELECT score_set FROM scores WHERE run_id = $1
                GROUP BY score_set ORDER BY max(at) DESC, score_set""",
            run_id,
        )
    return [from_text(row.score_set) for row in rows]
