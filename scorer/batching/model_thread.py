"""One thread owns the model; questions of several callers wait for it together.

While the model computes, questions gather; those of one kind and one set of parameters are
answered in one go.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from scorer.backend import Backend, TokenRow
from scorer.errors import BackendError, ModelLoadingError, QueueFullError, ScorerError

LOG = logging.getLogger(__name__)

Ask = Callable[[Backend, Sequence[TokenRow]], Sequence[Any]]
"""Gives one answer a row, in their order."""


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """When a batch is sent off, and when no more is taken."""

    window_s: float = 0.003
    """How long a question waits for others when the model is idle."""
    max_batch_tokens: int = 65_536
    """Tokens that are asked for in one go; one question may have more."""
    max_waiting_tokens: int = 20_000_000


@dataclass(slots=True)
class _Job:
    key: Hashable
    """Jobs of equal keys are answered by one call."""
    ask: Ask
    rows: Sequence[TokenRow]
    answers: Future[Any] = field(default_factory=Future)
    arrived_at: float = field(default_factory=time.monotonic)

    @property
    def n_tokens(self) -> int:
        return sum(len(row.ids) + len(row.source_ids) for row in self.rows)


class ModelThread:
    """Loads a backend, asks it, and closes it, always in the same thread."""

    def __init__(self, load: Callable[[], Backend], limits: QueueLimits | None = None) -> None:
        self._load = load
        self._limits = limits or QueueLimits()
        self._jobs: deque[_Job] = deque()
        self._n_waiting = 0
        self._is_closing = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="model", daemon=True)
        self.loaded: Future[Backend] = Future()
        """The backend, or why there is none."""

    @property
    def backend(self) -> Backend:
        """The loaded backend, to be asked for facts and its tokenizer only.

        Raises:
            ModelLoadingError: It is not there yet.
        """
        if not self.loaded.done():
            raise ModelLoadingError("the weights are still being loaded")
        return self.loaded.result()

    @property
    def n_waiting_tokens(self) -> int:
        """Tokens of the questions that wait."""
        return self._n_waiting

    def start(self) -> None:
        """Begin to load."""
        self._thread.start()

    def submit(self, key: Hashable, ask: Ask, rows: Sequence[TokenRow]) -> Future[Any]:
        """Let rows wait for the model; `ask` is called in its thread.

        Raises:
            QueueFullError: Too much waits already.
        """
        job = _Job(key, ask, rows)
        with self._changed:
            if self._is_closing:
                raise QueueFullError("the scorer is being shut down")
            if self._n_waiting + job.n_tokens > self._limits.max_waiting_tokens and self._jobs:
                raise QueueFullError(
                    f"{self._n_waiting} tokens wait already,"
                    f" limit {self._limits.max_waiting_tokens}"
                )
            self._jobs.append(job)
            self._n_waiting += job.n_tokens
            self._changed.notify_all()
        return job.answers

    def close(self, timeout_s: float = 60.0) -> None:
        """Answer what waits, then close the backend."""
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join(timeout_s)

    def _run(self) -> None:
        try:
            backend = self._load()
        except Exception as error:
            if not isinstance(error, ScorerError):
                LOG.exception("loading failed", extra={"error": type(error).__name__})
            self.loaded.set_exception(error)
            return
        self.loaded.set_result(backend)
        while jobs := self._take():
            _answer(backend, jobs)
        backend.close()

    def _take(self) -> list[_Job]:
        """Wait for a job, then for others of its kind; an empty list means the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._jobs or self._is_closing)
            if not self._jobs:
                return []
            first = self._jobs[0]
            wait_s = first.arrived_at + self._limits.window_s - time.monotonic()
            if wait_s > 0:
                self._changed.wait_for(lambda: self._is_closing or self._is_full(first), wait_s)
            return self._take_alike(first)

    def _is_full(self, first: _Job) -> bool:
        alike = sum(job.n_tokens for job in self._jobs if job.key == first.key)
        return alike >= self._limits.max_batch_tokens

    def _take_alike(self, first: _Job) -> list[_Job]:
        taken: list[_Job] = []
        kept: deque[_Job] = deque()
        n_tokens = 0
        for job in self._jobs:
            fits = not taken or n_tokens + job.n_tokens <= self._limits.max_batch_tokens
            if job.key == first.key and fits:
                taken.append(job)
                n_tokens += job.n_tokens
            else:
                kept.append(job)
        self._jobs = kept
        self._n_waiting -= n_tokens
        return taken


def _answer(backend: Backend, jobs: Sequence[_Job]) -> None:
    """Answer jobs in one call; where that fails, each alone, so that none fails for another."""
    asked = [job for job in jobs if job.answers.set_running_or_notify_cancel()]
    if asked and not _try(backend, asked):
        for job in asked:
            _try(backend, [job])


def _try(backend: Backend, jobs: Sequence[_Job]) -> bool:
    """Answer jobs; return False where several failed together. A single one gets its error."""
    try:
        found = _ask(backend, jobs)
    except Exception as error:  # noqa: BLE001  # the one catch-all: a caller must hear of it
        if len(jobs) == 1:
            jobs[0].answers.set_exception(_told(error))
        return len(jobs) == 1
    at = 0
    for job in jobs:
        job.answers.set_result(found[at : at + len(job.rows)])
        at += len(job.rows)
    return True


def _ask(backend: Backend, jobs: Sequence[_Job]) -> Sequence[Any]:
    rows = [row for job in jobs for row in job.rows]
    found = jobs[0].ask(backend, rows)
    if len(found) != len(rows):
        raise BackendError(f"{len(found)} answers to {len(rows)} rows")
    return found


def _told(error: Exception) -> ScorerError:
    """Return an error that a caller may see; what nobody foresaw goes to the log."""
    if isinstance(error, ScorerError):
        return error
    LOG.error("the model failed", exc_info=error, extra={"error": type(error).__name__})
    return BackendError(f"the model failed with {type(error).__name__}: {error}")
