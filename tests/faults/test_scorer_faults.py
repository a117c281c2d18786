"""A scorer that is killed, hangs, is slow, or talks nonsense; a disk without room."""

import asyncio
import os
import signal
import subprocess

import pytest

from orchestrator import run as run_story
from storage import failures
from tests.faults.house import SILENCE_S, answered, ended, told
from tests.faults.truth import assert_each_case_once, assert_same_as

N_NEURO = 48


async def test_nonsense_costs_its_items_and_a_retry_mends_them(house, store, undisturbed):
    truth = await undisturbed()
    house.proxy.nonsense_share = 0.6
    run = await house.submit(store)
    for _ in range(2):
        house.start_worker()

    disturbed = await ended(store, run.id)
    n_failed = await assert_each_case_once(store, disturbed)
    classes = set(await failures.count_by_error(store, run.id))
    house.proxy.behave()
    await run_story.retry(store, run.id)
    found = await ended(store, run.id)

    assert house.proxy.n_nonsense > 0
    assert n_failed > 0
    assert classes <= {"BackendError", "ProviderRefusedError"}
    assert await assert_each_case_once(store, found) == 0
    await assert_same_as(store, found, truth)


@pytest.mark.slow
async def test_a_scorer_that_talks_nothing_but_nonsense_ends_the_run_with_every_case_listed(
    house, store, undisturbed
):
    truth = await undisturbed()
    run = await house.submit(store)
    house.proxy.nonsense_share = 1.0
    house.start_worker()

    disturbed = await ended(store, run.id)
    n_failed = await assert_each_case_once(store, disturbed)
    house.proxy.behave()
    await run_story.resume(store, run.id)
    found = await ended(store, run.id)

    assert disturbed.status == "failed"
    assert n_failed == disturbed.n_items
    assert "calls in a row" in (disturbed.reason or "")
    await assert_same_as(store, found, truth)


@pytest.mark.slow
async def test_a_scorer_killed_for_good_fails_the_run_and_a_new_one_lets_it_go_on(
    house, store, undisturbed
):
    truth = await undisturbed()
    house.proxy.delay_s = 0.3
    run = await house.submit(store)
    house.start_worker()
    await answered(store, run.id, 8)

    house.kill(house.scorer)
    await told(store, run.id, "scorer not ready")
    disturbed = await ended(store, run.id)
    n_failed = await assert_each_case_once(store, disturbed)
    classes = await failures.count_by_error(store, run.id)
    await asyncio.to_thread(house.start_scorer)
    house.proxy.behave()
    await run_story.resume(store, run.id)
    found = await ended(store, run.id)

    assert disturbed.status == "failed"
    assert classes == {"ProviderUnavailableError": n_failed}
    await assert_same_as(store, found, truth)


@pytest.mark.slow
async def test_a_scorer_that_hangs_is_told_of_and_goes_on_when_it_wakes(house, store, undisturbed):
    truth = await undisturbed()
    house.proxy.delay_s = 0.3
    run = await house.submit(store)
    house.start_worker()
    await answered(store, run.id, 8)

    house.scorer.send_signal(signal.SIGSTOP)
    await told(store, run.id, "has not answered for")
    await told(store, run.id, "no sign of life")
    house.scorer.send_signal(signal.SIGCONT)
    house.proxy.behave()
    found = await ended(store, run.id)

    assert found.reason is None
    assert await assert_each_case_once(store, found) == 0
    await assert_same_as(store, found, truth)


@pytest.mark.slow
async def test_a_slow_scorer_is_waited_for(house, store, undisturbed):
    truth = await undisturbed()
    run = await house.submit(store)
    house.proxy.delay_s = SILENCE_S * 2
    house.start_worker()

    await told(store, run.id, "has not answered for")
    await answered(store, run.id, 4)
    house.proxy.behave()
    found = await ended(store, run.id)

    assert await assert_each_case_once(store, found) == 0
    await assert_same_as(store, found, truth)


@pytest.fixture
def small_disk(house):
    """Give the artefact folder next to no room; return how a worker starts, and how to mend it."""
    folder = house.home / "artefacts"
    folder.mkdir(parents=True, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(folder)]
    is_mounted = os.geteuid() == 0 and subprocess.run(mount, check=False).returncode == 0

    def mend():
        if is_mounted:
            subprocess.run(["mount", "-o", "remount,size=64m", str(folder)], check=True)
            return
        house.kill_workers()
        house.start_worker()

    yield (house.start_worker if is_mounted else house.start_cramped_worker), mend
    if is_mounted:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.slow
async def test_a_full_disk_costs_its_items_and_a_retry_mends_them(
    house, store, undisturbed, small_disk
):
    start_worker, mend = small_disk
    given = {"tasks": ("neuro",), "data": str(house.pairs(N_NEURO)), "batch_items": 4}
    run = await house.submit(store, **given)
    start_worker()

    disturbed = await ended(store, run.id)
    n_failed = await assert_each_case_once(store, disturbed)
    classes = await failures.count_by_error(store, run.id)
    leftovers = list((house.home / "artefacts").rglob("*.partial"))
    mend()
    await run_story.retry(store, run.id)
    found = await ended(store, run.id)
    house.kill_workers()

    assert classes == {"ArtefactsUnwritableError": n_failed}
    assert n_failed > 0
    assert leftovers == []
    assert await assert_each_case_once(store, found) == 0
    await assert_same_as(store, found, await undisturbed(**given))
