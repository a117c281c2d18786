"""Commands that keep services running: serve, up, down."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import Annotated

import typer

from services.cli.exits import DONE, UsageError
from services.cli.options import JsonOption
from services.cli.printing import print_json, say
from services.cli.store import open_store, wait_for
from services.home import Home, open_home
from services.processes import (
    PARENT_VARIABLE,
    ServiceRecord,
    free_port,
    records,
    start_scorer,
    start_service,
    stop,
    wait_until_ready,
)
from storage.embedded import stop_postgres

PARENT_CHECK_S = 1.0


@dataclass(frozen=True, slots=True)
class ServicePorts:
    """Where the services listen on the loopback address."""

    scorer: int = 8101
    orchestrator: int = 8102
    metrics: int = 8103


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
    started = start_all(home, ServicePorts())
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


def start_all(
    home: Home, ports: ServicePorts, *, ends_with_parent: bool = False
) -> list[ServiceRecord]:
    """Start what does not run yet, all at once, and wait for all; or leave none of them running.

    Raises:
        ServiceStartError: One did not start.
    """
    say(f"state in {home.folder}")
    say("starting Postgres")
    wait_for(_touch_store(home))
    running = {(record.name, record.model): record for record in records(home)}

    def start(name: str, port: int) -> ServiceRecord:
        variables = {f"{name.upper()}_PORT": str(port)} if port else {}
        return start_service(home, name, port, variables, ends_with_parent=ends_with_parent)

    wanted: dict[tuple[str, str], Callable[[], ServiceRecord]] = {
        ("scorer", "demo-decoder"): lambda: start_scorer(
            home, "demo-decoder", ports.scorer, ends_with_parent=ends_with_parent
        ),
        ("scorer", "demo-encoder"): lambda: start_scorer(
            home, "demo-encoder", free_port(), ends_with_parent=ends_with_parent
        ),
        ("orchestrator", ""): lambda: start("orchestrator", ports.orchestrator),
        ("worker", ""): lambda: start("worker", 0),
        ("metrics", ""): lambda: start("metrics", ports.metrics),
    }
    new = [make() for key, make in wanted.items() if key not in running]
    say("starting services: " + (", ".join(f"{r.name} {r.model}".strip() for r in new) or "none"))
    say("loading the demo models (the first time converts their weights: about a minute)")
    with contextlib.ExitStack() as undo:
        for record in new:
            undo.callback(stop, home, record)
        for record in new:
            wait_until_ready(record)
        undo.pop_all()
    return [record for key, record in running.items() if key in wanted] + new


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
