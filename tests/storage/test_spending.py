"""Money is held before it is spent, and never more than the budget."""

import asyncio

import pytest

from storage import runs, spending
from storage.database import Database
from storage.records import Usage


async def test_a_run_that_asked_nothing_has_spent_nothing_that_is_known(database, stored_run):
    run = await stored_run()

    assert await spending.of_run(database, run.id) is None


async def test_usage_adds_up_and_settles_what_was_held(database, stored_run):
    run = await stored_run()
    await spending.set_budget(database, run.id, 1.0, "USD")
    assert await spending.hold(database, run.id, 0.6)

    usage = Usage(input_tokens=10, output_tokens=5, money=0.1, currency="USD")
    await spending.add(database, run.id, usage, n_asked=2, n_saved=3, released=0.6)
    await spending.add(database, run.id, Usage(characters=7, money=0.2, currency="USD"), n_asked=1)

    found = await spending.of_run(database, run.id)
    assert (found.money, found.held, found.budget) == (pytest.approx(0.3), 0.0, 1.0)
    assert (found.input_tokens, found.output_tokens, found.characters) == (10, 5, 7)
    assert (found.n_asked, found.n_saved, found.is_partly_unpriced) == (3, 3, False)


async def test_replicas_together_cannot_hold_more_than_the_budget(
    database, database_url, stored_run
):
    run = await stored_run()
    await spending.set_budget(database, run.id, 1.0, "USD")

    async with Database.open(database_url) as other:
        granted = await asyncio.gather(
            *(spending.hold(each, run.id, 0.15) for each in (database, other) * 10)
        )

    # 6 x 0.15 = 0.90 fits, 7 x 0.15 = 1.05 does not.
    assert granted.count(True) == 6


async def test_what_is_released_can_be_held_again_and_a_larger_budget_lets_more(
    database, stored_run
):
    run = await stored_run()
    await spending.set_budget(database, run.id, 0.1, "USD")
    await spending.hold(database, run.id, 0.1)
    assert not await spending.hold(database, run.id, 0.1)

    await spending.release(database, run.id, 0.1)
    first = await spending.hold(database, run.id, 0.1)
    await spending.set_budget(database, run.id, 0.2, "USD")
    second = await spending.hold(database, run.id, 0.1)

    assert (first, second) == (True, True)


async def test_tokens_without_a_price_are_told_apart_from_tokens_that_cost_nothing(
    database, stored_run
):
    run = await stored_run()

    await spending.add(database, run.id, Usage(), n_asked=1)
    before = await spending.of_run(database, run.id)
    await spending.add(database, run.id, Usage(input_tokens=4), n_asked=1)

    assert not before.is_partly_unpriced
    assert (await spending.of_run(database, run.id)).is_partly_unpriced


async def test_a_deleted_run_takes_its_spending_with_it(database, stored_run):
    run = await stored_run()
    await spending.add(database, run.id, Usage(input_tokens=4), n_asked=1)

    await runs.delete(database, run.id)

    assert await spending.of_run(database, run.id) is None
