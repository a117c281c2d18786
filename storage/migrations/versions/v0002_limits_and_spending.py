"""What replicas share of a paid model: the pace of each key, and what each run has spent."""

from alembic import op

revision = "0002"
down_revision = "0001"

TABLES = """
CREATE TABLE paces (
    name text PRIMARY KEY,
    free_at timestamptz NOT NULL
);
COMMENT ON COLUMN paces.free_at IS 'when all that was reserved so far will have been used up';

CREATE TABLE spending (
    run_id text PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
    budget numeric,
    currency text,
    money numeric NOT NULL DEFAULT 0,
    held numeric NOT NULL DEFAULT 0,
    is_partly_unpriced boolean NOT NULL DEFAULT false,
    input_tokens bigint NOT NULL DEFAULT 0,
    output_tokens bigint NOT NULL DEFAULT 0,
    characters bigint NOT NULL DEFAULT 0,
    n_asked bigint NOT NULL DEFAULT 0,
    n_saved bigint NOT NULL DEFAULT 0
);
COMMENT ON COLUMN spending.held IS 'for calls in flight, and for those whose end nobody saw'
"""


def upgrade() -> None:
    """Make the tables."""
    for statement in TABLES.split(";\n"):
        op.execute(statement)


def downgrade() -> None:
    """Remove the tables with all that is in them."""
    op.execute("DROP TABLE spending")
    op.execute("DROP TABLE paces")
