"""The service processes of one machine: started detached, noted in the home, found again, ended."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Event

import httpx
import psutil

from orchestrator.resources import Resources
from services.home import Home
from services.provider_keys import find_secret

START_TIMEOUT_S = 300.0
STOP_TIMEOUT_S = 25.0
POLL_S = 0.1
PATIENCE_S = 8.0
"""A model that cannot be loaded is known by then: wrong use stays one line."""
PARENT_VARIABLE = "POLYSENSE_PARENT_PID"


class ServiceStartError(Exception):
    """A service ended, or was not ready in time, when it was started; names its log."""

    def __init__(self, message: str, exit_code: int = 3) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        """2 where the service says that it was used wrongly."""


@dataclass(frozen=True, slots=True)
class ServiceRecord:
    """One running process, as noted in the home."""

    name: str
    """scorer, orchestrator, worker or metrics."""
    url: str
    pid: int
    created_at: float
    """When the process began, in seconds since 1970: a pid alone may be another's by now."""
    model: str = ""
    log: str = ""

    def is_alive(self) -> bool:
        """Say whether this very process still runs."""
        try:
            process = psutil.Process(self.pid)
            begun = abs(process.create_time() - self.created_at) < 1.0
            return begun and process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False


def free_port() -> int:
    """Return a port of the loopback address that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def is_port_taken(port: int) -> bool:
    """Say whether something listens on a port of the loopback address."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def start_service(
    home: Home, name: str, port: int, environment: Mapping[str, str], *, ends_with_parent: bool
) -> ServiceRecord:
    """Start `polysense serve NAME` detached, with its output in a log file; do not wait for it."""
    home.logs.mkdir(parents=True, exist_ok=True)
    log = home.logs / f"{name}-{port or os.getpid()}.log"
    variables = {**os.environ, **environment}
    if ends_with_parent:
        variables[PARENT_VARIABLE] = str(os.getpid())
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "services.cli.main", "serve", name],
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    record = ServiceRecord(
        name=name,
        url=f"http://127.0.0.1:{port}" if port else "",
        pid=process.pid,
        created_at=psutil.Process(process.pid).create_time(),
        model=environment.get("SCORER_MODEL", ""),
        log=str(log),
    )
    _note(home, record)
    return record


def start_scorer(
    home: Home, model: str, port: int, *, ends_with_parent: bool, dtype: str | None = None
) -> ServiceRecord:
    """Start a scorer for one model; without a dtype, as the environment says."""
    environment = {
        "SCORER_MODEL": model,
        "SCORER_PORT": str(port),
        "SCORER_HOST": "127.0.0.1",
        "SCORER_CACHE": str(home.cache),
        **({"SCORER_DTYPE": dtype} if dtype else {}),
    }
    return start_service(home, "scorer", port, environment, ends_with_parent=ends_with_parent)


def wait_until_ready(
    record: ServiceRecord,
    timeout_s: float = START_TIMEOUT_S,
    tell: Callable[[str], None] | None = None,
    halt: Event | None = None,
) -> None:
    """Wait for a service to be ready; what takes longer than a moment is told.

    Args:
        record: Of the service.
        timeout_s: When to give up.
        tell: Says what takes so long, once it does.
        halt: Set by another thread when nobody waits any more.

    Raises:
        ServiceStartError: It ended, or took too long; says what it wrote last.
    """
    halt = halt or Event()
    deadline = time.monotonic() + timeout_s
    tell_at = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if tell is not None and time.monotonic() > tell_at:
            tell(f"loading {record.model} (the first time converts its weights)")
            tell = None
        if not record.is_alive():
            raise ServiceStartError(last_line(record.log), _exit_code(record))
        if not record.url or _is_ready(record.url):
            return
        if halt.wait(POLL_S):
            raise ServiceStartError(f"{record.name} is no longer wanted")
    raise ServiceStartError(
        f"{record.name} was not ready after {timeout_s:.0f} s; log: {record.log}"
    )


def stop(home: Home, record: ServiceRecord) -> None:
    """End a process that was started here: politely, then by force."""
    if record.is_alive():
        process = psutil.Process(record.pid)
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(STOP_TIMEOUT_S)
            except psutil.TimeoutExpired:
                process.kill()
    _path(home, record).unlink(missing_ok=True)


def records(home: Home) -> list[ServiceRecord]:
    """Return the processes of this home that run; notes of dead ones are thrown away."""
    found = []
    for path in sorted(_folder(home).glob("*.json")):
        record = _read(path)
        if record is not None and record.is_alive():
            found.append(record)
        else:
            path.unlink(missing_ok=True)
    return found


def find_scorers(home: Home) -> dict[str, str]:
    """Return the address of every scorer that answers, by its model's name."""
    ready = {
        record.model: record.url
        for record in records(home)
        if record.name == "scorer" and _is_ready(record.url)
    }
    return {**ready, **home.settings.scorers}


def resources_of(home: Home, endpoints: Mapping[str, str] | None = None) -> Resources:
    """Return what this process lends to runs; without endpoints, every scorer there is."""
    return Resources(
        find_scorers=lambda: find_scorers(home) if endpoints is None else endpoints,
        artefacts=home.artefacts,
        scorer_key=home.scorer_key,
        find_secret=lambda name: find_secret(name, home.settings.secrets),
        price_files=(home.settings.prices,) if home.settings.prices is not None else (),
    )


@contextlib.contextmanager
def scorers_for(
    home: Home,
    models: list[str],
    tell: Callable[[str], None],
    dtype: str | None = None,
    halt: Event | None = None,
) -> Iterator[Mapping[str, str]]:
    """Lend a scorer for each model: one that runs already, or one that ends with this block.

    Args:
        home: Where running scorers are noted.
        models: Their names.
        tell: Says what takes so long, once it does.
        dtype: Of the weights of those that are started here.
        halt: Set by another thread when nobody waits for them any more.

    Raises:
        ServiceStartError: One cannot be started.
    """
    found = find_scorers(home)
    started: list[ServiceRecord] = []
    try:
        for model in models:
            if model not in found:
                port = free_port()
                started.append(start_scorer(home, model, port, ends_with_parent=True, dtype=dtype))
        for record in started:
            wait_until_ready(record, tell=tell, halt=halt)
        lent = {record.model: record.url for record in started}
        yield {model: lent.get(model) or found[model] for model in models}
    finally:
        for record in started:
            stop(home, record)


def last_line(log: str) -> str:
    """Return the last line that is not JSON, or else the last line of all."""
    path = Path(log)
    lines = path.read_text(errors="replace").strip().splitlines() if path.is_file() else []
    plain = [line for line in lines if not line.startswith("{")]
    return (plain or lines or ["it wrote nothing"])[-1]


def _is_ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health/ready", timeout=2.0).is_success
    except httpx.TransportError:
        return False


def _folder(home: Home) -> Path:
    return home.folder / "processes"


def _path(home: Home, record: ServiceRecord) -> Path:
    return _folder(home) / f"{record.name}-{record.pid}.json"


def _note(home: Home, record: ServiceRecord) -> None:
    path = _path(home, record)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(asdict(record)))
    partial.replace(path)


def _exit_code(record: ServiceRecord) -> int:
    try:
        code = psutil.Process(record.pid).wait(timeout=0)
    except (psutil.NoSuchProcess, psutil.TimeoutExpired):
        return 3
    return 2 if code == 2 else 3


def _read(path: Path) -> ServiceRecord | None:
    try:
        return ServiceRecord(**json.loads(path.read_text()))
    except (ValueError, TypeError, OSError):
        return None
