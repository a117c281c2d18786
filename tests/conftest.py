"""Fixtures that every room may use."""

import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import count
from pathlib import Path

import psycopg
import pytest

from storage.address import libpq_address, with_database
from storage.database import Database
from storage.embedded import start_postgres, stop_postgres
from storage.migrate import migrate

TEST_DATA = Path(
    os.environ.get("POLYSENSE_TEST_DATA", Path(__file__).parents[2] / "shared" / "data")
)

TEMPLATE = "migrated"
_NUMBERS = count(1)


@pytest.fixture(scope="session")
def real_data() -> Callable[[str], Path]:
    """Return a function from a benchmark's name to its folder of released files, or skip."""

    def folder(name: str) -> Path:
        path = TEST_DATA / name
        if not path.is_dir():
            pytest.skip(f"no released {name} files at {path} (set POLYSENSE_TEST_DATA)")
        return path

    return folder


@pytest.fixture(scope="session")
def database_server() -> Iterator[str]:
    """Start the bundled Postgres once a session (and xdist worker); return its URL.

    It has a migrated database that the tests' own ones are copied from.
    """
    folder = Path(tempfile.mkdtemp(prefix="polysense-test-"))
    url = start_postgres(folder, is_throwaway=True)
    _administer(url, f"CREATE DATABASE {TEMPLATE}")
    migrate(with_database(url, TEMPLATE))
    yield url
    stop_postgres(folder)
    shutil.rmtree(folder)


@pytest.fixture
def database_url(database_server: str) -> Iterator[str]:
    """Return the URL of a migrated database that only this test has."""
    yield from _own_database(database_server, TEMPLATE)


@pytest.fixture
def empty_database_url(database_server: str) -> Iterator[str]:
    """Return the URL of a database without a single table, that only this test has."""
    yield from _own_database(database_server, "template1")


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """Return a migrated database that only this test has, opened."""
    async with Database.open(database_url) as opened:
        yield opened


def _own_database(server: str, template: str) -> Iterator[str]:
    name = f"test_{next(_NUMBERS)}"
    _administer(server, f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
    yield with_database(server, name)
    _administer(server, f"DROP DATABASE {name} WITH (FORCE)")


def _administer(url: str, statement: str) -> None:
    with psycopg.connect(libpq_address(url), autocommit=True) as connection:
        connection.execute(statement)  # type: ignore[arg-type]  # made of constants
