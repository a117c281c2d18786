"""Every call is made when it may be, again where that helps, and never for more than there is."""

import asyncio

import pytest

from orchestrator.budget import Purse
from orchestrator.errors import (
    BudgetReachedError,
    ProviderRefusedError,
    ProviderUnavailableError,
)
from orchestrator.halting import Halt, HaltedError, NotNowError
from orchestrator.limits import Call, Lane, LaneSettings
from storage import spending
from storage.records import Usage
from tests.orchestrator.paid import FakeClock


class Scripted:
    """Fails as told, then answers."""

    def __init__(self, *failures):
        self.failures = list(failures)
        self.n_calls = 0

    async def __call__(self):
        self.n_calls += 1
        if self.failures:
            raise self.failures.pop(0)
        return "answer"


def lane(**settings):
    return Lane("toy", "toy-1", LaneSettings(**settings), FakeClock())


async def test_too_fast_is_asked_again_when_the_provider_says():
    key, send = lane(), Scripted(NotNowError("slow down", retry_after_s=20.0, is_too_fast=True))

    settled = await key.call(Call(send), Halt())

    assert (settled.reply, send.n_calls, key.clock.slept) == ("answer", 2, [20.0])
    assert key.concurrency.limit == 2  # cut from 2 to 1, and grown by the answer


async def test_a_key_that_was_told_to_wait_waits_in_all_its_calls():
    key = lane()
    told = Scripted(*[NotNowError("slow down", retry_after_s=20.0, is_too_fast=True)] * 8)
    with pytest.raises(ProviderUnavailableError):
        await key.call(Call(told), Halt(), max_attempts=1)

    await key.call(Call(Scripted()), Halt())

    assert key.clock.slept == [20.0]


async def test_a_storm_ends_after_eight_attempts_with_one_sentence():
    key, send = lane(), Scripted(*[NotNowError("toy: slow down", is_too_fast=True)] * 99)

    with pytest.raises(ProviderUnavailableError, match=r"^toy: slow down \(asked 8 times\)$"):
        await key.call(Call(send), Halt())

    assert send.n_calls == 8
    assert sum(key.clock.slept) < 100.0


async def test_who_asks_to_be_left_alone_for_an_hour_is_left_alone():
    key, send = lane(), Scripted(NotNowError("quota", retry_after_s=3600.0, is_too_fast=True))

    with pytest.raises(ProviderUnavailableError, match="left alone for 3600 s"):
        await key.call(Call(send), Halt())

    assert (send.n_calls, key.clock.slept) == (1, [])


async def test_what_is_refused_for_good_is_asked_once():
    key, send = lane(), Scripted(ProviderRefusedError("toy refuses the key"))

    with pytest.raises(ProviderRefusedError):
        await key.call(Call(send), Halt())

    assert send.n_calls == 1


async def test_after_a_failure_for_good_sleeping_calls_wake_and_are_not_made():
    key, halt = lane(), Halt()
    never, is_asleep = asyncio.Event(), asyncio.Event()
    send = Scripted(NotNowError("slow down", retry_after_s=200.0, is_too_fast=True))

    async def sleep(seconds):
        is_asleep.set()
        await never.wait()

    key.clock.sleep = sleep
    call = asyncio.create_task(key.call(Call(send), halt))
    await is_asleep.wait()
    halt.set()

    with pytest.raises(HaltedError):
        await call
    assert send.n_calls == 1


async def test_the_pace_is_kept_across_replicas(database):
    first, second = (lane(requests_per_minute=60) for _ in range(2))

    for key in (first, second) * 3:
        await key.call(Call(Scripted()), Halt(), database)

    # One a second after the burst of two: the six calls wait 0, 0, 1, 2, 3 and 4 seconds less the
    # time that went by in the database.
    assert sum(first.clock.slept + second.clock.slept) == pytest.approx(10.0, abs=1.5)


async def test_the_most_is_held_before_and_what_it_was_is_settled_after(database, start_toy):
    context = await start_toy()
    purse = Purse(database, context.run.id, FakeClock())
    await spending.set_budget(database, context.run.id, 1.0, "EUR")

    settled = await lane().call(Call(Scripted(), money=0.6), Halt(), None, purse)
    held = (await spending.of_run(database, context.run.id)).held

    assert (settled.held, held) == (0.6, 0.6)


async def test_what_cost_nothing_is_given_back_and_what_may_have_cost_is_not(database, start_toy):
    context = await start_toy()
    purse = Purse(database, context.run.id, FakeClock())
    free = NotNowError("slow down", is_too_fast=True)
    lost = NotNowError("hung up", is_maybe_billed=True)

    await lane().call(Call(Scripted(free, free, lost), money=0.1), Halt(), None, purse)

    # The lost one and the answered one are held; the two refused ones are not.
    assert (await spending.of_run(database, context.run.id)).held == pytest.approx(0.2)


async def test_a_call_that_the_budget_lacks_is_not_made(database, start_toy):
    context = await start_toy()
    purse = Purse(database, context.run.id, FakeClock())
    await spending.set_budget(database, context.run.id, 1.0, "EUR")
    await spending.add(database, context.run.id, Usage(input_tokens=1, money=0.95))
    send = Scripted()

    with pytest.raises(BudgetReachedError, match=r"budget of 1 EUR is reached: 0.950000 spent"):
        await lane().call(Call(send, money=0.1), Halt(), None, purse)

    assert send.n_calls == 0


async def test_a_call_waits_for_one_in_flight_that_may_turn_out_cheaper(database, start_toy):
    context = await start_toy()
    run_id = context.run.id
    purse = Purse(database, run_id, FakeClock())
    await spending.set_budget(database, run_id, 1.0, "EUR")
    await purse.hold(0.9)
    waiting = asyncio.create_task(purse.hold(0.5))

    purse.see_end()
    await spending.add(database, run_id, Usage(input_tokens=1, money=0.1), released=0.9)

    assert await waiting == 0.5
