"""Claims: which process asks which question just now, by the key of its response."""

from collections.abc import Iterable

from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import Database, execute, fetch_all, transaction
from storage.encoding import to_text

TAKE = """INSERT INTO claims AS claim (key, owner, until)
SELECT key, $2, clock_timestamp() + make_interval(secs => $3::float8)
FROM unnest($1::bytea[]) AS key ORDER BY key
ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, until = excluded.until
WHERE claim.until < clock_timestamp() OR claim.owner = excluded.owner
RETURNING key"""


async def take(
    source: Database | AsyncConnection, owner: str, keys: Iterable[bytes], lease_s: float
) -> set[bytes]:
    """Claim keys that nobody else has claimed, or renew one's own.

    Args:
        source: The database, or an open transaction.
        owner: Names one call of one process.
        keys: Of the responses that are about to be asked for.
        lease_s: A claim that is not renewed for so long is anybody's: its owner has died.

    Returns:
        Those that are the owner's now.
    """
    async with transaction(source) as connection:
        rows = await fetch_all(connection, TAKE, list(keys), to_text(owner), lease_s)
    return {row.key for row in rows}


async def give_back(source: Database | AsyncConnection, owner: str, keys: Iterable[bytes]) -> None:
    """Let go of keys whose responses are stored, or will not come."""
    async with transaction(source) as connection:
        await execute(
            connection,
            "DELETE FROM claims WHERE key = ANY($1::bytea[]) AND owner = $2",
            list(keys),
            to_text(owner),
        )
