"""Real processes to do harm to: Postgres, a scorer behind a proxy, and any number of workers."""

import asyncio
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx

from orchestrator import run as run_story
from orchestrator.planning import make_plan
from orchestrator.resources import Resources
from orchestrator.spec import RunSpec
from services.processes import free_port
from storage import runs
from storage.database import Database, fetch_all
from storage.embedded import start_postgres, stop_postgres
from storage.migrate import migrate
from storage.records import Run
from tests.faults.proxy import FaultProxy

ROOT = Path(__file__).parents[2]
LEASE_S = 3.0
SILENCE_S = 4.0
START_S = 120.0
N_PAIRS = 360
KINDS = ("taxonomic", "overlap", "co-occurrence", "random")


class House:
    """Everything that a run needs, in processes of their own."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.seed = seed
        self.home = folder / "home"
        self.postgres = folder / "postgres"
        self.url = start_postgres(self.postgres, is_throwaway=True)
        migrate(self.url)
        self.workers: list[subprocess.Popen[bytes]] = []
        self.truths: dict[str, Run] = {}
        self.environment = {
            **os.environ,
            "DATABASE_URL": self.url,
            "POLYSENSE_HOME": str(self.home),
            "WORKER_LEASE_S": str(LEASE_S),
            "WORKER_SILENCE_S": str(SILENCE_S),
            "WORKER_CONCURRENCY": "2",
        }
        self.scorer_port = free_port()
        self.scorer = self.start_scorer()
        self.proxy = FaultProxy(f"http://127.0.0.1:{self.scorer_port}", f"{seed}:proxy")
        self.proxy.start()

    def random(self, name: str) -> random.Random:
        return random.Random(f"{self.seed}:{name}")

    def start_scorer(self) -> subprocess.Popen[bytes]:
        changes = {"SCORER_MODEL": "fake", "SCORER_PORT": str(self.scorer_port)}
        self.scorer = self._start("services.scorer", changes)
        self._wait_for_scorer()
        return self.scorer

    def start_worker(self, **changes: str) -> subprocess.Popen[bytes]:
        worker = self._start("services.orchestrator.worker", changes)
        self.workers.append(worker)
        return worker

    def start_cramped_worker(self) -> subprocess.Popen[bytes]:
        """Start a worker that can write no file of more than a few bytes."""
        limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)); "
        start = "from services.orchestrator.worker import main; main()"
        worker = subprocess.Popen(
            [sys.executable, "-c", limit + start],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.workers.append(worker)
        return worker

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait()
        if process in self.workers:
            self.workers.remove(process)

    def kill_workers(self) -> None:
        for worker in list(self.workers):
            with contextlib.suppress(ProcessLookupError):
                worker.send_signal(signal.SIGCONT)
            self.kill(worker)

    def restart_postgres(self) -> None:
        stop_postgres(self.postgres)
        start_postgres(self.postgres, is_throwaway=True)

    def close(self) -> None:
        self.kill_workers()
        self.proxy.stop()
        self.kill(self.scorer)
        stop_postgres(self.postgres)

    def pairs(self, n_pairs: int) -> Path:
        """Write a COMPS file whose acceptable sentence is the shorter one in two of three pairs."""
        folder = self.folder / f"pairs-{n_pairs}"
        if not folder.is_dir():
            folder.mkdir()
            lines = (json.dumps(_pair(number)) + "\n" for number in range(n_pairs))
            (folder / "comps_base.jsonl").write_text("".join(lines))
        return folder

    async def submit(self, database: Database, **changes: object) -> Run:
        given = {
            "benchmark": "xcomps",
            "model": f"scorer:{self.proxy.url}",
            "tasks": ("direct",),
            "data": str(self.pairs(N_PAIRS)),
            "batch_items": 4,
            "use_cache": False,
        }
        spec = RunSpec.model_validate({**given, **changes})
        resources = Resources(find_scorers=dict, artefacts=self.home / "artefacts")
        return await run_story.start(database, await make_plan(database, spec, resources))

    async def pids_at_work(self, database: Database) -> list[int]:
        """Return the workers that have given a sign of life and were not killed; wait for one."""
        async for _ in beats():
            async with database.begin() as connection:
                rows = await fetch_all(
                    connection, "SELECT place FROM workers WHERE ended_at IS NULL"
                )
            alive = {worker.pid for worker in self.workers}
            if pids := {int(row.place.rsplit(":", 1)[1]) for row in rows} & alive:
                return sorted(pids)
        raise AssertionError("a worker gives a sign of life")

    def _start(self, module: str, changes: dict[str, str]) -> subprocess.Popen[bytes]:
        log = self.folder / f"{module}.log"
        with log.open("ab") as output:
            return subprocess.Popen(
                [sys.executable, "-m", module],
                cwd=ROOT,
                env={**self.environment, **changes},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )

    def _wait_for_scorer(self) -> None:
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            with contextlib.suppress(httpx.TransportError):
                url = f"http://127.0.0.1:{self.scorer_port}/health/ready"
                if httpx.get(url, timeout=2.0).is_success:
                    return
            time.sleep(0.1)
        raise TimeoutError("the scorer does not start")


async def beats(within_s: float = START_S) -> AsyncIterator[None]:
    """Let a loop go round a few times a second, but not for ever."""
    async with asyncio.timeout(within_s):
        while True:
            yield
            await asyncio.sleep(0.05)


async def ended(database: Database, run_id: str, within_s: float = 240.0) -> Run:
    """Wait for a run to end."""
    async for _ in beats(within_s):
        run = await runs.get(database, run_id)
        if run.status not in {"queued", "running"}:
            return run
    raise AssertionError("a run ends")


async def answered(database: Database, run_id: str, n_outcomes: int) -> None:
    """Wait until so many outcomes of a run are stored."""
    async for _ in beats():
        if (await runs.count_progress(database, run_id)).n_outcomes >= n_outcomes:
            return


async def told(database: Database, run_id: str, words: str) -> Run:
    """Wait until the reason of a run says so."""
    async for _ in beats():
        run = await runs.get(database, run_id)
        if words in (run.reason or ""):
            return run
    raise AssertionError("a reason is told")


def _pair(number: int) -> dict[str, object]:
    long = "x" * (number % 3 + 1)
    return {
        "id": number + 1,
        "property": f"property {number // 4}",
        "acceptable_concept": "ab",
        "unacceptable_concept": f"c{long}",
        "prefix_acceptable": "a ab",
        "property_phrase": f"does {number}.",
        "prefix_unacceptable": f"a c{long}",
        "negative_sample_type": KINDS[number % 4],
        "similarity": 0.5,
    }
