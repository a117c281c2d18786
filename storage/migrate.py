"""Bring a database to the schema that this version of polysense expects."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy.exc import DBAPIError

from storage.address import libpq_address, place
from storage.errors import DatabaseRefusedError, DatabaseUnreachableError, SchemaNewerError

MIGRATIONS = Path(__file__).parent / "migrations"
LOCK_KEY = 7_265_536_473
"""Of the advisory lock that lets one process migrate at a time."""


def revisions() -> list[str]:
    """Return the revisions this version knows, oldest first; files are named `v<revision>_….py`."""
    names = [path.name for path in (MIGRATIONS / "versions").glob("v*.py")]
    return sorted(match[1] for name in names if (match := re.match(r"v(\d{4})_", name)))


def migrate(url: str) -> None:
    """Upgrade the database to the newest revision; quick if it is there already.

    Blocks; several processes may do it at once.

    Raises:
        DatabaseUnreachableError: The database does not answer.
        DatabaseRefusedError: It does not let its tables be made.
        SchemaNewerError: Its revision is not known to this version.
    """
    known = revisions()
    with _locked(url, known[-1]) as (connection, current):
        if current == known[-1]:
            return
        if current is not None and current not in known:
            raise SchemaNewerError(
                f"the schema of the database at {place(url)} is at revision {current}; this "
                f"version of polysense knows {known[0]} to {known[-1]}: upgrade polysense"
            )
        _run_alembic(connection, "upgrade", "head")


def downgrade(url: str, to: str) -> None:
    """Take the database back to an earlier revision; `base` removes every table.

    Raises:
        DatabaseUnreachableError: The database does not answer.
    """
    with _locked(url, None) as (connection, _):
        _run_alembic(connection, "downgrade", to)


def current_revision(url: str) -> str | None:
    """Return the revision a database is at; None where nothing was migrated.

    Raises:
        DatabaseUnreachableError: The database does not answer.
    """
    with _connect(url) as connection:
        return _read_revision(connection)


@contextmanager
def _locked(url: str, wanted: str | None) -> Iterator[tuple["psycopg.Connection[Any]", str | None]]:
    """Yield a connection that holds the lock until it closes, unless the revision is wanted."""
    with _connect(url) as connection:
        revision = _read_revision(connection)
        if wanted is None or revision != wanted:
            connection.execute("SELECT pg_advisory_lock(%s)", [LOCK_KEY])
            revision = _read_revision(connection)
        connection.commit()
        yield connection, revision


@contextmanager
def _connect(url: str) -> Iterator["psycopg.Connection[Any]"]:
    try:
        connection = psycopg.connect(libpq_address(url))
    except psycopg.OperationalError as error:
        reason = str(error).strip().splitlines()[-1]
        message = f"cannot reach Postgres at {place(url)}: {reason}"
        raise DatabaseUnreachableError(message) from error
    with connection:
        yield connection


def _read_revision(connection: "psycopg.Connection[Any]") -> str | None:
    found = connection.execute("SELECT to_regclass('alembic_version')").fetchone()
    if found is None or found[0] is None:
        return None
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return None if row is None else str(row[0])


def _run_alembic(connection: "psycopg.Connection[Any]", direction: str, revision: str) -> None:
    # Alembic takes longer to import than to find out that there is nothing to do.
    from storage.alembic_commands import run_command

    try:
        run_command(MIGRATIONS, connection, direction, revision)
    except (psycopg.Error, DBAPIError) as error:
        reason = str(getattr(error, "orig", error)).strip().splitlines()[0]
        message = f"cannot {direction} the database's schema to {revision}: {reason}"
        raise DatabaseRefusedError(message) from error
