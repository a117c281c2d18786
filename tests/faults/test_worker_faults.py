"""Workers that are killed, stopped for longer than their lease, added and taken away."""

import asyncio
import signal

import pytest

from tests.faults.house import LEASE_S, answered, ended
from tests.faults.truth import assert_each_case_once, assert_same_as

N_KILLS = 20
N_PAIRS_KILLED = 2_400


async def kill_one(house, store, chance):
    """Kill a random worker that works, and start another one."""
    pids = await house.pids_at_work(store)
    await asyncio.sleep(chance.uniform(0.0, 0.8))
    pid = chance.choice(pids)
    house.kill(next(worker for worker in house.workers if worker.pid == pid))
    house.start_worker()


async def test_a_worker_killed_in_mid_batch_costs_nothing_but_time(house, store, undisturbed):
    truth = await undisturbed()
    house.proxy.delay_s = 0.3
    run = await house.submit(store)
    chance = house.random("two kills")
    for _ in range(2):
        house.start_worker()

    await answered(store, run.id, 8)
    for _ in range(2):
        await kill_one(house, store, chance)
    house.proxy.behave()
    found = await ended(store, run.id)

    assert await assert_each_case_once(store, found) == 0
    await assert_same_as(store, found, truth)


@pytest.mark.slow
async def test_twenty_workers_killed_at_random_moments(house, store, undisturbed):
    data = str(house.pairs(N_PAIRS_KILLED))
    truth = await undisturbed(data=data, batch_items=64)
    house.proxy.delay_s = 0.5
    run = await house.submit(store, data=data)
    chance = house.random("kills")
    for _ in range(3):
        house.start_worker()

    for _ in range(N_KILLS):
        await kill_one(house, store, chance)
    house.proxy.behave()
    found = await ended(store, run.id)

    assert await assert_each_case_once(store, found) == 0
    await assert_same_as(store, found, truth)


@pytest.mark.slow
async def test_a_worker_stopped_for_longer_than_its_lease_comes_back_and_doubles_nothing(
    house, store, undisturbed
):
    truth = await undisturbed()
    house.proxy.delay_s = 0.3
    run = await house.submit(store)
    paused = house.start_worker()
    await answered(store, run.id, 8)

    paused.send_signal(signal.SIGSTOP)
    house.start_worker()
    await asyncio.sleep(LEASE_S * 2)
    await answered(store, run.id, 40)
    paused.send_signal(signal.SIGCONT)
    await asyncio.sleep(1.0)
    house.proxy.behave()
    found = await ended(store, run.id)

    assert paused.poll() is None
    assert await assert_each_case_once(store, found) == 0
    await assert_same_as(store, found, truth)


@pytest.mark.slow
async def test_three_workers_then_one_then_four_change_nothing_but_the_speed(
    house, store, undisturbed
):
    truth = await undisturbed()
    house.proxy.delay_s = 0.3
    run = await house.submit(store)
    for _ in range(3):
        house.start_worker()
    await answered(store, run.id, 24)

    for worker in house.workers[1:]:
        worker.send_signal(signal.SIGTERM)
    await answered(store, run.id, 64)
    for _ in range(3):
        house.start_worker()
    await answered(store, run.id, 120)
    house.proxy.behave()
    found = await ended(store, run.id)

    assert await assert_each_case_once(store, found) == 0
    await assert_same_as(store, found, truth)
