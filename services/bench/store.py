"""`polysense bench store`: outcomes written by us, and the same rows by one plain statement.

Batch by batch in turn, into the same server: our table with its checks, its second index and the
look for failures that an outcome ends; and a bare table with nothing but its key, filled by asyncpg
with `INSERT … SELECT unnest(…) ON CONFLICT DO NOTHING`.
"""

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import asyncpg
from ulid import ULID

from benchmarks.benchmark import Item, Outcome
from services.bench.machine import bench_facts
from services.bench.scratch import scratch_home
from services.home import Home
from storage import items, outcomes, runs
from storage.address import asyncpg_address
from storage.database import Database
from storage.migrate import migrate
from storage.records import NewRun, StoredOutcome

N_BATCHES = 60
BATCH_ROWS = 500
TASK = "direct"
PLAIN_TABLE = """CREATE TABLE plain (run_id text, task text, variant text, number integer,
    language text, subset text, unit text, value double precision, is_valid boolean, detail json,
    baselines json, PRIMARY KEY (run_id, task, variant, number))"""
PLAIN_INSERT = """INSERT INTO plain SELECT * FROM unnest($1::text[], $2::text[], $3::text[],
    $4::int[], $5::text[], $6::text[], $7::text[], $8::float8[], $9::bool[], $10::json[],
    $11::json[]) ON CONFLICT DO NOTHING"""


@dataclass(frozen=True, slots=True)
class StoreBench:
    """How much is written."""

    n_batches: int = N_BATCHES
    batch_rows: int = BATCH_ROWS


def run(bench: StoreBench, home: Home, tell: Callable[[str], None]) -> dict[str, Any]:
    """Return what was measured.

    Raises:
        StorageError: The server does not answer, or does not let a database be made.
    """
    n_rows = bench.n_batches * bench.batch_rows
    tell(f"writing {n_rows} outcomes twice, {bench.batch_rows} at a time")
    with scratch_home(home) as scratch:
        url = scratch.database_url()
        migrate(url)
        own_s, plain_s = asyncio.run(_measure(bench, url))
    return {
        **bench_facts("asyncpg", "sqlalchemy"),
        "n_rows": n_rows,
        "batch_rows": bench.batch_rows,
        "rows_per_s": n_rows / own_s,
        "peers": {"plain_unnest": {"rows_per_s": n_rows / plain_s, "ratio": plain_s / own_s}},
    }


async def _measure(bench: StoreBench, url: str) -> tuple[float, float]:
    """Return the seconds of our writes and of the plain ones."""
    address, timeout_s = asyncpg_address(url)
    plain = await asyncpg.connect(address, timeout=timeout_s)
    own_s = plain_s = 0.0
    try:
        await plain.execute(PLAIN_TABLE)
        async with Database.open(url) as database:
            run_id = await _make_run(database, bench.n_batches * bench.batch_rows)
            for number in range(bench.n_batches):
                rows = _rows(number * bench.batch_rows, bench.batch_rows)
                began = time.perf_counter()
                await outcomes.put(database, run_id, rows)
                own_s += time.perf_counter() - began
                ready = [_plain_row(run_id, row) for row in rows]
                began = time.perf_counter()
                await plain.execute(
                    PLAIN_INSERT, *(list(part) for part in zip(*ready, strict=True))
                )
                plain_s += time.perf_counter() - began
    finally:
        await plain.close()
    return own_s, plain_s


async def _make_run(database: Database, n_items: int) -> str:
    """Store a run without jobs, and its items."""
    asked = [Item(str(at), "en", "random", f"unit {at // 4}", {}) for at in range(n_items)]
    await items.put(database, "bench", asked)
    new = NewRun(
        id=str(ULID()),
        benchmark="xcomps",
        model="fake",
        spec={},
        manifest={},
        item_set="bench",
        n_items=n_items,
        cells=((TASK, ""),),
        settings={},
        seed=0,
    )
    return (await runs.create(database, new)).id


def _rows(first: int, n_rows: int) -> Sequence[StoredOutcome]:
    return [
        StoredOutcome(
            number=number,
            task=TASK,
            variant="",
            language="en",
            subset="random",
            unit=f"unit {number // 4}",
            outcome=Outcome(
                float(number % 3 == 0),
                detail={"sums": [-1.5 * number, -2.5 * number], "verdicts": {"tokens": 1.0}},
                baselines={"chance": 0.5},
            ),
            response_keys=(number.to_bytes(32, "big"),),
        )
        for number in range(first, first + n_rows)
    ]


def _plain_row(run_id: str, row: StoredOutcome) -> tuple[object, ...]:
    place = (run_id, row.task, row.variant, row.number, row.language, row.subset, row.unit)
    detail, baselines = json.dumps(row.outcome.detail), json.dumps(row.outcome.baselines)
    return (*place, row.outcome.value, row.outcome.is_valid, detail, baselines)
