"""The tasks that the queue runs: spans of a run's items, worked on a batch at a time."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import procrastinate
from procrastinate import JobContext, RetryDecision
from procrastinate.jobs import Job
from procrastinate.retry import BaseRetryStrategy

from orchestrator.attempts import work_span
from orchestrator.contexts import RunContexts
from orchestrator.plan import ranges
from storage import queue
from storage.records import Run

WORK_TASK = "work_range"
MAX_JOBS = 2_000
"""Of one run: the queue stays small, however many items there are."""
AGAIN_AFTER_S = 1
ACTIVE = ("queued", "running")


class AgainAlways(BaseRetryStrategy):
    """Puts a job back without end: what ends a run is decided within the job.

    What gets out of a job is a database that has gone away, or a worker that was told to stop.
    """

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision:
        """Return "again, soon"."""
        del exception, job
        return RetryDecision(retry_in={"seconds": AGAIN_AFTER_S})


def queue_of(run_id: str) -> str:
    """Return the name of the queue that holds a run's jobs."""
    return f"{queue.RUN_QUEUE_PREFIX}{run_id}"


def job_arguments(run: Run, batch_items: int) -> list[Mapping[str, Any]]:
    """Return the arguments of every job of a run: one span of whole batches each."""
    n_batches = -(-run.n_items // batch_items)
    span_items = batch_items * -(-n_batches // MAX_JOBS)
    return [
        {"run_id": run.id, "first": first, "last": last, "batch_items": batch_items}
        for first, last in ranges(run.n_items, span_items)
    ]


def with_numbers(
    jobs: Sequence[Mapping[str, Any]], numbers: Iterable[int]
) -> list[Mapping[str, Any]]:
    """Return the jobs in whose span one of the item numbers lies."""
    starts = [job["first"] for job in jobs]
    wanted = {bisect_right(starts, number) - 1 for number in numbers}
    return [jobs[position] for position in sorted(wanted)]


def add_tasks(
    app: procrastinate.App, contexts: RunContexts, in_hand: set[int] | None = None
) -> procrastinate.App:
    """Register what a worker of this process can do.

    Args:
        app: The queue.
        contexts: What the process keeps open.
        in_hand: Holds the ids of the jobs that are being worked on, as long as they are.
    """
    hands = set[int]() if in_hand is None else in_hand

    @app.task(name=WORK_TASK, pass_context=True, retry=AgainAlways())
    async def work_range_job(
        context: JobContext, *, run_id: str, first: int, last: int, batch_items: int = 0
    ) -> None:
        job_id = context.job.id or 0
        hands.add(job_id)
        try:
            batches = list(ranges(last - first, batch_items or last - first))
            spans = [(first + begin, first + end) for begin, end in batches]
            await work_span(contexts, run_id, spans, n_interruptions=context.job.attempts)
        finally:
            hands.discard(job_id)

    # Nothing is left for it to do, but a worker without a periodic task stops watching over its
    # own heartbeat (procrastinate 3.10).
    @app.periodic(cron="0 * * * *")
    @app.task(name="keep_watching", queueing_lock="keep_watching")
    async def keep_watching(timestamp: int) -> None:
        del timestamp

    return app
