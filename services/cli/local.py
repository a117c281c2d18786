"""A run on this machine: its scorer lent, its worker in this process, its progress shown."""

import asyncio
import contextlib
import shlex
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable

from benchmarks.benchmark import Benchmark
from orchestrator import run as run_story
from orchestrator.contexts import RunContexts
from orchestrator.demands import INT8, wants_int8
from orchestrator.jobs import queue_of
from orchestrator.planning import Plan, make_plan, open_source
from orchestrator.providers.catalog import ENCODER_KINDS
from orchestrator.resources import Resources
from orchestrator.spec import RunSpec, parse_model
from orchestrator.worker import WorkerOptions, work
from services.cli.exits import InterruptedRunError
from services.cli.printing import say
from services.cli.progress import progress_bar
from services.cli.store import open_store
from services.home import Home
from services.orchestrator.webhooks import teller
from services.processes import find_scorers, resources_of, scorers_for
from storage import runs
from storage.database import Database
from storage.records import Run

POLL_S = 0.1
PROGRESS_S = 0.5
COUNTING_SHARE = 20
"""Of large runs, counting takes no more than a twentieth of the time."""
CONCURRENCY = 4
LIVE = ("queued", "running")
Starter = Callable[[Database, Resources], Awaitable[Run]]


async def run_here(
    home: Home, spec: RunSpec, labels: run_story.Labels | None = None, key: str | None = None
) -> Run:
    """Plan a run, work on it until it ends, and return it as it then is.

    Args:
        home: Where it is kept.
        spec: What decides it.
        labels: What is kept beside it.
        key: Of the same key and spec there is one run.
    """
    source = await asyncio.to_thread(open_source, spec)

    async def start(database: Database, resources: Resources) -> Run:
        plan = await make_plan(database, spec, resources, key)
        tell(plan)
        return await run_story.start(database, plan, labels)

    return await _work(home, spec, source.benchmark, start)


async def resume_here(home: Home, spec: RunSpec, restart: Starter) -> Run:
    """Take up a run that stands in the store, with the same model as before."""
    source = await asyncio.to_thread(open_source, spec)
    return await _work(home, spec, source.benchmark, restart)


def tell(plan: Plan) -> None:
    """Say what the user should hear before the first question is asked."""
    for task, reason in plan.skipped.items():
        say(f"skipped task {task}: {reason}")
    for warning in plan.warnings:
        say(f"warning: {warning}")


def scorer_models(spec: RunSpec, benchmark: Benchmark) -> list[str]:
    """Return the names of the local scorers that a run needs."""
    name = parse_model(spec.model)
    if name.kind in {"hf", "demo-decoder", "demo-encoder"}:
        return [spec.model]
    if name.kind != "demo":
        return []
    kinds = {kind for task in spec.tasks or benchmark.tasks for kind in benchmark.kinds(task)}
    models = []
    if kinds - ENCODER_KINDS:
        models.append("demo-decoder")
    if kinds & ENCODER_KINDS:
        models.append("demo-encoder")
    return models


async def _work(home: Home, spec: RunSpec, benchmark: Benchmark, start: Starter) -> Run:
    models = scorer_models(spec, benchmark)
    dtype = INT8 if wants_int8(benchmark.settings) else None
    async with open_store(home) as database, _scorers(home, models, dtype) as endpoints:
        resources = resources_of(home, endpoints)
        run = await start(database, resources)
        say(f"run {run.id}: {run.n_items} items, {len(run.cells)} cells, model {run.model}")
        return await _work_until_the_end(home, database, resources, run)


@contextlib.asynccontextmanager
async def _scorers(
    home: Home, models: list[str], dtype: str | None
) -> AsyncIterator[dict[str, str]]:
    if not models:
        yield await asyncio.to_thread(find_scorers, home)
        return
    halt = threading.Event()
    with contextlib.ExitStack() as stack:
        lent = scorers_for(home, models, say, dtype, halt)
        try:
            found = await asyncio.to_thread(stack.enter_context, lent)
        except asyncio.CancelledError:
            halt.set()
            told = "interrupted while the model was being loaded; nothing was asked"
            raise InterruptedRunError(told) from None
        yield dict(found)


async def _work_until_the_end(
    home: Home, database: Database, resources: Resources, run: Run
) -> Run:
    contexts = RunContexts(database, resources)
    tell_ends = teller(database, home.settings)
    options = WorkerOptions(queues=(queue_of(run.id),), concurrency=CONCURRENCY, on_beat=tell_ends)
    worker = asyncio.create_task(work(home.database_url(), contexts, options))
    try:
        ended = await _watch(database, run, worker)
        await tell_ends()
    except asyncio.CancelledError:
        await run_story.pause_if_live(database, run.id)
        command = f"polysense resume {shlex.quote(run.id)}"
        raise InterruptedRunError(f"paused; go on with: {command}") from None
    finally:
        worker.cancel()
        await asyncio.gather(worker, return_exceptions=True)
        await contexts.close()
    return ended


async def _watch(database: Database, run: Run, worker: asyncio.Task[None]) -> Run:
    """Show progress until the run is no longer queued or running."""
    with progress_bar() as progress:
        bar = progress.add_task(run.benchmark, total=run.n_items * len(run.cells))
        count_at = 0.0
        while True:
            run = await runs.get(database, run.id)
            now = time.monotonic()
            if now >= count_at or run.status not in LIVE:
                count = await runs.count_progress(database, run.id)
                count_at = now + max(PROGRESS_S, COUNTING_SHARE * (time.monotonic() - now))
                done = count.n_outcomes + count.n_failures
                what = run.reason or run.benchmark
                progress.update(bar, description=what, completed=done, total=count.n_cases)
            if run.status not in LIVE:
                return run
            if worker.done():
                await worker
            await asyncio.sleep(POLL_S)
