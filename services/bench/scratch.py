"""A database of a bench's own on the home's server, so that nothing of it stays behind."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from pydantic import SecretStr
from ulid import ULID

from services.home import Home
from storage.address import libpq_address, place, with_database
from storage.errors import DatabaseRefusedError, DatabaseUnreachableError


@contextmanager
def scratch_home(home: Home) -> Iterator[Home]:
    """Lend a home whose database is empty and thrown away at the end.

    Raises:
        DatabaseUnreachableError: The server does not answer.
        DatabaseRefusedError: It does not let databases be made.
    """
    server = home.database_url()
    name = f"polysense_bench_{str(ULID()).lower()}"
    _administer(server, f'CREATE DATABASE "{name}"')
    try:
        url = SecretStr(with_database(server, name))
        yield Home(home.settings.model_copy(update={"database_url": url}))
    finally:
        _administer(server, f'DROP DATABASE "{name}" WITH (FORCE)')


def _administer(url: str, statement: str) -> None:
    try:
        with psycopg.connect(libpq_address(url), autocommit=True) as connection:
            connection.execute(statement.encode())
    except psycopg.OperationalError as error:
        raise DatabaseUnreachableError(f"no Postgres at {place(url)}: {error}") from error
    except psycopg.Error as error:
        raise DatabaseRefusedError(f"Postgres at {place(url)} refused: {error}") from error
