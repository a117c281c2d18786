"""The tables, types and functions of procrastinate, made and removed as a whole.

They come from the installed package. When a newer procrastinate changes them, a migration of its
own runs the package's SQL files between the two versions.
"""

from procrastinate.schema import SchemaManager
from sqlalchemy import Connection

DROP = """
DO $$
DECLARE
    found record;
BEGIN
    FOR found IN SELECT tablename AS name FROM pg_tables
        WHERE schemaname = current_schema() AND tablename LIKE 'procrastinate\\_%'
    LOOP
        EXECUTE format('DROP TABLE %I CASCADE', found.name);
    END LOOP;
    FOR found IN SELECT oid::regprocedure AS name FROM pg_proc
        WHERE pronamespace = current_schema()::regnamespace AND proname LIKE 'procrastinate\\_%'
    LOOP
        EXECUTE format('DROP FUNCTION %s CASCADE', found.name);
    END LOOP;
    FOR found IN SELECT typname AS name FROM pg_type
        WHERE typnamespace = current_schema()::regnamespace
            AND typname LIKE 'procrastinate\\_%' AND typelem = 0
    LOOP
        EXECUTE format('DROP TYPE %I CASCADE', found.name);
    END LOOP;
END $$
"""


def create_queue(connection: Connection) -> None:
    """Make all that the queue needs."""
    _run(connection, SchemaManager.get_schema())


def drop_queue(connection: Connection) -> None:
    """Remove all that the queue made."""
    _run(connection, DROP)


def _run(connection: Connection, script: str) -> None:
    # The driver itself takes several statements at once, and a per cent sign as it is.
    driver_connection = connection.connection.driver_connection
    assert driver_connection is not None
    driver_connection.execute(script)
