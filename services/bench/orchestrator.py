"""`polysense bench orchestrator`: a whole run of the fake model, beside a plain loop.

The run is planned, queued, worked on in batches, judged, stored and scored as every run is. The
loop asks the same fake the same questions and judges its answers, and keeps nothing: what it takes
is what a run cannot do without. The difference is the price of being able to resume.
"""

import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.benchmark import Case, Item, Selection
from benchmarks.catalog import open_benchmark
from benchmarks.errors import BenchmarkError
from orchestrator.conclusion import store_scores
from orchestrator.providers.fake import FakeProvider
from orchestrator.spec import RunSpec
from services.bench.machine import bench_facts
from services.bench.pairs import generated_items
from services.bench.scratch import scratch_home
from services.cli.local import run_here
from services.cli.store import open_store
from services.home import Home
from storage.records import Run

BATCH_ITEMS = 64
N_ITEMS = 20 * BATCH_ITEMS
N_ROUNDS = 3
TASK = "direct"


@dataclass(frozen=True, slots=True)
class OrchestratorBench:
    """What is asked."""

    data: Path | None
    """A COMPS or XCOMPS folder; None: generated pairs."""
    n_items: int = N_ITEMS
    n_rounds: int = N_ROUNDS


def run(bench: OrchestratorBench, home: Home, tell: Callable[[str], None]) -> dict[str, Any]:
    """Return what was measured; each round is a run and a loop.

    Raises:
        DataError: The folder does not hold any pairs.
        StorageError: The server does not answer, or does not let a database be made.
    """
    own_s, scoring_s, loop_s, n_items = [], [], [], 0
    with scratch_home(home) as scratch, tempfile.TemporaryDirectory() as made:
        folder = bench.data or _write(Path(made), generated_items(bench.n_items, seed=0))
        for number in range(bench.n_rounds):
            tell(f"round {number + 1} of {bench.n_rounds}")
            began = time.perf_counter()
            ended = asyncio.run(run_here(scratch, _spec(folder)))
            whole_s = time.perf_counter() - began
            scoring_s.append(_seconds_to_score(scratch, ended))
            own_s.append(whole_s - scoring_s[-1])
            loop_s.append(asyncio.run(_loop(folder)))
            n_items = ended.n_items
    own, loop = statistics.median(own_s), statistics.median(loop_s)
    return {
        **bench_facts("asyncpg", "procrastinate", "sqlalchemy"),
        "model": "fake",
        "n_items": n_items,
        "batch_items": BATCH_ITEMS,
        "n_rounds": bench.n_rounds,
        "items_per_s": n_items / own,
        "scoring_s": statistics.median(scoring_s),
        "peers": {"plain_loop": {"items_per_s": n_items / loop, "ratio": loop / own}},
        "cost_ms_per_item": 1000 * (own - loop) / n_items,
    }


def _spec(folder: Path) -> RunSpec:
    return RunSpec(
        benchmark="xcomps",
        model="fake",
        tasks=(TASK,),
        data=str(folder),
        batch_items=BATCH_ITEMS,
        use_cache=False,
    )


def _seconds_to_score(home: Home, ended: Run) -> float:
    """Return how long the last step of a run takes, which no loop has."""

    async def score() -> float:
        async with open_store(home) as database:
            began = time.perf_counter()
            await store_scores(database, ended)
            return time.perf_counter() - began

    return asyncio.run(score())


async def _loop(folder: Path) -> float:
    """Read, ask and judge every item, a batch at a time; return the seconds."""
    began = time.perf_counter()
    benchmark, fake = open_benchmark("xcomps"), FakeProvider()
    found = list(benchmark.items(folder, Selection()))
    for first in range(0, len(found), BATCH_ITEMS):
        cases = [Case(item, TASK) for item in found[first : first + BATCH_ITEMS]]
        asked = [benchmark.requests(case, 0) for case in cases]
        answers = iter(await fake.answer([request for group in asked for request in group]))
        for case, group in zip(cases, asked, strict=True):
            responses: Any = {request.part: next(answers) for request in group}
            try:
                benchmark.judge(case, 0, responses)
            except BenchmarkError:
                continue
    return time.perf_counter() - began


def _write(folder: Path, items: Sequence[Item]) -> Path:
    """Write pairs in the released layout."""
    with (folder / "comps_base_generated.jsonl").open("w", encoding="utf-8") as lines:
        for item in items:
            good, bad = item.fields["sentences"]
            record = {
                "id": int(item.id),
                "property": item.fields["property"],
                "acceptable_concept": item.fields["concepts"][0],
                "unacceptable_concept": item.fields["concepts"][1],
                "sentence_good": good,
                "sentence_bad": bad,
                "negative_sample_type": item.subset,
            }
            lines.write(json.dumps(record) + "\n")
    return folder
