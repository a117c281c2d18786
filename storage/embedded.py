"""The bundled Postgres: started once a folder, adopted by every later command, left running.

The data lies in `<folder>/data`, which may have a space in its path. The socket lies in a short
folder of its own below `/tmp`, because a socket's path may have only about 100 characters.
"""

import hashlib
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import psutil
from filelock import FileLock, Timeout

from storage.errors import EmbeddedPostgresError
from storage.postgres_programs import Account, find_programs, postgres_account

SOCKET_ROOT = Path("/tmp")  # short and on every system; made private below
PORT = 5432
LOG_NAME = "server.log"
LOCK_TIMEOUT_S = 90.0
START_TIMEOUT_S = 60
N_LOG_LINES = 3

SETTINGS = (
    "listen_addresses=",
    f"port={PORT}",
    "max_connections=200",
    "unix_socket_permissions=0700",
    "timezone=UTC",
    "log_timezone=UTC",
    "log_checkpoints=off",
)
THROWAWAY_SETTINGS = ("fsync=off", "full_page_writes=off")


def start_postgres(folder: Path, *, is_throwaway: bool = False) -> str:
    """Start the Postgres of a folder, or adopt the one that runs there.

    It is detached from this process and stays up until `stop_postgres`.

    Args:
        folder: Made if it is missing; holds the data and a lock.
        is_throwaway: Faster, but a crash of the machine may lose the data; for tests.

    Returns:
        Its URL, the same for every caller.

    Raises:
        EmbeddedPostgresError: It does not start.
    """
    folder = folder.expanduser().resolve()
    data = folder / "data"
    if (url := _running_url(data)) is not None:
        return url
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / "lock", timeout=LOCK_TIMEOUT_S):
            return _running_url(data) or _start(data, is_throwaway=is_throwaway)
    except Timeout as error:
        message = f"another process has been starting Postgres in {folder} for {LOCK_TIMEOUT_S:g} s"
        raise EmbeddedPostgresError(message) from error
    except OSError as error:
        message = f"cannot keep Postgres in {folder}: {error.strerror or error}"
        raise EmbeddedPostgresError(message) from error


def stop_postgres(folder: Path) -> bool:
    """Stop the Postgres of a folder; clients are disconnected, the data stays.

    Returns:
        Whether one was running.

    Raises:
        EmbeddedPostgresError: It does not stop.
    """
    data = folder.expanduser().resolve() / "data"
    process = _postmaster(data)
    if process is None:
        return False
    for number, timeout_s in ((signal.SIGINT, 20.0), (signal.SIGQUIT, 10.0)):
        with suppress(psutil.NoSuchProcess):
            process.send_signal(number)
        if _has_ended(process, timeout_s):
            break
    else:
        raise EmbeddedPostgresError(f"Postgres (process {process.pid}) does not stop")
    with suppress(OSError):
        socket_folder(data).rmdir()
    return True


def is_running(folder: Path) -> bool:
    """Say whether the Postgres of a folder is up and ready."""
    return _running_url(folder.expanduser().resolve() / "data") is not None


def socket_folder(data: Path) -> Path:
    """Return the short folder that the socket of a data folder lies in."""
    digest = hashlib.sha256(os.fsencode(data)).hexdigest()[:12]
    return SOCKET_ROOT / f"polysense-{os.geteuid()}-{digest}"


def _running_url(data: Path) -> str | None:
    """Return the URL of the server on this data, if it is ready."""
    lines = _pid_file(data)
    is_ready = len(lines) >= 8 and lines[7].strip() == "ready"
    if not is_ready or not (Path(lines[4]) / f".s.PGSQL.{PORT}").is_socket():
        return None
    return None if _postmaster(data) is None else _url(Path(lines[4]))


def _url(sockets: Path) -> str:
    return f"postgresql://postgres@/postgres?host={sockets}&port={PORT}"


def _pid_file(data: Path) -> list[str]:
    try:
        return (data / "postmaster.pid").read_text().splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return []


def _postmaster(data: Path) -> psutil.Process | None:
    """Return the server's process; one that merely has its old number is told by its folder."""
    lines = _pid_file(data)
    if not lines or not lines[0].strip().isdigit():
        return None
    try:
        process = psutil.Process(int(lines[0]))
        return process if Path(process.cwd()) == data else None
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return None


def _start(data: Path, *, is_throwaway: bool) -> str:
    account = postgres_account(data)
    programs = find_programs(account)
    _stop_unreachable(data)
    if not (data / "PG_VERSION").exists():
        _make_private(data, account)
        _run(data, account, _initdb(programs, account.name_for(data)))
    sockets = socket_folder(data)
    _make_private(sockets, account)
    settings = [*SETTINGS, f"unix_socket_directories={sockets}"]
    if is_throwaway:
        settings += THROWAWAY_SETTINGS
    place = account.name_for(data)
    options = " ".join(f"-c {setting}" for setting in settings)
    log = ("-l", f"{place}/{LOG_NAME}", "-t", str(START_TIMEOUT_S))
    _run(data, account, (f"{programs}/pg_ctl", "-D", place, "-w", *log, "-o", options, "start"))
    return _url(sockets)


def _initdb(programs: Path, place: str) -> Sequence[str]:
    options = ("--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "--no-sync")
    return (f"{programs}/initdb", "-D", place, *options)


def _stop_unreachable(data: Path) -> None:
    """Make way: stop a server whose socket is gone, forget a number that another process has."""
    process = _postmaster(data)
    if process is not None:
        process.send_signal(signal.SIGINT)
        if not _has_ended(process, 20.0):
            raise EmbeddedPostgresError(f"Postgres (process {process.pid}) runs without a socket")
    elif (lines := _pid_file(data)) and psutil.pid_exists(int(lines[0])):
        (data / "postmaster.pid").unlink()


def _make_private(folder: Path, account: Account) -> None:
    """Make a folder that only the account may enter; refuse one that belongs to somebody else."""
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid not in {os.geteuid(), account.user_id}:
        raise EmbeddedPostgresError(f"{folder} belongs to another user; remove it")
    os.chown(folder, account.user_id, account.group_id)
    folder.chmod(0o700)


def _run(data: Path, account: Account, command: Sequence[str]) -> None:
    n_logged = len(_log(data))
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    done = subprocess.run(
        command,
        cwd=data,
        env=inherited | {"LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        **account.process_options(),
    )
    if done.returncode != 0:
        said = _log(data)[n_logged:] or done.stdout.decode(errors="replace")
        lines = [line.split("] ", 1)[-1].strip() for line in said.splitlines()]
        raise EmbeddedPostgresError(
            f"{Path(command[0]).name} failed: {' / '.join(lines[-N_LOG_LINES:])}"
        )


def _log(data: Path) -> str:
    try:
        return (data / LOG_NAME).read_text(errors="replace")
    except FileNotFoundError:
        return ""


def _has_ended(process: psutil.Process, timeout_s: float) -> bool:
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        with suppress(psutil.NoSuchProcess):
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                time.sleep(0.02)
                continue
        return True
    return False
