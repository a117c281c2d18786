"""Outcomes for people to look at: page by page, and those of one item."""

from typing import Any

from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from benchmarks.benchmark import Outcome
from storage import runs
from storage.database import Database, execute, fetch_all, transaction
from storage.encoding import from_json, from_text, from_text_or_none, to_text, to_text_or_none
from storage.outcomes import outcome_row
from storage.records import OutcomeFilter, OutcomePage, PagePlace, StoredOutcome

# One look-up by primary key for each case shown, whatever the planner believes of fresh tables.
PAGE = """SELECT item.number, item.id, item.language, item.subset, item.unit, cell.task,
    cell.variant, cell.position, outcome.value, outcome.is_valid, outcome.detail, outcome.baselines
FROM items AS item
CROSS JOIN unnest($3::text[], $4::text[]) WITH ORDINALITY AS cell (task, variant, position)
LEFT JOIN LATERAL (
    SELECT value, is_valid, detail::text, baselines::text FROM outcomes
    WHERE run_id = $1 AND task = cell.task AND variant = cell.variant AND number = item.number
    LIMIT 1) AS outcome ON true
WHERE item.item_set = $2 AND item.number >= $5
AND (item.number > $5 OR cell.position > $6::bigint)
AND ($7::text IS NULL OR item.language = $7) AND ($8::text IS NULL OR item.subset = $8)
AND ($9::text IS NULL OR cell.task = $9) AND ($10::text IS NULL OR cell.variant = $10)
AND CASE $11::text WHEN 'valid' THEN outcome.is_valid WHEN 'invalid' THEN NOT outcome.is_valid
    WHEN 'unanswered' THEN outcome.is_valid IS NULL WHEN 'right' THEN outcome.value = 1
    WHEN 'wrong' THEN outcome.value = 0 ELSE true END
ORDER BY item.number, cell.position LIMIT $12"""

OF_ITEM = """SELECT number, task, variant, language, subset, unit, value, is_valid, detail::text,
    baselines::text, response_keys
FROM outcomes WHERE run_id = $1 AND number = $2 ORDER BY task, variant"""


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
        run = await runs.get(connection, run_id)
        # Sorting all cases would cost more than stopping at the first that fit.
        await execute(connection, "SET LOCAL enable_sort = off")
        found = await fetch_all(
            connection,
            PAGE,
            run.id,
            run.item_set,
            [to_text(task) for task, _ in run.cells],
            [to_text(variant) for _, variant in run.cells],
            after.number,
            after.position,
            to_text_or_none(wanted.language),
            to_text_or_none(wanted.subset),
            to_text_or_none(wanted.task),
            to_text_or_none(wanted.variant),
            wanted.status,
            limit + 1,
        )
        await execute(connection, "SET LOCAL enable_sort = on")
    shown = found[:limit]
    is_last = len(found) <= limit
    return OutcomePage(
        rows=tuple(
            outcome_row(row, (from_text(row.task), from_text(row.variant)), row) for row in shown
        ),
        next_after=None if is_last else PagePlace(shown[-1].number, shown[-1].position),
    )


async def of_item(
    source: Database | AsyncConnection, run_id: str, number: int
) -> list[StoredOutcome]:
    """Return the outcomes of one item of a run, with the keys of the responses behind them."""
    async with transaction(source) as connection:
        found = await fetch_all(connection, OF_ITEM, run_id, number)
    return [_stored_outcome(row) for row in found]


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
