"""Which stored responses was each case of a run judged from?"""

from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import Database, fetch_all, transaction
from storage.encoding import from_text


async def by_case(
    source: Database | AsyncConnection, run_id: str, first: int, last: int
) -> dict[tuple[int, str, str], tuple[bytes, ...]]:
    """Return the keys of the responses behind each outcome of a half-open range of items.

    Returns:
        By number, task and variant; a case without an outcome is not there.
    """
    async with transaction(source) as connection:
        rows = await fetch_all(
            connection,
            """SELECT number, task, variant, response_keys FROM outcomes
                WHERE run_id = $1 AND number >= $2 AND number < $3""",
            run_id,
            first,
            last,
        )
    return {
        (row.number, from_text(row.task), from_text(row.variant)): tuple(row.response_keys)
        for row in rows
    }
