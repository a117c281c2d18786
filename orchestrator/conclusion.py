"""The end of a run: decide what needs the whole set, compute the scores, close it."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from benchmarks.benchmark import Case, Concluding
from benchmarks.responses import Response, parse_response
from metrics.catalog import scores_of
from metrics.score import Score
from orchestrator.cache import cache_key
from orchestrator.plan import NumberedCase, open_cases
from orchestrator.work import RunContext, stored_outcome
from storage import items, outcomes, responses, runs, scores
from storage.database import Database
from storage.outcome_table import read_table
from storage.records import Run, StoredOutcome

CHUNK_ITEMS = 500
MAX_ROWS_IN_MEMORY = 50_000
"""More cases are read into columns: slower to look at, but a fortieth of the size."""
NOTICE_INTERVAL_S = 0.5
LIVE = ("queued", "running")


async def compute_scores(database: Database, run: Run) -> list[Score]:
    """Compute every score of a run from its stored outcomes."""
    is_large = run.n_items * len(run.cells) > MAX_ROWS_IN_MEMORY
    read = read_table if is_large else outcomes.rows
    rows = await read(database, run.id)
    # In a thread: minutes of arithmetic must not stop this process's heartbeat.
    found = await asyncio.to_thread(scores_of, run.benchmark, rows, run.settings, run.seed)
    return [score.model_copy(update={"model": run.model}) for score in found]


async def store_scores(database: Database, run: Run) -> list[Score]:
    """Compute and store a run's scores under the judge's version."""
    found = await compute_scores(database, run)
    await scores.replace(database, run.id, score_set(run), found)
    return found


def score_set(run: Run) -> str:
    """Return the name of the scores that the run's own settings give."""
    return f"judge-{run.manifest['benchmark']['judge_version']}"


async def is_complete(database: Database, run: Run) -> bool:
    """Say whether every case has an outcome or a failure."""
    progress = await runs.count_progress(database, run.id)
    return progress.n_outcomes + progress.n_failures >= progress.n_cases


async def conclude(context: RunContext) -> None:
    """Decide the open tasks, store the scores, and mark the run as finished; safe to repeat."""
    benchmark = context.benchmark
    if isinstance(benchmark, Concluding):
        for task in sorted({task for task, _ in context.run.cells}):
            if task in benchmark.concluded_tasks:
                await _conclude_task(context, benchmark, task)
    await store_scores(context.database, context.run)
    await runs.finish(context.database, context.run.id, allowed_from=LIVE)


async def _conclude_task(context: RunContext, benchmark: Concluding, task: str) -> None:
    cases: dict[int, NumberedCase] = {}
    answered: list[tuple[Case, Mapping[str, Response]]] = []
    async for numbered, found in _answered_cases(context, task):
        cases[id(numbered.case)] = numbered
        answered.append((numbered.case, found))

    notice = _Notice()

    def decide() -> list[StoredOutcome]:
        decided = benchmark.conclude(task, context.run.seed, answered, tell=notice.put)
        return [stored_outcome(cases[id(case)], outcome) for case, outcome in decided]

    async with _shown(context, notice):
        rows = await asyncio.to_thread(decide)
    await outcomes.overwrite(context.database, context.run.id, rows)


@dataclass
class _Notice:
    """The latest line on how far a conclusion is; put by a thread, read by the event loop."""

    line: str = ""

    def put(self, line: str) -> None:
        """Replace the line."""
        self.line = line


@asynccontextmanager
async def _shown(context: RunContext, notice: _Notice) -> AsyncIterator[None]:
    """Keep the latest line as the reason of the run, which is still running."""

    async def show() -> None:
        shown = ""
        while True:
            await asyncio.sleep(NOTICE_INTERVAL_S)
            if notice.line != shown:
                shown = notice.line
                await runs.set_status(
                    context.database, context.run.id, "running", allowed_from=LIVE, reason=shown
                )

    showing = asyncio.create_task(show())
    try:
        yield
    finally:
        showing.cancel()
        with suppress(asyncio.CancelledError):
            await showing


async def _answered_cases(
    context: RunContext, task: str
) -> AsyncIterator[tuple[NumberedCase, dict[str, Response]]]:
    """Yield the cases of a task whose first requests all have a stored response."""
    run_cells = [cell for cell in context.run.cells if cell[0] == task]
    for first in range(0, context.run.n_items, CHUNK_ITEMS):
        last = min(first + CHUNK_ITEMS, context.run.n_items)
        stored = await items.read(context.database, context.run.item_set, first, last)
        cases = open_cases(stored, run_cells, frozenset())
        for numbered, found in zip(cases, await _stored_responses(context, cases), strict=True):
            if found is not None:
                yield numbered, found


async def _stored_responses(
    context: RunContext, cases: Sequence[NumberedCase]
) -> list[dict[str, Response] | None]:
    """Return the responses of each case by part; None where one of them is missing."""
    asker = context.asker
    if asker is None:
        return [None] * len(cases)
    requests = [context.benchmark.requests(case.case, context.run.seed) for case in cases]
    keys = {
        request.key: cache_key(asker.provider, request, asker.salt)
        for group in requests
        for request in group
    }
    found = await responses.find(context.database, list(set(keys.values())))
    return [
        {request.part: parse_response(request, found[keys[request.key]]) for request in group}
        if all(keys[request.key] in found for request in group)
        else None
        for group in requests
    ]
