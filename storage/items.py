"""Items: stored once a set, under a name made from their content, shared by all runs on them."""

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Sequence
from itertools import count, islice
from typing import Any

from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from benchmarks.benchmark import Item
from storage.database import Database, execute, fetch_all, fetch_one, transaction
from storage.encoding import (
    from_json,
    from_text,
    from_text_or_none,
    to_json,
    to_text,
    to_text_or_none,
)
from storage.records import ItemPart, StoredItem

CHUNK_ITEMS = 1000

INSERT = """INSERT INTO items (item_set, number, id, language, subset, unit, fields)
SELECT $1, number, id, language, subset, unit, fields::json
FROM unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
    AS new (number, id, language, subset, unit, fields)
ON CONFLICT DO NOTHING"""

PARTS = """SELECT language, subset, min(number) AS first, max(number) AS last FROM items
WHERE item_set = $1 GROUP BY language, subset ORDER BY first"""

# Only of a whole set: what is still being stored may yet get more.
NOTE_PARTS = """UPDATE item_sets SET parts = $2::text::json
WHERE item_set = $1 AND n_items IS NOT NULL"""

SELECT = "SELECT number, id, language, subset, unit, fields::text FROM items"


async def put(
    database: Database, item_set: str, items: Iterable[Item] | AsyncIterable[Item]
) -> int:
    """Store the items of a set in order, a chunk a transaction.

    A set that is stored already is left as it is and `items` is not read; a set whose storing was
    cut off, or is going on elsewhere, is completed.

    Args:
        database: Not a transaction: a large set must not wait in one.
        item_set: A name made from the items' content.
        items: Numbered from 0 in the order they come.

    Returns:
        How many items the set has.
    """
    n_stored = await count_items(database, item_set)
    if n_stored is not None:
        return n_stored
    n_items = 0
    async for chunk in _chunks(items):
        async with database.begin() as connection:
            await execute(
                connection, "INSERT INTO item_sets VALUES ($1) ON CONFLICT DO NOTHING", item_set
            )
            await execute(connection, INSERT, item_set, *_columns(n_items, chunk))
        n_items += len(chunk)
    async with database.begin() as connection:
        await execute(
            connection,
            """INSERT INTO item_sets (item_set, n_items) VALUES ($1, $2)
                ON CONFLICT (item_set) DO UPDATE SET n_items = excluded.n_items""",
            item_set,
            n_items,
        )
    return n_items


async def count_items(source: Database | AsyncConnection, item_set: str) -> int | None:
    """Return how many items a set has; None where it is not stored, or not whole."""
    async with transaction(source) as connection:
        row = await fetch_one(
            connection, "SELECT n_items FROM item_sets WHERE item_set = $1", item_set
        )
    return None if row is None else row.n_items


async def read(
    source: Database | AsyncConnection, item_set: str, first: int, last: int
) -> list[StoredItem]:
    """Return the items `first` (included) to `last` (excluded), in order."""
    async with transaction(source) as connection:
        rows = await fetch_all(
            connection,
            f"{SELECT} WHERE item_set = $1 AND number >= $2 AND number < $3 ORDER BY number",
            item_set,
            first,
            last,
        )
    return [_stored_item(row) for row in rows]


async def find(
    source: Database | AsyncConnection, item_set: str, numbers: Iterable[int]
) -> list[StoredItem]:
    """Return the items with these numbers, in order; a number without an item is left out."""
    async with transaction(source) as connection:
        rows = await fetch_all(
            connection,
            f"{SELECT} WHERE item_set = $1 AND number = ANY($2::int[]) ORDER BY number",
            item_set,
            list(numbers),
        )
    return [_stored_item(row) for row in rows]


async def parts(source: Database | AsyncConnection, item_set: str) -> list[ItemPart]:
    """Return what languages and subsets the items of a set have, and where they stand.

    The items of a set never change, so the first to ask notes the answer.
    """
    async with transaction(source) as connection:
        row = await fetch_one(
            connection, "SELECT parts::text FROM item_sets WHERE item_set = $1", item_set
        )
        if row is None:
            return []
        if row.parts is None:
            noted = [
                (each.language, each.subset, each.first, each.last)
                for each in await fetch_all(connection, PARTS, item_set)
            ]
            await execute(connection, NOTE_PARTS, item_set, to_json(noted))
        else:
            noted = from_json(row.parts)
    return [
        ItemPart(from_text(language), from_text_or_none(subset), first, last)
        for language, subset, first, last in noted
    ]


async def stream(database: Database, item_set: str) -> AsyncIterator[StoredItem]:
    """Yield every item of a set in order, a chunk at a time in memory."""
    for first in count(step=CHUNK_ITEMS):
        chunk = await read(database, item_set, first, first + CHUNK_ITEMS)
        for stored in chunk:
            yield stored
        if len(chunk) < CHUNK_ITEMS:
            return


async def _chunks(items: Iterable[Item] | AsyncIterable[Item]) -> AsyncIterator[Sequence[Item]]:
    if isinstance(items, Iterable):
        iterator = iter(items)
        while chunk := list(islice(iterator, CHUNK_ITEMS)):
            yield chunk
        return
    gathered: list[Item] = []
    async for item in items:
        gathered.append(item)
        if len(gathered) == CHUNK_ITEMS:
            yield gathered
            gathered = []
    if gathered:
        yield gathered


def _columns(first: int, chunk: Sequence[Item]) -> tuple[list[Any], ...]:
    return (
        list(range(first, first + len(chunk))),
        [to_text(item.id) for item in chunk],
        [to_text(item.language) for item in chunk],
        [to_text_or_none(item.subset) for item in chunk],
        [to_text(item.unit) for item in chunk],
        [to_json(item.fields) for item in chunk],
    )


def _stored_item(row: Row[Any]) -> StoredItem:
    item = Item(
        id=from_text(row.id),
        language=from_text(row.language),
        subset=from_text_or_none(row.subset),
        unit=from_text(row.unit),
        fields=from_json(row.fields),
    )
    return StoredItem(number=row.number, item=item)
