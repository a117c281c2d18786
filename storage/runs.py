"""Runs: made once, moved from status to status, counted, deleted."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Row
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import Database, execute, fetch_all, fetch_one, transaction
from storage.encoding import (
    from_json,
    from_text,
    from_text_or_none,
    to_json,
    to_text,
    to_text_or_none,
)
from storage.errors import UnknownItemSetError, UnknownRunError
from storage.queue import RUN_QUEUE_PREFIX
from storage.records import NewRun, Progress, Run, RunState, RunStatus

COLUMNS = """id, benchmark, model, spec::text, manifest::text, item_set, n_items, cells::text,
    settings::text, seed, idempotency_key, status, reason, note, tags, created_at, started_at,
    finished_at"""

INSERT = f"""INSERT INTO runs (id, benchmark, model, spec, manifest, item_set, n_items, cells,
    settings, seed, idempotency_key, spec_sha256)
VALUES ($1, $2, $3, $4::text::json, $5::text::json, $6, $7, $8::text::json, $9::text::json, $10,
    $11, $12)
ON CONFLICT (idempotency_key, spec_sha256) DO NOTHING RETURNING {COLUMNS}"""

SET_STATUS = """UPDATE runs SET status = $2, reason = $4, progress = NULL,
    started_at = CASE WHEN $2 = 'running' THEN coalesce(started_at, now()) ELSE started_at END,
    finished_at = CASE WHEN $2 IN ('finished', 'failed', 'cancelled') THEN now() END
