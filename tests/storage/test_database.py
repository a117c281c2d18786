import asyncio

import pytest

from storage.database import Database, execute, fetch_all, fetch_one
from storage.errors import DatabaseUnreachableError


async def n_of(database, table):
    async with database.begin() as connection:
        row = await fetch_one(connection, f"SELECT count(*) AS n FROM {table}")
    return row.n


async def test_an_error_rolls_everything_back(database):
    async def write_and_fail():
        async with database.begin() as connection:
            await execute(connection, "INSERT INTO item_sets VALUES ($1)", "one")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await write_and_fail()

    assert await n_of(database, "item_sets") == 0


async def test_a_cancelled_task_rolls_back_and_gives_its_connection_back(database):
    is_inside = asyncio.Event()

    async def write_and_wait():
        async with database.begin() as connection:
            await execute(connection, "INSERT INTO item_sets VALUES ($1)", "one")
            is_inside.set()
            await execute(connection, "SELECT pg_sleep(60)")

    for _ in range(30):  # more than the pool has connections
        is_inside.clear()
        task = asyncio.create_task(write_and_wait())
        await is_inside.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    assert await n_of(database, "item_sets") == 0


async def test_a_connection_that_the_server_ended_is_told_and_replaced(database):
    async with database.begin() as connection:
        row = await fetch_one(connection, "SELECT pg_backend_pid() AS pid")

    async def lose_it():
        async with database.begin() as connection:
            await fetch_all(connection, "SELECT pg_terminate_backend(pg_backend_pid())")
            await fetch_all(connection, "SELECT 1")

    with pytest.raises(DatabaseUnreachableError, match="lost the connection to Postgres"):
        await lose_it()

    async with database.begin() as connection:
        after = await fetch_one(connection, "SELECT pg_backend_pid() AS pid")
    assert after.pid != row.pid


async def test_an_idle_connection_that_died_is_not_noticed_by_the_caller(database, database_url):
    async with database.begin() as connection:
        row = await fetch_one(connection, "SELECT pg_backend_pid() AS pid")
    async with Database.open(database_url) as other, other.begin() as connection:
        await fetch_all(connection, "SELECT pg_terminate_backend($1::int)", row.pid)

    await database.ping()


async def test_many_tasks_share_the_pool(database):
    await asyncio.gather(*(database.ping() for _ in range(100)))
