"""Why does a run stand still? What its workers' signs of life say, beside its own reason."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from orchestrator.jobs import ACTIVE, queue_of
from storage import workers
from storage.database import Database
from storage.records import Run
from storage.workers import Worker

NEW_S = 10.0
"""A run that was just made need not have a worker yet."""
WAITS_LONG_S = 60.0


async def with_reasons(database: Database, runs: Iterable[Run]) -> list[Run]:
    """Return the runs, those that stand still with the reason why."""
    found = list(runs)
    if not any(run.status in ACTIVE for run in found):
        return found
    known = await workers.list_workers(database)
    now = datetime.now(UTC)
    return [with_reason(run, known, now) for run in found]


def with_reason(run: Run, known: Sequence[Worker], now: datetime) -> Run:
    """Return a run with the reason why it stands still, if it does."""
    trouble = why_still(run, known, now)
    return run if trouble is None else replace(run, reason=trouble)


def why_still(run: Run, known: Sequence[Worker], now: datetime) -> str | None:
    """Say why nobody works on a run; None where somebody does, or nobody needs to."""
    age_s = (now - run.created_at).total_seconds()
    if run.status not in ACTIVE or age_s < NEW_S:
        return None
    serving = [worker for worker in known if worker.serves(queue_of(run.id))]
    alive = [worker for worker in serving if worker.is_alive]
    if not serving:
        return "no worker so far; `polysense serve worker` starts one"
    if not alive:
        last = max(worker.last_sign for worker in serving)
        return f"no worker since {clock(last, now)}; `polysense serve worker` starts one"
    if run.status == "queued" and age_s > WAITS_LONG_S and run.reason is None:
        are = "worker is" if len(alive) == 1 else "workers are"
        return f"waits its turn: {len(alive)} {are} busy with other runs"
    return None


def clock(at: datetime, now: datetime) -> str:
    """Return a time of day, with the day where it is another one."""
    moment, today = at.astimezone(UTC), now.astimezone(UTC)
    return (
        f"{moment:%H:%M} UTC" if moment.date() == today.date() else f"{moment:%Y-%m-%d %H:%M} UTC"
    )
