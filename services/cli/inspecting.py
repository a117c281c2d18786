"""Commands that look at benchmarks, data and this machine: benchmarks, check, requests, doctor."""

import json
import os
import platform
import shutil
import sys
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import psutil
import typer

from benchmarks.benchmark import Benchmark
from benchmarks.catalog import open_all
from benchmarks.requests import Request
from orchestrator.jobs import ACTIVE
from orchestrator.liveness import with_reasons
from orchestrator.manifest import code_facts, package_versions
from orchestrator.plan import cells
from orchestrator.planning import all_requests, open_source
from orchestrator.plugins import installed_plugins
from services.cli.batch_commands import batch_lines
from services.cli.exits import DONE, UNREACHABLE
from services.cli.options import (
    BenchmarkArgument,
    DataOption,
    JsonOption,
    LanguageOption,
    LimitOption,
    SeedOption,
    SettingOption,
    TaskOption,
    absolute_data,
    make_spec,
    read_settings,
)
from services.cli.printing import print_json, print_table, say
from services.cli.store import open_store, wait_for
from services.home import Home, open_home
from services.processes import records
from storage import runs, workers
from storage.errors import StorageError
from storage.records import Run
from storage.workers import Worker

GIGABYTE = 1e9
N_RUNS, N_WORKERS = 1_000, 10


class RequestFormat(StrEnum):
    """How requests are written."""

    JSONL = "jsonl"
    OPENAI_BATCH = "openai-batch"


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command(name="benchmarks")(list_benchmarks)
    app.command()(check)
    app.command(name="requests")(print_requests)
    app.command()(doctor)


def list_benchmarks(as_json: JsonOption = False) -> None:
    """List the benchmarks with their tasks, settings and baselines."""
    benchmarks, problems = open_all()
    for problem in problems:
        say(problem)
    documents = [_describe(benchmark) for benchmark in benchmarks]
    if as_json:
        print_json(documents)
        return
    rows = [
        (
            document["name"],
            document["paper"],
            " ".join(document["tasks"]),
            " ".join(document["languages"]),
            " ".join(document["baselines"]),
        )
        for document in documents
    ]
    print_table("", ("name", "paper", "tasks", "sample languages", "baselines"), rows)


def check(
    benchmark: BenchmarkArgument,
    data: DataOption = None,
    language: LanguageOption = [],  # noqa: B006  # typer copies it
    setting: SettingOption = [],  # noqa: B006
    as_json: JsonOption = False,
) -> int:
    """Lint a data folder: counts against the paper's, leakage, suspicious rows."""
    spec = make_spec(
        benchmark=benchmark,
        model="fake",
        languages=tuple(language),
        data=absolute_data(data),
        settings=read_settings(setting),
    )
    source = open_source(spec)
    found = source.benchmark.check(source.folder, source.languages)
    if as_json:
        print_json(
            {
                "benchmark": benchmark,
                "counts": [asdict(count) for count in found.counts],
                "findings": [asdict(finding) for finding in found.findings],
            }
        )
    else:
        rows = [
            (c.language, c.split, "–" if c.expected is None else str(c.expected), str(c.observed))
            for c in found.counts
        ]
        print_table("", ("language", "split", "paper ", "here "), rows)
        for finding in found.findings:
            place = f"{finding.file or ''}{f':{finding.line}' if finding.line else ''}"
            sys.stdout.write(f"{finding.level}: {place}{' ' if place else ''}{finding.message}\n")
    return 1 if any(finding.level == "error" for finding in found.findings) else DONE


def print_requests(  # noqa: PLR0913  # one parameter an option
    benchmark: BenchmarkArgument,
    model: Annotated[str, typer.Option("--model", help="Leave out what it cannot serve.")] = "fake",
    task: TaskOption = [],  # noqa: B006  # typer copies it
    language: LanguageOption = [],  # noqa: B006
    data: DataOption = None,
    limit: LimitOption = None,
    seed: SeedOption = None,
    setting: SettingOption = [],  # noqa: B006
    as_format: Annotated[RequestFormat, typer.Option("--format")] = RequestFormat.JSONL,
) -> None:
    """Print every request of a run, one JSON object a line, without asking a model."""
    spec = make_spec(
        benchmark=benchmark,
        model=model,
        tasks=tuple(task),
        languages=tuple(language),
        data=absolute_data(data),
        limit=limit,
        seed=seed,
        settings=read_settings(setting),
    )
    if as_format is RequestFormat.OPENAI_BATCH:
        for line in batch_lines(spec):
            sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
        return
    source = open_source(spec)
    run_cells = cells(source.benchmark, spec.tasks or source.benchmark.tasks, spec.seed)
    for request in all_requests(source.benchmark, source.items(), run_cells, spec.seed or 0):
        sys.stdout.write(json.dumps(_request_line(request), ensure_ascii=False) + "\n")


def doctor(as_json: JsonOption = False) -> int:
    """Say what this machine has, what runs, and whether the database answers."""
    home = open_home()
    problem, seen, still = wait_for(_look_into_database(home))
    facts = {
        "home": str(home.folder),
        "database": problem or "answers",
        "free_disk_gb": round(shutil.disk_usage(_existing(home.folder)).free / GIGABYTE, 1),
        "memory_gb": round(psutil.virtual_memory().total / GIGABYTE, 1),
        "n_cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1,
        "platform": platform.platform(),
        "python": platform.python_version(),
        "code": code_facts(),
        "packages": package_versions(),
        "plugins": installed_plugins(),
        "processes": [asdict(record) for record in records(home)],
        "workers": [
            {
                "place": each.place,
                "last_sign": each.last_sign.isoformat(),
                "is_alive": each.is_alive,
            }
            for each in seen
        ],
        "standing_still": [{"run": run.id, "why": run.reason} for run in still],
    }
    if as_json:
        print_json(facts)
    else:
        for name, value in facts.items():
            sys.stdout.write(f"{name}: {_plain(value)}\n")
    return DONE if problem is None else UNREACHABLE


async def _look_into_database(home: Home) -> tuple[str | None, list[Worker], list[Run]]:
    """Return what is wrong with the database, the latest workers, and runs that stand still."""
    try:
        async with open_store(home) as database:
            latest = await runs.list_runs(database, N_RUNS)
            live = [run for run in latest if run.status in ACTIVE]
            found = await with_reasons(database, live)
            still = [run for run in found if run.reason is not None]
            return None, await workers.list_workers(database, N_WORKERS), still
    except StorageError as error:
        return str(error), [], []


def _describe(benchmark: Benchmark) -> dict[str, Any]:
    return {
        "name": benchmark.name,
        "title": benchmark.title,
        "paper": benchmark.paper,
        "tasks": {task: sorted(benchmark.kinds(task)) for task in benchmark.tasks},
        "languages": list(benchmark.languages(benchmark.sample)),
        "unit": benchmark.unit,
        "baselines": {name: list(tasks) for name, tasks in benchmark.baselines().items()},
        "settings": benchmark.settings.model_dump(mode="json"),
    }


def _request_line(request: Request) -> dict[str, Any]:
    fields = request.model_dump(mode="json", exclude={"part"})
    return {"key": fields.pop("key"), "kind": fields.pop("kind"), **fields}


def _existing(folder: Path) -> Path:
    return next(path for path in (folder, *folder.parents) if path.exists())


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {text}" for name, text in value.items())
    if isinstance(value, list):
        return "; ".join(_plain(each) for each in value) or "none"
    return str(value)
