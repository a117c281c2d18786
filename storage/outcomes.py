"""Outcomes: written a batch at a time, at most one a case, whoever writes and however often.

Read back, a run's rows are all of its cases: items times cells, answered or not.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from metrics.table import OutcomeRow, Status
from storage import runs
from storage.database import Database, execute, fetch_all, transaction
from storage.encoding import (
    from_json,
    from_text,
    from_text_or_none,
    to_json,
    to_number,
    to_text,
    to_text_or_none,
)
from storage.records import StoredOutcome

_INSERT = """INSERT INTO outcomes (run_id, number, task, variant, language, subset, unit, value,
    is_valid, detail, baselines, response_keys)
SELECT $1, number, task, variant, language, subset, unit, value, is_valid, detail::json,
    baselines::json,
    ARRAY(SELECT decode(key, 'hex') FROM unnest(string_to_array(keys, ' ')) AS key)
FROM unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::float8[],
    $9::bool[], $10::text[], $11::text[], $12::text[])
    AS new (number, task, variant, language, subset, unit, value, is_valid, detail, baselines, keys)
"""
_IN_ORDER = "ORDER BY number, task, variant"
_UNLESS_FINISHED = """WHERE NOT EXISTS
    (SELECT 1 FROM runs WHERE id = $1 AND status = 'finished')"""

INSERT = f"{_INSERT} {_IN_ORDER} ON CONFLICT DO NOTHING"

ANSWER = f"{_INSERT} {_UNLESS_FINISHED} {_IN_ORDER} ON CONFLICT DO NOTHING"

OVERWRITE = f"""{_INSERT} {_IN_ORDER} ON CONFLICT (run_id, task, variant, number) DO UPDATE
SET value = excluded.value, is_valid = excluded.is_valid, detail = excluded.detail,
    baselines = excluded.baselines, at = excluded.at, response_keys =
        CASE WHEN excluded.response_keys = '{{}}' THEN outcomes.response_keys
        ELSE excluded.response_keys END"""

REMOVE_FAILURES = """DELETE FROM failures USING
    unnest($2::int[], $3::text[], $4::text[]) AS answered (number, task, variant)
WHERE failures.run_id = $1 AND failures.number = answered.number
    AND failures.task = answered.task AND failures.variant = answered.variant"""

ITEMS_OF_RUN = """SELECT number, id, language, subset, unit FROM items
WHERE item_set = $1 ORDER BY number"""

OF_RUN = """SELECT number, task, variant, value, is_valid, detail::text, baselines::text
FROM outcomes WHERE run_id = $1"""


async def put(
    source: Database | AsyncConnection, run_id: str, rows: Sequence[StoredOutcome]
) -> int:
    """Store outcomes; the first one of a case stays, and its failure goes.

    Returns:
        How many were new.
    """
    return await _write(source, INSERT, run_id, rows)


async def answer(
    source: Database | AsyncConnection, run_id: str, rows: Sequence[StoredOutcome]
) -> int:
    """Store what a worker has judged; a run whose scores are made takes nothing more.

    Returns:
        How many were new.
    """
    return await _write(source, ANSWER, run_id, rows)


async def overwrite(
    source: Database | AsyncConnection, run_id: str, rows: Iterable[StoredOutcome]
) -> int:
    """Store outcomes in the place of earlier ones, whose response keys stay where none are given.

    Returns:
        How many were written.
    """
    return await _write(source, OVERWRITE, run_id, list(rows))


async def done(
    source: Database | AsyncConnection, run_id: str, first: int, last: int
) -> set[tuple[int, str, str]]:
    """Return (number, task, variant) of the cases with an outcome, of a half-open range of items.

    Failed cases have none.
    """
    async with transaction(source) as connection:
        rows = await fetch_all(
            connection,
            """SELECT number, task, variant FROM outcomes
                WHERE run_id = $1 AND number >= $2 AND number < $3""",
            run_id,
            first,
            last,
        )
    return {(row.number, from_text(row.task), from_text(row.variant)) for row in rows}


async def rows(source: Database | AsyncConnection, run_id: str) -> list[OutcomeRow]:
    """Return every case of a run, cell by cell in the order of the items.

    Raises:
        UnknownRunError: There is no run with this id.
    """
    async with transaction(source) as connection:
        run = await runs.get(connection, run_id)
        asked = await fetch_all(connection, ITEMS_OF_RUN, run.item_set)
        found = await fetch_all(connection, OF_RUN, run_id)
    by_case = {(row.task, row.variant, row.number): row for row in found}
    return [
        outcome_row(
            item, (task, variant), by_case.get((to_text(task), to_text(variant), item.number))
        )
        for task, variant in run.cells
        for item in asked
    ]


async def _write(
    source: Database | AsyncConnection, sql: str, run_id: str, rows: Sequence[StoredOutcome]
) -> int:
    if not rows:
        return 0
    columns = _columns(rows)
    async with transaction(source) as connection:
        n_written = await execute(connection, sql, run_id, *columns)
        if n_written or sql is not ANSWER:
            await execute(connection, REMOVE_FAILURES, run_id, *columns[:3])
    return n_written


def _columns(rows: Sequence[StoredOutcome]) -> tuple[list[Any], ...]:
    return (
        [row.number for row in rows],
        [to_text(row.task) for row in rows],
        [to_text(row.variant) for row in rows],
        [to_text(row.language) for row in rows],
        [to_text_or_none(row.subset) for row in rows],
        [to_text(row.unit) for row in rows],
        [to_number(row.outcome.value) for row in rows],
        [row.outcome.is_valid for row in rows],
        [to_json(row.outcome.detail) for row in rows],
        [to_json(row.outcome.baselines) for row in rows],
        [" ".join(key.hex() for key in row.response_keys) for row in rows],
    )


def outcome_row(item: Row[Any], cell: tuple[str, str], outcome: Row[Any] | None) -> OutcomeRow:
    """Put together what was asked of an item and what came of it."""
    if outcome is None or outcome.is_valid is None:
        status: Status = "unanswered"
        value, detail, baselines = None, {}, {}
    else:
        status = "valid" if outcome.is_valid else "invalid"
        value = outcome.value
        detail, baselines = from_json(outcome.detail), from_json(outcome.baselines)
    return OutcomeRow(
        number=item.number,
        item_id=from_text(item.id),
        language=from_text(item.language),
        subset=from_text_or_none(item.subset),
        unit=from_text(item.unit),
        task=cell[0],
        variant=cell[1],
        status=status,
        value=value,
        detail=detail,
        baselines=baselines,
    )
