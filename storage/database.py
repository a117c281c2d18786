"""A connection pool to one Postgres, and transactions on it.

Every function of `storage` takes a `Database` or an open transaction first; given a transaction it
takes part in it and commits nothing.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Self

import asyncpg
from sqlalchemy import Row
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from storage.address import asyncpg_address, place
from storage.errors import DatabaseRefusedError, DatabaseUnreachableError

POOL_SIZE = 5
MAX_OVERFLOW = 15


class Database:
    """One Postgres database; opened once a process and shared by all of its tasks."""

    def __init__(self, url: str, engine: AsyncEngine) -> None:
        self.url = url
        self._engine = engine

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str) -> AsyncIterator[Self]:
        """Open a pool of connections and close it at the end; connects at the first use.

        Raises:
            DatabaseAddressError: The address cannot be read.
        """
        engine = _engine(url)
        try:
            yield cls(url, engine)
        finally:
            await engine.dispose()

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[AsyncConnection]:
        """Open a transaction: committed at the end, rolled back on an error.

        Raises:
            DatabaseUnreachableError: The database does not answer or went away.
            DatabaseRefusedError: It does not do what it is asked.
        """
        try:
            async with self._engine.begin() as connection:
                yield connection
        except DBAPIError as error:
            where = f"Postgres at {place(self.url)}"
            if error.connection_invalidated:
                raise DatabaseUnreachableError(f"lost the connection to {where}") from error
            raise DatabaseRefusedError(f"{where} refused: {reason_of(error)}") from error

    async def ping(self) -> None:
        """Ask the database for a sign of life.

        Raises:
            DatabaseUnreachableError: There is none.
        """
        async with self.begin() as connection:
            await fetch_all(connection, "SELECT 1")


@asynccontextmanager
async def transaction(source: Database | AsyncConnection) -> AsyncIterator[AsyncConnection]:
    """Take part in the given transaction, or open one of its own."""
    if isinstance(source, Database):
        async with source.begin() as connection:
            yield connection
    else:
        yield source


async def execute(connection: AsyncConnection, sql: str, *arguments: object) -> int:
    """Run one statement with `$1`-style parameters; lists are arrays.

    Returns:
        How many rows it touched.
    """
    result = await connection.exec_driver_sql(sql, arguments)
    return result.rowcount


async def fetch_all(connection: AsyncConnection, sql: str, *arguments: object) -> list[Row[Any]]:
    """Run one query with `$1`-style parameters and return its rows."""
    result = await connection.exec_driver_sql(sql, arguments)
    return list(result.all())


async def fetch_one(connection: AsyncConnection, sql: str, *arguments: object) -> Row[Any] | None:
    """Run one query and return its first row, or None."""
    result = await connection.exec_driver_sql(sql, arguments)
    return result.first()


def reason_of(error: DBAPIError) -> str:
    """Return what Postgres said, in one line."""
    said = error.orig.__cause__ or error.orig if error.orig is not None else error
    return str(said).strip().splitlines()[0]


def _engine(url: str) -> AsyncEngine:
    address, timeout_s = asyncpg_address(url)

    async def connect() -> asyncpg.Connection:
        try:
            return await asyncpg.connect(address, timeout=timeout_s)
        except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            reason = str(error) or type(error).__name__
            message = f"cannot reach Postgres at {place(url)}: {reason}"
            raise DatabaseUnreachableError(message) from error

    return create_async_engine(
        "postgresql+asyncpg://",
        async_creator=connect,
        pool_size=POOL_SIZE,
        max_overflow=MAX_OVERFLOW,
        pool_pre_ping=True,
    )
