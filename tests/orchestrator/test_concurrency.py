"""Concurrency grows from little, is cut when told, and a key in trouble is left in peace."""

import asyncio

from orchestrator.concurrency import Breaker, Concurrency


def grown(concurrency, n_answers, now_s=0.0):
    for _ in range(n_answers):
        concurrency.succeed(now_s)
    return concurrency.limit


def test_it_starts_with_two_and_doubles_a_round():
    concurrency = Concurrency(16)

    limits = [concurrency.limit, grown(concurrency, 2), grown(concurrency, 4)]

    assert limits == [2, 4, 8]
    assert grown(concurrency, 100) == 16


def test_a_refusal_halves_and_from_there_it_grows_by_one_a_round():
    concurrency = Concurrency(64)
    grown(concurrency, 30)

    concurrency.cut(10.0)

    assert concurrency.limit == 16
    # Sixteen answers are one round: 16 + 16/16, a little less as the step shrinks.
    assert grown(concurrency, 17, now_s=11.0) == 17


def test_refusals_that_come_together_halve_once():
    concurrency = Concurrency(16)
    grown(concurrency, 30)

    for now_s in (10.0, 10.1, 10.9):
        concurrency.cut(now_s)
    once = concurrency.limit
    concurrency.cut(11.1)

    assert (once, concurrency.limit) == (8, 4)


def test_a_server_error_only_pauses_growth():
    concurrency = Concurrency(16)
    grown(concurrency, 2)

    concurrency.stay(10.0)

    assert concurrency.limit == 4
    assert grown(concurrency, 5, now_s=14.9) == 4
    assert grown(concurrency, 1, now_s=15.1) == 5


async def test_no_more_calls_are_in_flight_than_the_limit():
    concurrency = Concurrency(3)
    grown(concurrency, 9)
    n_inside = most = 0

    async def call():
        nonlocal n_inside, most
        async with concurrency.slot():
            n_inside += 1
            most = max(most, n_inside)
            await asyncio.sleep(0)
            n_inside -= 1

    await asyncio.gather(*(call() for _ in range(20)))

    assert most == 3


def test_the_breaker_opens_after_failures_in_a_row_lets_one_try_and_closes_on_success():
    breaker = Breaker()
    for _ in range(7):
        breaker.fail(0.0)
    before = breaker.wait_s(0.0)
    breaker.fail(0.0)

    waits = [breaker.wait_s(0.0), breaker.wait_s(4.0), breaker.wait_s(5.0), breaker.wait_s(5.0)]
    breaker.succeed()

    # Open for 5 s; then one call goes and the others wait for it.
    assert (before, waits, breaker.wait_s(5.0)) == (0.0, [5.0, 1.0, 0.0, 5.0], 0.0)


def test_a_trial_that_fails_opens_for_twice_as_long():
    breaker = Breaker()
    for _ in range(8):
        breaker.fail(0.0)

    breaker.fail(5.0)

    assert breaker.wait_s(5.0) == 10.0
