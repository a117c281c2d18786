"""Alembic's commands, run on an open connection."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine
from sqlalchemy.pool import StaticPool

if TYPE_CHECKING:
    import psycopg


def run_command(
    migrations: Path, connection: "psycopg.Connection[Any]", direction: str, revision: str
) -> None:
    """Run `upgrade` or `downgrade` in one transaction of the connection."""
    config = Config()
    config.set_main_option("script_location", str(migrations).replace("%", "%%"))
    engine = create_engine(
        "postgresql+psycopg://", creator=lambda: connection, poolclass=StaticPool
    )
    with engine.connect() as wrapped:
        config.attributes["connection"] = wrapped
        if direction == "upgrade":
            command.upgrade(config, revision)
        else:
            command.downgrade(config, revision)
        wrapped.commit()
