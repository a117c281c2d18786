"""Paces: so many requests, tokens or characters a minute, shared by every process that asks."""

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import Database, fetch_one, transaction
from storage.encoding import to_text

BURST_S = 1.0
"""What was not used in so many seconds may be used at once."""

# The bucket as one moment: it is full where `free_at` lies in the past, and each unit that is
# taken moves it. A caller waits until the moment is no more than the burst ahead.
TAKE = """WITH clock AS (SELECT coalesce($4::timestamptz, clock_timestamp()) AS now)
INSERT INTO paces AS pace (name, free_at)
SELECT $1, now + make_interval(secs => $2::float8) FROM clock
ON CONFLICT (name) DO UPDATE
SET free_at = greatest(pace.free_at, (SELECT now FROM clock)) + make_interval(secs => $2::float8)
WHERE pace.free_at <= (SELECT now FROM clock) + make_interval(secs => $3::float8)
RETURNING extract(epoch FROM pace.free_at - (SELECT now FROM clock))::float8 AS ahead_s"""


async def take(
    source: Database | AsyncConnection,
    name: str,
    n_units: float,
    n_per_minute: float,
    *,
    max_wait_s: float = 60.0,
    now: datetime | None = None,
) -> float | None:
    """Reserve units of a pace, in the order of asking.

    Args:
        source: The database, or an open transaction.
        name: Of the key and of what is counted.
        n_units: How many requests, tokens or characters.
        n_per_minute: How many there may be in a minute.
        max_wait_s: Nothing is reserved where the wait would be longer.
        now: None takes the database's clock, which all replicas share.

    Returns:
        How long to wait before they may be used, in seconds; None where nothing was reserved.
    """
    cost_s = 60.0 * n_units / n_per_minute
    async with transaction(source) as connection:
        row = await fetch_one(connection, TAKE, to_text(name), cost_s, BURST_S + max_wait_s, now)
    return None if row is None else max(0.0, float(row.ahead_s) - cost_s - BURST_S)
