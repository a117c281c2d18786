"""Keys and indexes chosen by measurement on millions of outcomes; see decision 7."""

from alembic import op

revision = "0004"
down_revision = "0003"

FORWARD = """
ALTER TABLE outcomes DROP CONSTRAINT outcomes_pkey;
ALTER TABLE outcomes ADD PRIMARY KEY (run_id, number, task, variant);
DROP INDEX outcomes_by_language;
CREATE INDEX outcomes_by_value ON outcomes (run_id, value, number);
CREATE INDEX outcomes_invalid ON outcomes (run_id, number) WHERE NOT is_valid;
ALTER TABLE failures DROP CONSTRAINT failures_pkey;
ALTER TABLE failures ADD PRIMARY KEY (run_id, number, task, variant);
ALTER TABLE item_sets ADD COLUMN parts json;
COMMENT ON COLUMN item_sets.parts IS
    '[[language, subset, first number, last number], ...]; NULL until somebody asked'
"""

BACK = """
ALTER TABLE item_sets DROP COLUMN parts;
ALTER TABLE failures DROP CONSTRAINT failures_pkey;
ALTER TABLE failures ADD PRIMARY KEY (run_id, task, variant, number);
DROP INDEX outcomes_invalid;
DROP INDEX outcomes_by_value;
CREATE INDEX outcomes_by_language ON outcomes (run_id, language, subset)
    INCLUDE (task, variant, number, value, is_valid);
ALTER TABLE outcomes DROP CONSTRAINT outcomes_pkey;
ALTER TABLE outcomes ADD PRIMARY KEY (run_id, task, variant, number)
"""


def upgrade() -> None:
    """Take the new keys."""
    for statement in FORWARD.split(";\n"):
        op.execute(statement)


def downgrade() -> None:
    """Take the former keys."""
    for statement in BACK.split(";\n"):
        op.execute(statement)
