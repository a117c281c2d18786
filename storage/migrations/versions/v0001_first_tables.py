"""The first tables, and the queue's."""

from alembic import op

from storage.migrations.queue_schema import create_queue, drop_queue

revision = "0001"
down_revision = None

TABLES = """
CREATE TABLE item_sets (
    item_set text PRIMARY KEY,
    n_items integer
);
COMMENT ON COLUMN item_sets.n_items IS 'NULL until every item is stored';

CREATE TABLE items (
    item_set text NOT NULL REFERENCES item_sets ON DELETE CASCADE,
    number integer NOT NULL,
    id text NOT NULL,
    language text NOT NULL,
    subset text,
    unit text NOT NULL,
    fields json NOT NULL,
    PRIMARY KEY (item_set, number)
);

CREATE TABLE runs (
    id text PRIMARY KEY,
    benchmark text NOT NULL,
    model text NOT NULL,
    spec json NOT NULL,
    manifest json NOT NULL,
    item_set text NOT NULL REFERENCES item_sets,
    n_items integer NOT NULL,
    cells json NOT NULL,
    settings json NOT NULL,
    seed bigint NOT NULL,
    idempotency_key text UNIQUE,
    status text NOT NULL DEFAULT 'queued' CHECK
        (status IN ('queued', 'running', 'paused', 'finished', 'failed', 'cancelled')),
    reason text,
    note text,
    tags text[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    finished_at timestamptz
);
COMMENT ON COLUMN runs.cells IS '[[task, variant], ...]; every item is asked in each';
CREATE INDEX runs_item_set ON runs (item_set);

CREATE TABLE responses (
    key bytea PRIMARY KEY,
    kind text NOT NULL,
    provider text NOT NULL,
    model text NOT NULL,
    request json NOT NULL,
    response json NOT NULL,
    usage json NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE outcomes (
    run_id text NOT NULL REFERENCES runs ON DELETE CASCADE,
    task text NOT NULL,
    variant text NOT NULL,
    number integer NOT NULL,
    language text NOT NULL,
    subset text,
    unit text NOT NULL,
    value double precision,
    is_valid boolean NOT NULL,
    detail json NOT NULL,
    baselines json NOT NULL,
    response_keys bytea[] NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run_id, task, variant, number)
);
CREATE INDEX outcomes_by_language ON outcomes (run_id, language, subset)
    INCLUDE (task, variant, number, value, is_valid);

CREATE TABLE failures (
    run_id text NOT NULL REFERENCES runs ON DELETE CASCADE,
    task text NOT NULL,
    variant text NOT NULL,
    number integer NOT NULL,
    error text NOT NULL,
    detail text NOT NULL,
    request_key text NOT NULL,
    n_attempts integer NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run_id, task, variant, number)
);

CREATE TABLE scores (
    run_id text NOT NULL REFERENCES runs ON DELETE CASCADE,
    score_set text NOT NULL,
    position integer NOT NULL,
    score json NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run_id, score_set, position)
);

CREATE TABLE artefacts (
    run_id text NOT NULL REFERENCES runs ON DELETE CASCADE,
    sha256 text NOT NULL,
    kind text NOT NULL,
    path text NOT NULL,
    n_bytes bigint NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run_id, sha256, kind)
);
CREATE INDEX artefacts_by_checksum ON artefacts (sha256)
"""

NAMES = ("artefacts", "scores", "failures", "outcomes", "responses", "runs", "items", "item_sets")


def upgrade() -> None:
    """Make the tables."""
    for statement in TABLES.split(";\n"):
        op.execute(statement)
    create_queue(op.get_bind())


def downgrade() -> None:
    """Remove the tables with all that is in them."""
    drop_queue(op.get_bind())
    for name in NAMES:
        op.execute(f"DROP TABLE {name}")
