"""Who is asking what just now: the same paid question is asked by one process at a time."""

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make the table."""
    op.execute(
        """CREATE TABLE claims (
            key bytea PRIMARY KEY,
            owner text NOT NULL,
            until timestamptz NOT NULL
        )"""
    )


def downgrade() -> None:
    """Remove the table."""
    op.execute("DROP TABLE claims")
