"""What must be true of a run, whatever has been done to it."""

from storage import failures, outcomes, runs, scores
from storage.database import Database, fetch_all
from storage.queue import pending
from storage.records import Run

COUNTS = """SELECT count(*) AS n_rows, count(DISTINCT (task, variant, number)) AS n_cases
FROM outcomes WHERE run_id = $1"""

BOTH = """SELECT count(*) AS n FROM outcomes JOIN failures USING (run_id, task, variant, number)
WHERE run_id = $1"""


async def assert_each_case_once(database: Database, run: Run) -> int:
    """Hold a run to: each case has one outcome, or one failure with its class; return how many."""
    progress = await runs.count_progress(database, run.id)
    async with database.begin() as connection:
        [counted] = await fetch_all(connection, COUNTS, run.id)
        [both] = await fetch_all(connection, BOTH, run.id)
    failed = await failures.list_failures(database, run.id)
    assert counted.n_rows == counted.n_cases
    assert both.n == 0
    assert progress.n_outcomes + progress.n_failures == progress.n_cases
    assert all(failure.error for failure in failed)
    return progress.n_failures


async def assert_same_as(database: Database, run: Run, undisturbed: Run) -> None:
    """Hold a run to the outcomes and scores of one that nothing happened to."""
    assert run.status == "finished", run.reason
    assert await values(database, run) == await values(database, undisturbed)
    found = [score.model_dump() for score in await scores.read(database, run.id)]
    assert found == [score.model_dump() for score in await scores.read(database, undisturbed.id)]
    assert found
    assert (await pending(database, f"run-{run.id}")).n_waiting == 0


async def values(database: Database, run: Run) -> dict[tuple[int, str, str], float | None]:
    rows = await outcomes.rows(database, run.id)
    return {(row.number, row.task, row.variant): row.value for row in rows}
