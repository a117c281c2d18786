import asyncio

import pytest

from storage import queue
from storage.database import execute


async def test_jobs_are_there_only_once_the_transaction_is(database):
    async def enqueue_and_fail():
        async with database.begin() as connection:
            await queue.enqueue(connection, "q", "work", [{"first": 0}])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await enqueue_and_fail()
    n_before = await queue.n_waiting(database, "q")
    async with database.begin() as connection:
        await queue.enqueue(connection, "q", "work", [{"first": 0}, {"first": 64}])

    assert (n_before, await queue.n_waiting(database, "q")) == (0, 2)


async def test_a_worker_runs_what_was_enqueued_in_order(database, database_url):
    seen = []
    app = queue.open_queue(database_url)

    @app.task(name="work")
    async def work(*, run_id, first):
        seen.append((run_id, first))

    arguments = [{"run_id": "ß \\ \" '", "first": n} for n in range(20)]
    await queue.enqueue(database, "mine", "work", arguments)
    await queue.enqueue(database, "other", "work", arguments)
    async with app.open_async():
        await app.run_worker_async(queues=["mine"], wait=False, install_signal_handlers=False)

    assert seen == [(each["run_id"], each["first"]) for each in arguments]
    assert await queue.n_waiting(database, "other") == 20


async def test_a_waiting_worker_hears_of_a_new_job_at_once(database, database_url):
    done = asyncio.Event()
    app = queue.open_queue(database_url)

    @app.task(name="work")
    async def work():
        done.set()

    async with app.open_async():
        worker = asyncio.create_task(
            app.run_worker_async(
                queues=["mine"], install_signal_handlers=False, fetch_job_polling_interval=3600
            )
        )
        while not done.is_set():  # the first one may come before the worker listens
            await queue.enqueue(database, "mine", "work", [{}])
            await asyncio.wait([asyncio.create_task(done.wait())], timeout=0.5)
        worker.cancel()
        await asyncio.gather(worker, return_exceptions=True)

    assert done.is_set()


async def test_jobs_are_counted_by_state(database, database_url):
    app = queue.open_queue(database_url)

    @app.task(name="fail")
    async def fail():
        raise ValueError("cannot")

    await queue.enqueue(database, "q", "fail", [{}])
    async with app.open_async():
        await app.run_worker_async(queues=["q"], wait=False, install_signal_handlers=False)
    await queue.enqueue(database, "q", "fail", [{}, {}])

    assert await queue.pending(database, "q") == queue.QueueCounts(2, 0, 1)


async def test_clearing_removes_only_what_nobody_has_taken(database):
    await queue.enqueue(database, "q", "work", [{}, {}, {}])
    await queue.enqueue(database, "other", "work", [{}])
    async with database.begin() as connection:
        await execute(connection, "SELECT procrastinate_fetch_job_v2(ARRAY['q'], NULL)")

    n_cleared = await queue.clear(database, "q")

    assert n_cleared == 2
    assert await queue.pending(database, "q") == queue.QueueCounts(0, 1, 0)
    assert await queue.n_waiting(database, "other") == 1


async def test_a_job_whose_worker_is_silent_is_stalled(database):
    await queue.enqueue(database, "q", "work", [{}, {}])
    async with database.begin() as connection:
        await execute(
            connection,
            """WITH worker AS (INSERT INTO procrastinate_workers (last_heartbeat)
                    VALUES (now() - interval '1 minute') RETURNING id)
                UPDATE procrastinate_jobs SET status = 'doing', worker_id = worker.id FROM worker
                WHERE procrastinate_jobs.id = 1""",
        )

    assert await queue.n_stalled(database, "q", 30.0) == 1
    assert await queue.n_stalled(database, None, 90.0) == 0
    assert await queue.n_stalled(database, "other", 30.0) == 0


async def test_no_arguments_are_no_jobs(database):
    await queue.enqueue(database, "q", "work", [])

    assert await queue.n_waiting(database, "q") == 0
