"""Outcomes: written a batch at a time, at most one a case, whoever writes and however often.

Read back, a run's rows are all of its cases: items times cells, answered or not.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from benchmarks.benchmark import Outcome
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
from storage.records import OutcomeFilter, OutcomePage, PagePlace, Run, StoredOutcome

_INSERT = """INSERT INTO outcomes (run_id, number, task, variant, language, subset, unit, value,
    is_valid, detail, baselines, response_keys)
SELECT $1, number, task, variant, language, subset, unit, value, is_valid, detail::json,
    baselines::json,
    ARRAY(SELECT decode(key, 'hex') FROM unnest(string_to_array(keys, ' ')) AS key)
FROM unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::float8[],
    $9::bool[], $10::text[], $11::text[], $12::text[])
    AS new (number, task, variant, language, subset, unit, value, is_valid, detail, baselines, keys)
ORDER BY task, variant, number
"""

INSERT = f"{_INSERT} ON CONFLICT DO NOTHING"

OVERWRITE = f"""{_INSERT} ON CONFLICT (run_id, task, variant, number) DO UPDATE
SET value = excluded.value, is_valid = excluded.is_valid, detail = excluded.detail,
    baselines = excluded.baselines, at = excluded.at, response_keys =
        CASE WHEN excluded.response_keys = '{{}}' THEN outcomes.response_keys
        ELSE excluded.response_keys END"""

REMOVE_FAILURES = """DELETE FROM failures USING
    unnest($2::int[], $3::text[], $4::text[]) AS answered (number, task, variant)
WHERE failures.run_id = $1 AND failures.number = answered.number
    AND failures.task = answered.task AND failures.variant = answered.variant"""

CASES = """SELECT item.number, item.id, item.language, item.subset, item.unit, cell.task,
    cell.variant, cell.position, outcome.value, outcome.is_valid, outcome.detail::text,
    outcome.baselines::text
FROM items AS item
CROSS JOIN unnest($3::text[], $4::text[]) WITH ORDINALITY AS cell (task, variant, position)
LEFT JOIN outcomes AS outcome ON outcome.run_id = $1 AND outcome.number = item.number
    AND outcome.task = cell.task AND outcome.variant = cell.variant
WHERE item.item_set = $2"""

PAGE = f"""{CASES} AND item.number >= $5 AND (item.number, cell.position) > ($5, $6::bigint)
AND ($7::text IS NULL OR item.language = $7) AND ($8::text IS NULL OR item.subset = $8)
AND ($9::text IS NULL OR cell.task = $9) AND ($10::text IS NULL OR cell.variant = $10)
AND CASE $11::text WHEN 'valid' THEN outcome.is_valid WHEN 'invalid' THEN NOT outcome.is_valid
    WHEN 'unanswered' THEN outcome.is_valid IS NULL WHEN 'right' THEN outcome.value = 1
    WHEN 'wrong' THEN outcome.value = 0 ELSE true END
ORDER BY item.number, cell.position LIMIT $12"""

OF_ITEM = """SELECT number, task, variant, language, subset, unit, value, is_valid, detail::text,
    baselines::text, response_keys
FROM outcomes WHERE run_id = $1 AND number = $2 ORDER BY task, variant"""


async def put(
    source: Database | AsyncConnection, run_id: str, rows: Sequence[StoredOutcome]
) -> int:
    """Store outcomes; the first one of a case stays, and its failure goes.

    Returns:
        How many were new.
    """
    return await _write(source, INSERT, run_id, rows)


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
        found = await fetch_all(
            connection, f"{CASES} ORDER BY cell.position, item.number", *_cases_of(run)
        )
    return [_outcome_row(row) for row in found]


async def page(
    source: Database | AsyncConnection,
    run_id: str,
    wanted: OutcomeFilter | None = None,
    after: PagePlace | None = None,
    limit: int = 100,
) -> OutcomePage:
    """Return the next cases of a run, item by item, and where the page after them starts.

    Raises:
        UnknownRunError: There is no run with this id.
    """
    wanted = wanted or OutcomeFilter()
    after = after or PagePlace(number=0, position=0)
    async with transaction(source) as connection:
        found = await fetch_all(
            connection,
            PAGE,
            *_cases_of(await runs.get(connection, run_id)),
            after.number,
            after.position,
            to_text_or_none(wanted.language),
            to_text_or_none(wanted.subset),
            to_text_or_none(wanted.task),
            to_text_or_none(wanted.variant),
            wanted.status,
            limit + 1,
        )
    shown = found[:limit]
    is_last = len(found) <= limit
    return OutcomePage(
        rows=tuple(_outcome_row(row) for row in shown),
        next_after=None if is_last else PagePlace(shown[-1].number, shown[-1].position),
    )


async def of_item(
    source: Database | AsyncConnection, run_id: str, number: int
) -> list[StoredOutcome]:
    """Return the outcomes of one item of a run, with the keys of the responses behind them."""
    async with transaction(source) as connection:
        found = await fetch_all(connection, OF_ITEM, run_id, number)
    return [_stored_outcome(row) for row in found]


async def _write(
    source: Database | AsyncConnection, sql: str, run_id: str, rows: Sequence[StoredOutcome]
) -> int:
    if not rows:
        return 0
    columns = _columns(rows)
    async with transaction(source) as connection:
        n_written = await execute(connection, sql, run_id, *columns)
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


def _cases_of(run: Run) -> tuple[object, ...]:
    tasks = [to_text(task) for task, _ in run.cells]
    variants = [to_text(variant) for _, variant in run.cells]
    return (run.id, run.item_set, tasks, variants)


def _outcome_row(row: Row[Any]) -> OutcomeRow:
    is_answered = row.is_valid is not None
    status: Status = "unanswered"
    if is_answered:
        status = "valid" if row.is_valid else "invalid"
    return OutcomeRow(
        number=row.number,
        item_id=from_text(row.id),
        language=from_text(row.language),
        subset=from_text_or_none(row.subset),
        unit=from_text(row.unit),
        task=from_text(row.task),
        variant=from_text(row.variant),
        status=status,
        value=row.value,
        detail=from_json(row.detail) if is_answered else {},
        baselines=from_json(row.baselines) if is_answered else {},
    )


def _stored_outcome(row: Row[Any]) -> StoredOutcome:
    return StoredOutcome(
        number=row.number,
        task=from_text(row.task),
        variant=from_text(row.variant),
        language=from_text(row.language),
        subset=from_text_or_none(row.subset),
        unit=from_text(row.unit),
        outcome=Outcome(
            value=row.value,
            is_valid=row.is_valid,
            detail=from_json(row.detail),
            baselines=from_json(row.baselines),
        ),
        response_keys=tuple(row.response_keys),
    )
