"""A database that is restarted, or cuts connections, while batches are being worked on."""

import asyncio

import pytest

from storage.database import fetch_all
from tests.faults.house import answered, ended
from tests.faults.truth import assert_each_case_once, assert_same_as

CUT = """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"""
N_CUTS = 10


@pytest.mark.slow
async def test_postgres_restarted_in_mid_batch_costs_nothing_but_time(house, store, undisturbed):
    truth = await undisturbed()
    house.proxy.delay_s = 0.3
    run = await house.submit(store)
    workers = [house.start_worker(), house.start_worker()]
    await answered(store, run.id, 16)

    await asyncio.to_thread(house.restart_postgres)
    house.proxy.behave()
    found = await ended(store, run.id)

    assert [worker.poll() for worker in workers] == [None, None]
    assert await assert_each_case_once(store, found) == 0
    await assert_same_as(store, found, truth)


@pytest.mark.slow
async def test_connections_cut_again_and_again_cost_nothing_but_time(house, store, undisturbed):
    truth = await undisturbed()
    house.proxy.delay_s = 0.2
    run = await house.submit(store)
    chance = house.random("cuts")
    for _ in range(2):
        house.start_worker()
    await answered(store, run.id, 8)

    for _ in range(N_CUTS):
        async with store.begin() as connection:
            await fetch_all(connection, CUT)
        await asyncio.sleep(chance.uniform(0.1, 1.0))
    house.proxy.behave()
    found = await ended(store, run.id)

    assert await assert_each_case_once(store, found) == 0
    await assert_same_as(store, found, truth)
