"""Time the questions that pages ask of a store with millions of outcomes.

`python -m tests.faults.large_store --rows 5000000 [--folder DIR] [--keep]` fills a scratch database
with runs of 100,000 cases and one of a million, and prints milliseconds; with `--keep` and a
folder, a second call times the same rows again.
"""

import argparse
import asyncio
import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from metrics.score import Score
from services.metrics.pages.views import items_view, run_lines, run_view
from storage import outcome_pages, runs, scores
from storage.database import Database, execute, fetch_all
from storage.embedded import start_postgres, stop_postgres
from storage.migrate import migrate
from storage.records import NewRun, OutcomeFilter, PagePlace

SMALL, LARGE = 100_000, 1_000_000
N_REPEATS = 5
CELLS = (("direct", ""),)
LANGUAGES = 20

ITEMS = """INSERT INTO items SELECT $1, n, n::text, 'l' || (n * 20 / $2), CASE n % 3 WHEN 0 THEN
    'easy' WHEN 1 THEN 'hard' END, 'unit-' || n / 4, '{"text": "a sentence of a usual length"}'
FROM generate_series(0, $2 - 1) AS n"""

OUTCOMES = """INSERT INTO outcomes (run_id, task, variant, number, language, subset, unit, value,
    is_valid, detail, baselines, response_keys)
SELECT $1, 'direct', '', number, language, subset, unit, CASE WHEN number % 997 = 0 THEN 0.0 ELSE
    1.0 END, number % 1009 <> 0, '{"answer": "the first one", "right": "the first one", "margin":
    0.25, "parser": "strict"}', '{"chance": 0.5}', ARRAY[sha256(($1 || number)::bytea),
    sha256((number || $1)::bytea)]
FROM items WHERE item_set = $2 AND number % 5003 <> 1"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.large_store", description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--folder", type=Path, default=None, help="of the scratch database")
    parser.add_argument("--keep", action="store_true", help="leave the database for another call")
    given = parser.parse_args()
    folder = given.folder or Path(tempfile.mkdtemp(prefix="polysense-large-"))
    url = start_postgres(folder, is_throwaway=True)
    migrate(url)
    try:
        asyncio.run(_measure(url, given.rows))
    finally:
        stop_postgres(folder)
        if not given.keep:
            shutil.rmtree(folder)
    return 0


async def _measure(url: str, n_rows: int) -> None:
    async with Database.open(url) as database:
        known = await runs.list_runs(database, 1_000)
        if not known:
            await _fill(database, n_rows)
        async with database.begin() as connection:
            sizes = await fetch_all(connection, SIZES)
        for row in sizes:
            sys.stdout.write(f"{row.name:32} {row.size}\n")
        large = _run_id(0)
        small = _run_id(1)
        for name, run_id, n_items in (("1M", large, LARGE), ("100k", small, SMALL)):
            for label, ask in _questions(database, run_id, n_items).items():
                sys.stdout.write(f"{name:5} {label:34} {await _milliseconds(ask):9.1f} ms\n")
                sys.stdout.flush()


SIZES = """SELECT c.relname AS name, pg_size_pretty(pg_relation_size(c.oid)) AS size FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' AND c.relkind IN ('r', 'i')
AND (c.relname LIKE 'outcomes%' OR c.relname LIKE 'items%') ORDER BY 1"""


def _questions(
    database: Database, run_id: str, n_items: int
) -> dict[str, Callable[[], Awaitable[object]]]:
    def page(wanted: OutcomeFilter | None = None, at: int = 0) -> Callable[[], Awaitable[object]]:
        place = PagePlace(at, 0)
        return lambda: outcome_pages.page(database, run_id, wanted, place, 100)

    middle, late = n_items // 2, n_items - 200
    return {
        "list of runs": lambda: run_lines(database, 25, None),
        "run page": lambda: run_view(database, run_id),
        "scores": lambda: scores.read(database, run_id),
        "progress": lambda: runs.count_progress(database, run_id),
        "items page": lambda: items_view(database, run_id, OutcomeFilter(), None, 50),
        "page, first": page(),
        "page, middle": page(at=middle),
        "page, last": page(at=late),
        "page, last language": page(OutcomeFilter(language="l19")),
        "page, language and subset": page(OutcomeFilter(language="l10", subset="hard")),
        "page, wrong (1 of 997)": page(OutcomeFilter(status="wrong")),
        "page, invalid (1 of 1009)": page(OutcomeFilter(status="invalid")),
        "page, unanswered (1 of 5003)": page(OutcomeFilter(status="unanswered")),
        "page, wrong in last language": page(OutcomeFilter(language="l19", status="wrong")),
        "page, no such variant": page(OutcomeFilter(variant="nosuch")),
    }


async def _milliseconds(ask: Callable[[], Awaitable[object]]) -> float:
    took = []
    for _ in range(N_REPEATS):
        begun = time.perf_counter()
        await ask()
        took.append((time.perf_counter() - begun) * 1_000)
        if sum(took) > 20_000:
            break
    return statistics.median(took)


def _run_id(number: int) -> str:
    return f"01LARGE{number:019d}"


async def _fill(database: Database, n_rows: int) -> None:
    for name, n_items in (("large", LARGE), ("small", SMALL)):
        async with database.begin() as connection:
            await execute(connection, "INSERT INTO item_sets VALUES ($1, $2)", name, n_items)
            await execute(connection, ITEMS, name, n_items)
    sizes = [LARGE, *[SMALL] * ((n_rows - LARGE) // SMALL)]
    begun = time.perf_counter()
    for number, n_items in enumerate(sizes):
        await _fill_run(database, number, n_items)
    took_s = time.perf_counter() - begun
    sys.stdout.write(f"{sum(sizes)} cases in {len(sizes)} runs, {sum(sizes) / took_s:.0f} rows/s\n")
    async with database.begin() as connection:
        await execute(connection, "ANALYZE")


async def _fill_run(database: Database, number: int, n_items: int) -> None:
    run_id, item_set = _run_id(number), "large" if n_items == LARGE else "small"
    await runs.create(
        database,
        NewRun(
            id=run_id,
            benchmark="xcomps",
            model=f"model-{number}",
            spec={"benchmark": "xcomps", "model": f"model-{number}"},
            manifest={"filler": "x" * 4_000},
            item_set=item_set,
            n_items=n_items,
            cells=CELLS,
            settings={},
            seed=0,
        ),
    )
    async with database.begin() as connection:
        await execute(connection, OUTCOMES, run_id, item_set)
        await execute(connection, FAILURES, run_id, item_set)
    found = [
        Score(
            benchmark="xcomps",
            model=f"model-{number}",
            metric="accuracy",
            task="direct",
            language=None if language == LANGUAGES else f"l{language}",
            value=0.9,
            n=1,
            coverage=1.0,
        )
        for language in range(LANGUAGES + 1)
    ]
    await scores.replace(database, run_id, "judge-1", json_scores(found))
    await runs.finish(database, run_id, allowed_from=("queued",))


FAILURES = """INSERT INTO failures
SELECT $1, 'direct', '', number, 'BackendError', 'no answer', 'k', 1
FROM items WHERE item_set = $2 AND number % 5003 = 1"""


def json_scores(found: list[Score]) -> list[Score]:
    return [Score.model_validate(json.loads(score.model_dump_json())) for score in found]


if __name__ == "__main__":
    sys.exit(main())
