"""Look after what dead workers left: their jobs, and runs that have lost every job."""

import logging

from orchestrator.jobs import WORK_TASK, job_arguments, queue_of
from orchestrator.spec import RunSpec
from storage import queue, runs, workers
from storage.database import Database

LOG = logging.getLogger(__name__)


async def sweep(database: Database, lease_s: float) -> None:
    """Hand stalled jobs back and give runs without a job their jobs again; one worker at a time."""
    async with database.begin() as connection:
        if not await queue.try_sweep_lock(connection):
            return
        n_jobs = await queue.hand_back(connection, lease_s)
        stranded = await runs.list_stranded(connection)
        for run in stranded:
            batch_items = RunSpec.model_validate(run.spec).batch_items
            jobs = job_arguments(run, batch_items)
            await queue.enqueue(connection, queue_of(run.id), WORK_TASK, jobs)
        await workers.forget_old(connection)
    if n_jobs:
        LOG.warning("jobs of a dead worker handed back", extra={"n_jobs": n_jobs})
    for run in stranded:
        LOG.warning("a run without jobs has been given them again", extra={"run": run.id})
