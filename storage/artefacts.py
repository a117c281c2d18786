"""Files of a run that rest outside the database: where they are and what they must hash to."""

from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import Database, execute, fetch_all, transaction
from storage.encoding import from_text, to_text
from storage.records import Artefact


async def put(source: Database | AsyncConnection, artefact: Artefact) -> None:
    """Note where a run's file is; noting it again moves it."""
    async with transaction(source) as connection:
        await execute(
            connection,
            """INSERT INTO artefacts (run_id, sha256, kind, path, n_bytes)
                VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT (run_id, sha256, kind) DO UPDATE SET path = excluded.path""",
            artefact.run_id,
            artefact.sha256,
            artefact.kind,
            to_text(artefact.path),
            artefact.n_bytes,
        )


async def list_artefacts(
    source: Database | AsyncConnection, run_id: str, kind: str | None = None
) -> list[Artefact]:
    """Return the files of a run, of one kind or of all."""
    async with transaction(source) as connection:
        rows = await fetch_all(
            connection,
            """SELECT sha256, run_id, kind, path, n_bytes FROM artefacts
                WHERE run_id = $1 AND ($2::text IS NULL OR kind = $2)
                ORDER BY kind, path, sha256""",
            run_id,
            kind,
        )
    return [
        Artefact(row.sha256, row.run_id, row.kind, from_text(row.path), row.n_bytes) for row in rows
    ]


async def is_used(source: Database | AsyncConnection, sha256: str) -> bool:
    """Say whether any run still has a file with this checksum."""
    async with transaction(source) as connection:
        rows = await fetch_all(
            connection, "SELECT 1 FROM artefacts WHERE sha256 = $1 LIMIT 1", sha256
        )
    return bool(rows)
