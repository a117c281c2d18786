"""Outcomes for people to look at: page by page, and those of one item."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from benchmarks.benchmark import Outcome
from storage import items, runs
from storage.database import Database, execute, fetch_all, transaction
from storage.encoding import from_json, from_text, from_text_or_none, to_text, to_text_or_none
from storage.outcomes import outcome_row
from storage.records import (
    OutcomeFilter,
    OutcomePage,
    OutcomeStatus,
    PagePlace,
    Run,
    StoredOutcome,
)

VERDICTS: Mapping[OutcomeStatus, str] = {
    "right": "found.value = 1",
    "wrong": "found.value = 0",
    "invalid": "NOT found.is_valid",
}

# One look-up by primary key for each case shown, whatever the planner believes of fresh tables.
_PAGE = """SELECT item.number, item.id, item.language, item.subset, item.unit, cell.task,
    cell.variant, cell.position, outcome.value, outcome.is_valid, outcome.detail, outcome.baselines
FROM items AS item
CROSS JOIN unnest($3::text[], $4::text[]) WITH ORDINALITY AS cell (task, variant, position)
LEFT JOIN LATERAL (
    SELECT value, is_valid, detail::text, baselines::text FROM outcomes
    WHERE run_id = $1 AND task = cell.task AND variant = cell.variant AND number = item.number
    LIMIT 1) AS outcome ON true
WHERE item.item_set = $2 AND item.number >= $5 AND item.number <= $13{which}
AND (item.number > $5 OR cell.position > $6::bigint)
AND ($7::text IS NULL OR item.language = $7) AND ($8::text IS NULL OR item.subset = $8)
AND ($9::text IS NULL OR cell.task = $9) AND ($10::text IS NULL OR cell.variant = $10)
AND CASE $11::text WHEN 'valid' THEN outcome.is_valid WHEN 'invalid' THEN NOT outcome.is_valid
    WHEN 'unanswered' THEN outcome.is_valid IS NULL WHEN 'right' THEN outcome.value = 1
    WHEN 'wrong' THEN outcome.value = 0 ELSE true END
ORDER BY item.number, cell.position LIMIT $12"""

PAGE = _PAGE.format(which="")
PAGE_OF_NUMBERS = _PAGE.format(which=" AND item.number = ANY($14::int[])")

# Where few cases fit, an index finds the next of them; looking at every case would take seconds.
_CANDIDATES = """SELECT found.number FROM {table} AS found{join}
WHERE found.run_id = $1 AND {verdict} AND found.number >= $3 AND found.number <= $4
AND ($5::text IS NULL OR {items}.language = $5) AND ($6::text IS NULL OR {items}.subset = $6)
AND ($7::text IS NULL OR found.task = $7) AND ($8::text IS NULL OR found.variant = $8)
AND $2::text IS NOT NULL ORDER BY found.number LIMIT $9"""
_JOIN = " JOIN items AS item ON item.item_set = $2 AND item.number = found.number"
CANDIDATES: Mapping[OutcomeStatus, str] = {
    **{
        status: _CANDIDATES.format(table="outcomes", join="", verdict=verdict, items="found")
        for status, verdict in VERDICTS.items()
    },
    "unanswered": _CANDIDATES.format(table="failures", join=_JOIN, verdict="true", items="item"),
}

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
        bounds = await _bounds(connection, run, wanted, after)
        if bounds is None:
            return OutcomePage(rows=(), next_after=None)
        begin, last = bounds
        numbers = await _candidates(connection, run, wanted, (begin.number, last), limit)
        # Sorting all cases would cost more than stopping at the first that fit.
        await execute(connection, "SET LOCAL enable_sort = off")
        found = await fetch_all(
            connection,
            PAGE if numbers is None else PAGE_OF_NUMBERS,
            run.id,
            run.item_set,
            [to_text(task) for task, _ in run.cells],
            [to_text(variant) for _, variant in run.cells],
            begin.number,
            begin.position,
            *_filter_arguments(wanted),
            wanted.status,
            limit + 1,
            last,
            *(() if numbers is None else (numbers,)),
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


async def _bounds(
    connection: AsyncConnection, run: Run, wanted: OutcomeFilter, after: PagePlace
) -> tuple[PagePlace, int] | None:
    """Return after which place to begin and the last number that may fit; None where none does."""
    if not any(
        wanted.task in (None, task) and wanted.variant in (None, variant)
        for task, variant in run.cells
    ):
        return None
    if wanted.language is None and wanted.subset is None:
        return after, run.n_items - 1
    fitting = [
        part
        for part in await items.parts(connection, run.item_set)
        if wanted.language in (None, part.language) and wanted.subset in (None, part.subset)
    ]
    if not fitting:
        return None
    first, last = min(part.first for part in fitting), max(part.last for part in fitting)
    return (after if after.number >= first else PagePlace(first, 0)), last


async def _candidates(
    connection: AsyncConnection,
    run: Run,
    wanted: OutcomeFilter,
    bounds: tuple[int, int],
    limit: int,
) -> list[int] | None:
    """Return the numbers of the next items with a case that fits; None where any item may."""
    if wanted.status is None or wanted.status not in CANDIDATES:
        return None
    if wanted.status == "unanswered" and not await _is_decided(connection, run):
        return None
    rows = await fetch_all(
        connection,
        CANDIDATES[wanted.status],
        run.id,
        run.item_set,
        *bounds,
        *_filter_arguments(wanted),
        limit + 1 + len(run.cells),
    )
    return sorted({row.number for row in rows})


async def _is_decided(connection: AsyncConnection, run: Run) -> bool:
    """Say whether every case without an outcome is known to be a failure."""
    if run.status != "finished":
        return False
    counted = await runs.count_progress(connection, run.id)
    return counted.n_outcomes + counted.n_failures == counted.n_cases


def _filter_arguments(wanted: OutcomeFilter) -> tuple[str | None, ...]:
    return (
        to_text_or_none(wanted.language),
        to_text_or_none(wanted.subset),
        to_text_or_none(wanted.task),
        to_text_or_none(wanted.variant),
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
