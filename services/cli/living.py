"""Commands that keep services running: serve, up, down, demo."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.catalog import BENCHMARKS
from metrics.score import Score
from orchestrator.spec import RunSpec
from services.cli.exits import DONE, UNANSWERED, UsageError
from services.cli.options import JsonOption
from services.cli.printing import print_json, print_scores, say
from services.cli.reading import write_report
from services.cli.remote import Api
from services.cli.store import open_store, wait_for
from services.home import Home, open_home
from services.processes import (
    PARENT_VARIABLE,
    ServiceRecord,
    free_port,
    is_port_taken,
    records,
    start_scorer,
    start_service,
    stop,
    wait_until_ready,
)
from storage.embedded import stop_postgres

SCORER_PORT, ORCHESTRATOR_PORT, METRICS_PORT = 8101, 8102, 8103
PARENT_CHECK_S = 1.0
DEMO_MODEL = "demo"
HEADLINES = ("accuracy", "miss_share", "spearman")
DEMO_TASKS: Mapping[str, tuple[str, ...]] = {
    "stingray": ("semantic", "usage"),
    "dtails": ("select",),
    "xcomps": ("direct",),
    "dibimt": ("translate",),
    "semrel": ("relatedness",),
}
DEMO_SETTINGS: Mapping[str, dict[str, str]] = {"dtails": {"max_new_tokens": "32"}}
"""The demo decoder rambles on; what it says first is enough for a demonstration."""
DEMO_LIMITS: Mapping[str, int] = {"dibimt": 2}
"""Items a language, where a model with one core or two would be watched for minutes."""


class ServiceName(StrEnum):
    """What `serve` starts."""

    SCORER = "scorer"
    ORCHESTRATOR = "orchestrator"
    WORKER = "worker"
    METRICS = "metrics"


ENTRIES: Mapping[ServiceName, str] = {
    ServiceName.SCORER: "services.scorer.app",
    ServiceName.ORCHESTRATOR: "services.orchestrator.app",
    ServiceName.WORKER: "services.orchestrator.worker",
    ServiceName.METRICS: "services.metrics.app",
}


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command()(serve)
    app.command()(up)
    app.command()(down)
    app.command()(demo)


def serve(
    service: ServiceName,
    model: Annotated[str | None, typer.Option("--model", help="For a scorer.")] = None,
    port: Annotated[int | None, typer.Option("--port", help="0 takes a free one.")] = None,
) -> None:
    """Run one service in this process until it is told to stop."""
    if model is not None and service is not ServiceName.SCORER:
        raise UsageError(f"--model is for a scorer, not for {service}")
    prefix = service.value.upper()
    if model is not None:
        os.environ["SCORER_MODEL"] = model
    if port is not None:
        os.environ[f"{prefix}_PORT"] = str(port)
    if service is ServiceName.SCORER:
        os.environ.setdefault("SCORER_CACHE", str(open_home().cache))
    _end_with_parent()
    main: Callable[[], None] = import_module(ENTRIES[service]).main
    main()


def up(as_json: JsonOption = False) -> int:
    """Start the demo scorers, the orchestrator, a worker and the metrics service; leave them."""
    home = open_home()
    started = _start_all(home, ORCHESTRATOR_PORT, METRICS_PORT, SCORER_PORT)
    if as_json:
        print_json(
            [{"name": r.name, "url": r.url, "pid": r.pid, "model": r.model} for r in started]
        )
        return DONE
    for record in started:
        say(f"{record.name} {record.model} {record.url or f'pid {record.pid}'}")
    say("`polysense down` ends them")
    return DONE


def down() -> int:
    """End every process of this home, the bundled Postgres last."""
    home = open_home()
    for record in records(home):
        say(f"ending {record.name} {record.model}")
        stop(home, record)
    stop_postgres(home.postgres)
    say("down")
    return DONE


def demo(
    out: Annotated[Path, typer.Option("--out", help="The report to write.")] = Path(
        "out/report.html"
    ),
    keep: Annotated[bool, typer.Option("--keep", help="Leave the services running.")] = False,
) -> int:
    """Measure the demo model on the sample of every benchmark, through real services."""
    home = open_home()
    before = {record.pid for record in records(home)}
    started = _start_all(home, *_demo_ports(home))
    try:
        return _measure_samples(home, started, out)
    finally:
        if not keep:
            for record in started:
                if record.pid not in before:
                    stop(home, record)


def _demo_ports(home: Home) -> tuple[int, int, int]:
    """Take the usual ports, or free ones where something else listens there."""
    mine = {record.url for record in records(home)}
    ports = []
    for port in (ORCHESTRATOR_PORT, METRICS_PORT, SCORER_PORT):
        is_mine = f"http://127.0.0.1:{port}" in mine
        ports.append(port if is_mine or not is_port_taken(port) else free_port())
    return ports[0], ports[1], ports[2]


def _start_all(
    home: Home, orchestrator_port: int, metrics_port: int, scorer_port: int
) -> list[ServiceRecord]:
    """Start what does not run yet; all at once, then wait for all."""
    say(f"state in {home.folder}")
    say("starting Postgres")
    wait_for(_touch_store(home))
    running = {(record.name, record.model): record for record in records(home)}
    wanted: dict[tuple[str, str], Callable[[], ServiceRecord]] = {
        ("scorer", "demo-decoder"): lambda: start_scorer(
            home, "demo-decoder", scorer_port, ends_with_parent=False
        ),
        ("scorer", "demo-encoder"): lambda: start_scorer(
            home, "demo-encoder", free_port(), ends_with_parent=False
        ),
        ("orchestrator", ""): lambda: _start(home, "orchestrator", orchestrator_port),
        ("worker", ""): lambda: _start(home, "worker", 0),
        ("metrics", ""): lambda: _start(home, "metrics", metrics_port),
    }
    new = [make() for key, make in wanted.items() if key not in running]
    say("starting services: " + (", ".join(f"{r.name} {r.model}".strip() for r in new) or "none"))
    say("loading the demo models (the first time converts their weights: about a minute)")
    for record in new:
        wait_until_ready(record)
    return [record for key, record in running.items() if key in wanted] + new


def _start(home: Home, name: str, port: int) -> ServiceRecord:
    variables = {f"{name.upper()}_PORT": str(port)} if port else {}
    return start_service(home, name, port, variables, ends_with_parent=False)


def _measure_samples(home: Home, started: list[ServiceRecord], out: Path) -> int:
    urls = {record.name: record.url for record in started}
    api = Api(urls["orchestrator"])
    ended = []
    for name in BENCHMARKS:
        spec = demo_spec(name)
        say(f"measuring {name}: {_describe(spec)}")
        ended.append(api.wait(api.create(spec)["id"]))
    for run in ended:
        sys.stdout.write(f"\n{run['benchmark']} · {run['model']} · {run['status']}\n")
        found = [Score.model_validate(score) for score in run["scores"]]
        print_scores([score for score in found if _is_headline(score)])
    write_report(home, [run["id"] for run in ended], out)
    say(f"report: {out}")
    say(f"pages: {urls['metrics']} (kept up by `make up`)")
    is_whole = all(
        run["status"] == "finished" and run["progress"]["n_answered"] == run["progress"]["n_items"]
        for run in ended
    )
    return DONE if is_whole else UNANSWERED


def demo_spec(benchmark: str) -> RunSpec:
    """Return what the demonstration asks of one benchmark: its sample, quick enough to watch."""
    return RunSpec(
        benchmark=benchmark,
        model=DEMO_MODEL,
        tasks=DEMO_TASKS[benchmark],
        seed=0,
        limit=DEMO_LIMITS.get(benchmark),
        settings=DEMO_SETTINGS.get(benchmark, {}),
    )


def _describe(spec: RunSpec) -> str:
    limit = [] if spec.limit is None else [f"first {spec.limit} items a language"]
    settings = [f"{name}={value}" for name, value in spec.settings.items()]
    return ", ".join([*spec.tasks, *limit, *settings])


def _is_headline(score: Score) -> bool:
    return (
        score.subset is None
        and score.setting is None
        and score.layer is None
        and score.metric in HEADLINES
    )


async def _touch_store(home: Home) -> None:
    async with open_store(home):
        pass


def _end_with_parent() -> None:
    """End this process when the one that wanted it is gone, however it went."""
    parent = os.environ.pop(PARENT_VARIABLE, "")
    if not parent:
        return

    def watch() -> None:
        while os.getppid() == int(parent):
            time.sleep(PARENT_CHECK_S)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True, name="parent-watch").start()
