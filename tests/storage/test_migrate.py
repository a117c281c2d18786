import threading
import time

import psycopg
import pytest

from storage import runs
from storage.address import libpq_address, place
from storage.database import Database
from storage.errors import DatabaseRefusedError, DatabaseUnreachableError, SchemaNewerError
from storage.migrate import current_revision, downgrade, migrate, revisions

DESCRIBE = """
SELECT 'column' AS kind, table_name || '.' || column_name AS name, data_type AS what
FROM information_schema.columns WHERE table_schema = 'public'
UNION ALL SELECT 'index', indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
UNION ALL SELECT 'function', oid::regprocedure::text, prosrc FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace
UNION ALL SELECT 'constraint', conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace
UNION ALL SELECT 'trigger', tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
UNION ALL SELECT 'type', typname, typcategory::text FROM pg_type
    WHERE typnamespace = 'public'::regnamespace
ORDER BY 1, 2, 3
"""


def describe(url):
    with psycopg.connect(libpq_address(url)) as connection:
        return connection.execute(DESCRIBE).fetchall()


def run_sql(url, statement):
    with psycopg.connect(libpq_address(url)) as connection:
        connection.execute(statement)


def test_down_removes_all_and_up_again_makes_the_same(database_url):
    before = describe(database_url)

    downgrade(database_url, "base")
    bare = describe(database_url)
    migrate(database_url)

    assert {row[1].split(".")[0] for row in bare} <= {
        "alembic_version",
        "alembic_version_pkc",
        "_alembic_version",
        "alembic_version_version_num_not_null",
    }
    assert describe(database_url) == before
    assert len(before) > 100


def test_a_new_database_is_brought_to_the_newest_revision(empty_database_url):
    assert current_revision(empty_database_url) is None

    migrate(empty_database_url)

    assert current_revision(empty_database_url) == revisions()[-1]


def test_many_commands_may_migrate_at_once(empty_database_url):
    errors = []

    def run():
        try:
            migrate(empty_database_url)
        except psycopg.Error as error:
            errors.append(error)

    threads = [threading.Thread(target=run) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert errors == []
    assert current_revision(empty_database_url) == revisions()[-1]


def test_nothing_to_do_is_found_out_quickly(database_url):
    started = time.perf_counter()
    for _ in range(10):
        migrate(database_url)
    elapsed_s = time.perf_counter() - started

    assert elapsed_s < 1.0


def test_a_schema_from_the_future_is_refused_and_left_alone(database_url):
    run_sql(database_url, "UPDATE alembic_version SET version_num = '9999'")

    with pytest.raises(SchemaNewerError, match=r"at revision 9999; this version .* upgrade"):
        migrate(database_url)

    assert current_revision(database_url) == "9999"


def test_a_migration_that_fails_leaves_nothing_behind(empty_database_url):
    run_sql(empty_database_url, "CREATE TABLE scores (id int)")

    with pytest.raises(DatabaseRefusedError, match='relation "scores" already exists'):
        migrate(empty_database_url)

    assert {row[1] for row in describe(empty_database_url) if row[0] == "column"} == {"scores.id"}


async def test_a_database_without_tables_is_opened_and_only_its_use_fails(empty_database_url):
    async with Database.open(empty_database_url) as database:
        await database.ping()
        with pytest.raises(DatabaseRefusedError, match='relation "runs" does not exist'):
            await runs.list_runs(database)


def test_an_unreachable_database_is_named_without_its_password():
    with pytest.raises(DatabaseUnreachableError, match=r"127\.0\.0\.1, port 1") as caught:
        migrate("postgresql://me:hidden@127.0.0.1:1/x")
    assert "hidden" not in str(caught.value)
    assert "hidden" not in place("postgresql://me:hidden@127.0.0.1:1/x")


def test_a_user_without_rights_is_told_what_postgres_refused(database_server, empty_database_url):
    run_sql(empty_database_url, "CREATE ROLE reader LOGIN")
    address = libpq_address(empty_database_url).replace("user=postgres", "user=reader")

    try:
        with pytest.raises(DatabaseRefusedError, match="permission denied for schema public"):
            migrate(address)
    finally:
        run_sql(database_server, "DROP ROLE reader")


def test_the_revisions_are_those_that_alembic_sees(database_url):
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    from storage.migrate import MIGRATIONS

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    script = ScriptDirectory.from_config(config)

    assert [each.revision for each in script.walk_revisions()][::-1] == revisions()
