"""Where a database is: every spelling of its address, turned into what each driver takes."""

import re
from collections.abc import Mapping
from urllib.parse import quote, urlencode

from psycopg import Error as PsycopgError
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from storage.errors import DatabaseAddressError

_SCHEME = re.compile(r"^(postgres|postgresql)(\+\w+)?://", re.IGNORECASE)
_SPELLINGS = (
    "postgresql://user:password@host:port/database, ?host=/socket/folder, "
    "or host=… port=… user=… dbname=…"
)
_ASYNCPG_KEYS = frozenset({"host", "port", "user", "password", "dbname", "application_name"})
_ASYNCPG_PREFIXES = ("ssl", "passfile", "target_session_attrs")


def parse_address(text: str) -> dict[str, str]:
    """Return the connection parameters of an address, by their libpq names.

    SQLAlchemy's driver suffixes (`postgresql+asyncpg://`) and its `ssl=` are understood as well.

    Raises:
        DatabaseAddressError: It is no address of a Postgres database.
    """
    stripped = text.strip()
    if "://" in stripped:
        if not _SCHEME.match(stripped):
            scheme = stripped.split("://", 1)[0]
            raise DatabaseAddressError(
                f"database address of kind {scheme!r}; allowed: {_SPELLINGS}"
            )
        stripped = _SCHEME.sub("postgresql://", stripped)
        stripped = re.sub(r"([?&])ssl=", r"\1sslmode=", stripped)
    try:
        found = conninfo_to_dict(stripped)
    except PsycopgError as error:
        reason = str(error).strip().splitlines()[0]
        raise DatabaseAddressError(
            f"database address: {_without_password(reason)}; allowed: {_SPELLINGS}"
        ) from error
    return {name: str(value) for name, value in found.items() if value is not None}


def libpq_address(text: str) -> str:
    """Return the address as a keyword string, as libpq and psycopg read it."""
    return make_conninfo("", **_with_timeout(parse_address(text)))


def asyncpg_address(text: str) -> tuple[str, float]:
    """Return the address as a URL that asyncpg reads, and how long connecting may take (s)."""
    parameters = _with_timeout(parse_address(text))
    timeout_s = float(parameters["connect_timeout"])
    kept = {
        name: value
        for name, value in parameters.items()
        if name in _ASYNCPG_KEYS or name.startswith(_ASYNCPG_PREFIXES)
    }
    return _url(kept), timeout_s


def with_database(text: str, database: str) -> str:
    """Return the address of another database on the same server, as a URL."""
    return _url(parse_address(text) | {"dbname": database})


def place(text: str) -> str:
    """Say where a database is, without its password."""
    parameters = parse_address(text)
    host = parameters.get("host") or parameters.get("hostaddr") or "the local socket"
    port = parameters.get("port", "5432")
    return f"{host}, port {port}, database {parameters.get('dbname', 'of the user')}"


def _url(parameters: Mapping[str, str]) -> str:
    options = {name: value for name, value in parameters.items() if name != "dbname"}
    database = quote(parameters.get("dbname", ""), safe="")
    return f"postgresql:///{database}?{urlencode(options, quote_via=quote)}"


def _with_timeout(parameters: Mapping[str, str]) -> dict[str, str]:
    return {"connect_timeout": "10", **parameters}


def _without_password(reason: str) -> str:
    return re.sub(r"(:)[^:@/\s]+(@)", r"\1…\2", reason)
