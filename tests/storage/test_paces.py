"""A pace is shared: what one process takes, another waits for."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from storage import paces
from storage.database import Database

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


async def test_units_are_spread_over_the_minute_after_the_first_burst(database):
    # 60 a minute is one a second; one second's worth may be used at once.
    waits = [await paces.take(database, "key", 1, 60, now=NOON) for _ in range(4)]

    assert waits == pytest.approx([0.0, 0.0, 1.0, 2.0])


async def test_a_pace_that_was_not_used_does_not_save_up_more_than_a_burst(database):
    await paces.take(database, "key", 1, 60, now=NOON)

    later = NOON + timedelta(hours=1)
    waits = [await paces.take(database, "key", 1, 60, now=later) for _ in range(3)]

    assert waits == pytest.approx([0.0, 0.0, 1.0])


async def test_a_long_wait_reserves_nothing(database):
    # 600 tokens of 600 a minute: a whole minute is gone.
    assert await paces.take(database, "key", 600, 600, now=NOON) == 0.0

    refused = await paces.take(database, "key", 1, 600, max_wait_s=10.0, now=NOON)
    later = NOON + timedelta(seconds=50)
    granted = await paces.take(database, "key", 1, 600, max_wait_s=10.0, now=later)

    assert refused is None
    assert granted == pytest.approx(9.0)


async def test_keys_do_not_wait_for_each_other(database):
    await paces.take(database, "one", 100, 60, now=NOON)

    assert await paces.take(database, "two", 1, 60, now=NOON) == 0.0


async def test_two_replicas_share_one_pace(database, database_url):
    async with Database.open(database_url) as other:
        waits = await asyncio.gather(
            *(paces.take(each, "key", 1, 60, now=NOON) for each in (database, other) * 10)
        )

    assert sorted(waits) == pytest.approx([0.0, *range(19)])