WHERE id = $1 AND status = ANY($3::text[])"""

PROGRESS_FIELDS = ("n_cases", "n_outcomes", "n_failures", "n_items", "n_answered")

SET_REASON = """UPDATE runs SET reason = $2
WHERE id = $1 AND status IN ('queued', 'running') AND reason IS DISTINCT FROM $2"""

STRANDED = f"""status IN ('queued', 'running') AND NOT EXISTS (
    SELECT 1 FROM procrastinate_jobs WHERE queue_name = '{RUN_QUEUE_PREFIX}' || runs.id
        AND status IN ('todo', 'doing'))"""

COUNT_ANSWERED = """SELECT count(*) AS n FROM (
    SELECT number FROM outcomes WHERE run_id = $1 GROUP BY number HAVING count(*) = $2) AS whole"""


async def create(source: Database | AsyncConnection, new: NewRun) -> Run:
    """Store a run as `queued`; its items must be stored already.

    Returns:
        The run, or the one that was made before with the same idempotency key and spec.

    Raises:
        UnknownItemSetError: The run's items are not stored.
    """
    async with transaction(source) as connection:
        try:
            row = await fetch_one(connection, INSERT, *_arguments(new))
        except IntegrityError as error:
            if "runs_item_set_fkey" not in str(error.orig):
                raise
            message = f"run {new.id} names the item set {new.item_set}, which is not stored"
            raise UnknownItemSetError(message) from error
        if row is not None:
            return _run(row)
        before = await find_by_key(connection, new.idempotency_key or "", new.spec)
        assert before is not None
        return before


async def find_by_key(
    source: Database | AsyncConnection, idempotency_key: str, spec: Mapping[str, Any]
) -> Run | None:
    """Return the run that a key has made of a spec; another spec is another run."""
    async with transaction(source) as connection:
        sql = f"SELECT {COLUMNS} FROM runs WHERE idempotency_key = $1 AND spec_sha256 = $2"
        row = await fetch_one(connection, sql, to_text(idempotency_key), _spec_sha256(spec))
    return None if row is None else _run(row)


async def list_stranded(source: Database | AsyncConnection) -> list[Run]:
    """Return the runs that are to go on, but of which no job waits or is worked on."""
    async with transaction(source) as connection:
        sql = f"SELECT {COLUMNS} FROM runs WHERE {STRANDED} ORDER BY id"  # constants
        rows = await fetch_all(connection, sql)
    return [_run(row) for row in rows]


async def get(source: Database | AsyncConnection, run_id: str) -> Run:
    """Return one run.

    Raises:
        UnknownRunError: There is no run with this id.
    """
    async with transaction(source) as connection:
        sql = f"SELECT {COLUMNS} FROM runs WHERE id = $1"  # constant
        row = await fetch_one(connection, sql, to_text(run_id))
    if row is None:
        raise UnknownRunError(f"no run {run_id!r}; `polysense runs` lists them")
    return _run(row)


async def list_runs(
    source: Database | AsyncConnection, limit: int = 50, before: str | None = None
) -> list[Run]:
    """Return runs, newest first.

    Args:
        source: The database, or an open transaction.
        limit: At most this many.
        before: Only runs older than the one with this id.
    """
    async with transaction(source) as connection:
        sql = f"""SELECT {COLUMNS} FROM runs WHERE $1::text IS NULL OR id < $1
            ORDER BY id DESC LIMIT $2"""  # constant
        rows = await fetch_all(connection, sql, None if before is None else to_text(before), limit)
    return [_run(row) for row in rows]


async def latest(source: Database | AsyncConnection) -> Run | None:
    """Return the newest run, or None where there is none."""
    return next(iter(await list_runs(source, limit=1)), None)


async def set_status(
    source: Database | AsyncConnection,
    run_id: str,
    to: RunStatus,
    *,
    allowed_from: Iterable[str],
    reason: str | None = None,
) -> bool:
    """Move a run to another status, if it is in an allowed one.

    Returns:
        Whether it was moved; of several callers at once, one is told True.
    """
    stored_reason = None if reason is None else to_text(reason)
    async with transaction(source) as connection:
        n_moved = await execute(
            connection, SET_STATUS, run_id, to, list(allowed_from), stored_reason
        )
    return n_moved == 1


async def read_state(source: Database | AsyncConnection, run_id: str) -> RunState:
    """Return a run's status and reason, without all that is large about it.

    Raises:
        UnknownRunError: There is no run with this id.
    """
    async with transaction(source) as connection:
        row = await fetch_one(connection, "SELECT status, reason FROM runs WHERE id = $1", run_id)
    if row is None:
        raise UnknownRunError(f"no run {run_id!r}; `polysense runs` lists them")
    return RunState(row.status, from_text_or_none(row.reason))


async def set_reason(source: Database | AsyncConnection, run_id: str, reason: str | None) -> None:
    """Say what keeps a run that is to go on, or that nothing does."""
    async with transaction(source) as connection:
        await execute(connection, SET_REASON, run_id, to_text_or_none(reason))


async def set_manifest(
    source: Database | AsyncConnection, run_id: str, manifest: Mapping[str, Any]
) -> None:
    """Replace a run's manifest.

    Raises:
        UnknownRunError: There is no run with this id.
    """
    await _change(source, run_id, "manifest = $2::text::json", to_json(manifest))


async def set_note(
    source: Database | AsyncConnection, run_id: str, note: str | None, tags: Iterable[str]
) -> None:
    """Replace what people wrote about a run.

    Raises:
        UnknownRunError: There is no run with this id.
    """
    stored_note = None if note is None else to_text(note)
    stored_tags = [to_text(tag) for tag in tags]
    await _change(source, run_id, "note = $2, tags = $3", stored_note, stored_tags)


async def count_progress(source: Database | AsyncConnection, run_id: str) -> Progress:
    """Count how far a run has come.

    Raises:
        UnknownRunError: There is no run with this id.
    """
    async with transaction(source) as connection:
        run = await get(connection, run_id)
        if run.status == "finished":
            sql = "SELECT progress::text FROM runs WHERE id = $1"
            row = await fetch_one(connection, sql, run_id)
            if row is not None and row.progress is not None:
                return Progress(**from_json(row.progress))
        return await _count(connection, run)


async def finish(
    source: Database | AsyncConnection, run_id: str, *, allowed_from: Iterable[str]
) -> bool:
    """Mark a run as finished, with its counts: of a large one they take long to make.

    Returns:
        Whether it was in an allowed status.
    """
    async with transaction(source) as connection:
        if not await set_status(connection, run_id, "finished", allowed_from=allowed_from):
            return False
        counted = await _count(connection, await get(connection, run_id))
        document = to_json({name: getattr(counted, name) for name in PROGRESS_FIELDS})
        await _change(connection, run_id, "progress = $2::text::json", document)
    return True


async def _count(connection: AsyncConnection, run: Run) -> Progress:
    counts = await fetch_one(
        connection,
        """SELECT (SELECT count(*) FROM outcomes WHERE run_id = $1) AS n_outcomes,
            (SELECT count(*) FROM failures WHERE run_id = $1) AS n_failures""",
        run.id,
    )
    assert counts is not None
    n_answered = counts.n_outcomes
    if len(run.cells) != 1:
        answered = await fetch_all(connection, COUNT_ANSWERED, run.id, len(run.cells))
        n_answered = answered[0].n
    return Progress(
        n_cases=run.n_items * len(run.cells),
        n_outcomes=counts.n_outcomes,
        n_failures=counts.n_failures,
        n_items=run.n_items,
        n_answered=n_answered,
    )


async def delete(source: Database | AsyncConnection, run_id: str) -> None:
    """Delete a run with all that belongs to it; its items go with the last run that asks them.

    Stored responses stay: another run may ask the same.

    Raises:
        UnknownRunError: There is no run with this id.
    """
    async with transaction(source) as connection:
        row = await fetch_one(
            connection, "DELETE FROM runs WHERE id = $1 RETURNING item_set", to_text(run_id)
        )
        if row is None:
            raise UnknownRunError(f"no run {run_id!r}; `polysense runs` lists them")
        await fetch_one(
            connection, "SELECT 1 FROM item_sets WHERE item_set = $1 FOR UPDATE", row.item_set
        )
        await execute(
            connection,
            """DELETE FROM item_sets WHERE item_set = $1
                AND NOT EXISTS (SELECT 1 FROM runs WHERE item_set = $1)""",
            row.item_set,
        )


async def _change(
    source: Database | AsyncConnection, run_id: str, assignment: str, *arguments: object
) -> None:
    async with transaction(source) as connection:
        sql = f"UPDATE runs SET {assignment} WHERE id = $1"  # constants above
        if not await execute(connection, sql, run_id, *arguments):
            raise UnknownRunError(f"no run {run_id!r}; `polysense runs` lists them")


def _arguments(new: NewRun) -> tuple[object, ...]:
    return (
        new.id,
        new.benchmark,
        to_text(new.model),
        to_json(new.spec),
        to_json(new.manifest),
        new.item_set,
        new.n_items,
        to_json(new.cells),
        to_json(new.settings),
        new.seed,
        None if new.idempotency_key is None else to_text(new.idempotency_key),
        _spec_sha256(new.spec),
    )


def _spec_sha256(spec: Mapping[str, Any]) -> str:
    """Hash what decides a run; how much it may cost does not."""
    decisive = {name: value for name, value in spec.items() if name != "budget"}
    return hashlib.sha256(json.dumps(decisive, sort_keys=True, default=str).encode()).hexdigest()


def _run(row: Row[Any]) -> Run:
    return Run(
        id=row.id,
        benchmark=row.benchmark,
        model=from_text(row.model),
        spec=from_json(row.spec),
        manifest=from_json(row.manifest),
        item_set=row.item_set,
        n_items=row.n_items,
        cells=tuple((task, variant) for task, variant in from_json(row.cells)),
        settings=from_json(row.settings),
        seed=row.seed,
        idempotency_key=from_text_or_none(row.idempotency_key),
        status=row.status,
        reason=from_text_or_none(row.reason),
        note=from_text_or_none(row.note),
        tags=tuple(from_text(tag) for tag in row.tags),
        created_at=row.created_at,
        started_at=row.started_at,
        finished_at=row.finished_at,
    )
