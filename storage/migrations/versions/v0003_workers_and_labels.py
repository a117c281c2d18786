"""Who works, since when a run stands still, what people say of a run, and whom its end is told."""

from alembic import op

revision = "0003"
down_revision = "0002"

TABLES = """
CREATE TABLE workers (
    id text PRIMARY KEY,
    place text NOT NULL,
    queues text[],
    started_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz
);
COMMENT ON COLUMN workers.queues IS 'NULL: every queue there is';
CREATE INDEX workers_by_sight ON workers (seen_at);

CREATE TABLE webhooks (
    run_id text PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
    url text NOT NULL,
    n_attempts integer NOT NULL DEFAULT 0,
    due_at timestamptz NOT NULL DEFAULT now(),
    told_of timestamptz,
    problem text
);
COMMENT ON COLUMN webhooks.told_of IS 'the end that was told: runs.finished_at';

ALTER TABLE runs ADD COLUMN spec_sha256 text;
COMMENT ON COLUMN runs.spec_sha256 IS 'NULL where a run is older than this column';
ALTER TABLE runs ADD COLUMN progress json;
COMMENT ON COLUMN runs.progress IS 'counted once, when the run was finished';
ALTER TABLE runs DROP CONSTRAINT runs_idempotency_key_key;
CREATE UNIQUE INDEX runs_by_idempotency_key ON runs (idempotency_key, spec_sha256);
CREATE INDEX runs_alive ON runs (id) WHERE status IN ('queued', 'running')
"""

BACK = """
DROP INDEX runs_alive;
DROP INDEX runs_by_idempotency_key;
ALTER TABLE runs ADD CONSTRAINT runs_idempotency_key_key UNIQUE (idempotency_key);
ALTER TABLE runs DROP COLUMN progress;
ALTER TABLE runs DROP COLUMN spec_sha256;
DROP TABLE webhooks;
DROP TABLE workers
"""


def upgrade() -> None:
    """Make the tables."""
    for statement in TABLES.split(";\n"):
        op.execute(statement)


def downgrade() -> None:
    """Remove them; refused where one key has made several runs."""
    for statement in BACK.split(";\n"):
        op.execute(statement)
