import pytest

from storage.address import asyncpg_address, libpq_address, parse_address, place, with_database
from storage.database import Database, fetch_one
from storage.errors import DatabaseAddressError, DatabaseUnreachableError, StorageError
from storage.migrate import current_revision

EXPECTED = {"host": "db", "port": "5433", "user": "me", "password": "p@ss", "dbname": "poly"}


@pytest.mark.parametrize(
    "text",
    [
        "postgres://me:p%40ss@db:5433/poly",
        "postgresql://me:p%40ss@db:5433/poly",
        "postgresql+asyncpg://me:p%40ss@db:5433/poly",
        "postgresql+psycopg://me:p%40ss@db:5433/poly",
        "PostgreSQL://me:p%40ss@db:5433/poly",
        "postgresql:///poly?host=db&port=5433&user=me&password=p%40ss",
        " host=db port=5433 user=me password=p@ss dbname=poly ",
        "host='db' port='5433' user='me' password='p@ss' dbname='poly'",
    ],
)
def test_every_spelling_means_the_same_database(text):
    assert parse_address(text) == EXPECTED


def test_a_socket_folder_is_a_host():
    assert parse_address("postgresql://postgres@/poly?host=/run/pg") == {
        "host": "/run/pg",
        "user": "postgres",
        "dbname": "poly",
    }


def test_sqlalchemys_ssl_is_libpqs_sslmode():
    parameters = parse_address("postgresql+asyncpg://db/poly?ssl=require")

    assert parameters["sslmode"] == "require"


@pytest.mark.parametrize(
    "text", ["mysql://db/poly", "sqlite:///poly.db", "db:5432/poly", "postgresql://db:x/y?z=1", ""]
)
def test_what_is_no_address_is_refused_in_one_line(text):
    if not text:
        assert parse_address(text) == {}
        return
    with pytest.raises(DatabaseAddressError, match=r"allowed: postgresql://user") as caught:
        parse_address(text)
    assert "\n" not in str(caught.value)


def test_a_password_is_never_told():
    address = "postgresql://me:topsecret@db:5433/poly"

    assert "topsecret" not in place(address)
    with pytest.raises(DatabaseAddressError) as caught:
        parse_address("postgresql://me:topsecret@db:5433/poly?nonsense=1")
    assert "topsecret" not in str(caught.value)


def test_asyncpg_gets_no_option_that_it_would_hand_to_the_server():
    address, timeout_s = asyncpg_address(
        "host=db dbname='a b' connect_timeout=3 keepalives=1 sslmode=prefer application_name=x"
    )

    database, _, options = address.partition("?")
    assert database == "postgresql:///a%20b"
    assert sorted(options.split("&")) == ["application_name=x", "host=db", "sslmode=prefer"]
    assert timeout_s == 3.0


async def spellings_of(url):
    parameters = parse_address(url)
    query = f"host={parameters['host']}&port={parameters['port']}"
    return [
        url,
        libpq_address(url),
        f"postgres://postgres@/{parameters['dbname']}?{query}",
        f"postgresql+asyncpg://postgres:@/{parameters['dbname']}?{query}",
        f"postgresql+psycopg://postgres@/{parameters['dbname']}?{query}&sslmode=disable",
        f"postgresql://postgres@/{parameters['dbname']}?{query}&connect_timeout=3",
    ]


async def test_both_drivers_connect_with_every_spelling(database_url):
    for text in await spellings_of(database_url):
        async with Database.open(text) as database, database.begin() as connection:
            row = await fetch_one(connection, "SELECT current_database() AS name")
        assert row is not None
        assert row.name == parse_address(database_url)["dbname"]
        assert current_revision(text) is not None


@pytest.mark.parametrize(
    "address",
    ["postgresql://x:hidden@127.0.0.1:1/poly", "postgresql://x:hidden@/poly?host=/nowhere/at/all"],
)
async def test_a_database_that_is_not_there_is_one_clear_sentence(address):
    async with Database.open(address) as database:
        with pytest.raises(DatabaseUnreachableError, match="cannot reach Postgres at") as caught:
            await database.ping()
    assert "hidden" not in str(caught.value)
    with pytest.raises(StorageError, match="cannot reach Postgres at") as caught:
        current_revision(address)
    assert "hidden" not in str(caught.value)


async def test_a_database_that_does_not_exist_is_one_clear_sentence(database_server):
    async with Database.open(with_database(database_server, "nothing")) as database:
        with pytest.raises(DatabaseUnreachableError, match='database "nothing" does not exist'):
            await database.ping()
