"""Run what needs weights in a process of its own that never outlives the command."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from types import FrameType

from services.cli.exits import INTERRUPTED, InterruptedRunError
from services.processes import PARENT_VARIABLE

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
STOPPED = (INTERRUPTED, *(-number for number in SIGNALS))
"""How a training ends that was asked to: told in time, or before it could listen."""


def run_training(words: Sequence[str]) -> tuple[int, str]:
    """Train; see `run_child`.

    Raises:
        InterruptedRunError: It was stopped, by Ctrl-C or a signal to it or to us.
    """
    return run_child("services.scorer.finetune", words)


def run_child(module: str, words: Sequence[str]) -> tuple[int, str]:
    """Return a module's exit code and what it printed; its progress goes to our stderr.

    Raises:
        InterruptedRunError: It was stopped, by Ctrl-C or a signal to it or to us.
    """
    with (
        subprocess.Popen(
            [sys.executable, "-m", module, *words],
            env={**os.environ, PARENT_VARIABLE: str(os.getpid())},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        ) as process,
        _signals_passed_on(process),
    ):
        output, _ = process.communicate()
    if process.returncode in STOPPED:
        raise InterruptedRunError("stopped; the same command goes on where it was")
    return process.returncode, output


@contextlib.contextmanager
def _signals_passed_on(process: "subprocess.Popen[str]") -> Iterator[None]:
    """Let a process end in its own way, with a checkpoint, when this one is asked to end."""

    def pass_on(number: int, _frame: FrameType | None) -> None:
        process.send_signal(number)

    before = {number: signal.signal(number, pass_on) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
