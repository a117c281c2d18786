import asyncio

import pytest

from benchmarks.benchmark import Outcome
from storage import failures, items, outcome_pages, outcomes, runs
from storage.errors import DatabaseRefusedError, UnstorableError
from storage.records import Failure, OutcomeFilter, StoredOutcome


def make_outcome(number, value=1.0, *, task="relatedness", variant="", keys=(), **more):
    return StoredOutcome(
        number, task, variant, "de", None, f"w{number}", Outcome(value=value, **more), keys
    )


def make_failure(number, **changes):
    given = {
        "number": number, "task": "relatedness", "variant": "", "error": "TooSlowError",
        "detail": "no answer in 30 s", "request_key": f"semrel/{number}", "n_attempts": 1,
    }  # fmt: skip
    return Failure(**{**given, **changes})


async def test_every_case_of_a_run_is_a_row_answered_or_not(database, stored_run):
    run = await stored_run(cells=(("relatedness", "a"), ("relatedness", "b")))
    await outcomes.put(
        database,
        run.id,
        [
            make_outcome(1, 0.5, variant="a", detail={"gold": "ja"}, baselines={"chance": 0.25}),
            make_outcome(1, None, variant="b", is_valid=False),
        ],
    )

    rows = await outcomes.rows(database, run.id)

    assert [(row.variant, row.number) for row in rows] == [(v, n) for v in "ab" for n in range(6)]
    assert [row.status for row in rows if row.number == 1] == ["valid", "invalid"]
    assert {row.status for row in rows if row.number != 1} == {"unanswered"}
    answered = rows[1]
    assert (answered.item_id, answered.language, answered.subset) == ("item-1", "de", "easy")
    assert (answered.value, answered.detail) == (0.5, {"gold": "ja"})
    assert answered.baselines == {"chance": 0.25}
    assert rows[0].value is None


async def test_the_first_outcome_of_a_case_stays(database, stored_run):
    run = await stored_run()

    n_first = await outcomes.put(database, run.id, [make_outcome(0, 1.0)])
    n_second = await outcomes.put(database, run.id, [make_outcome(0, 0.0), make_outcome(1, 0.0)])

    assert (n_first, n_second) == (1, 1)
    assert [row.value for row in await outcomes.rows(database, run.id)][:2] == [1.0, 0.0]


async def test_writers_of_the_same_cases_neither_double_nor_block_each_other(database, stored_run):
    run = await stored_run()
    forwards = [make_outcome(n, 1.0) for n in range(6)]

    written = await asyncio.gather(
        *(outcomes.put(database, run.id, forwards[:: 1 if n % 2 else -1]) for n in range(10))
    )

    assert sum(written) == 6
    assert (await runs.count_progress(database, run.id)).n_outcomes == 6


async def test_a_transaction_that_is_killed_leaves_nothing(database, stored_run):
    run = await stored_run()

    async def write_and_die():
        async with database.begin() as connection:
            await outcomes.put(connection, run.id, [make_outcome(0)])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await write_and_die()

    assert await outcomes.done(database, run.id, 0, 6) == set()


async def test_done_names_the_cases_of_a_half_open_range(database, stored_run):
    run = await stored_run()
    await outcomes.put(database, run.id, [make_outcome(n) for n in (0, 2, 3, 5)])

    assert await outcomes.done(database, run.id, 2, 5) == {
        (2, "relatedness", ""),
        (3, "relatedness", ""),
    }


async def test_an_outcome_ends_the_failure_of_its_case_and_of_no_other(database, stored_run):
    run = await stored_run()
    await failures.put(database, run.id, [make_failure(0), make_failure(1)])

    await outcomes.put(database, run.id, [make_outcome(0)])

    assert [failure.number for failure in await failures.list_failures(database, run.id)] == [1]


async def test_a_case_with_an_outcome_does_not_fail_any_more(database, stored_run):
    run = await stored_run()
    await outcomes.put(database, run.id, [make_outcome(0)])

    await failures.put(database, run.id, [make_failure(0), make_failure(1)])

    assert [failure.number for failure in await failures.list_failures(database, run.id)] == [1]


async def test_attempts_add_up_and_the_last_error_stays(database, stored_run):
    run = await stored_run()

    await failures.put(database, run.id, [make_failure(3)])
    await failures.put(database, run.id, [make_failure(3, error="QuotaError", n_attempts=2)])

    assert await failures.list_failures(database, run.id) == [
        make_failure(3, error="QuotaError", n_attempts=3)
    ]
    assert await failures.count_by_error(database, run.id) == {"QuotaError": 1}


async def test_failures_can_be_listed_in_part_and_cleared(database, stored_run):
    run = await stored_run()
    await failures.put(database, run.id, [make_failure(n) for n in (2, 0, 1)])

    first = await failures.list_failures(database, run.id, limit=1)
    n_cleared = await failures.clear(database, run.id)

    assert [failure.number for failure in first] == [0]
    assert n_cleared == 3
    assert await failures.list_failures(database, run.id) == []


async def test_overwriting_decides_again_and_keeps_the_response_keys(database, stored_run):
    run = await stored_run()
    await outcomes.put(
        database, run.id, [make_outcome(0, None, is_valid=False, keys=(b"\x01", b"\xff\x00"))]
    )

    await outcomes.overwrite(database, run.id, [make_outcome(0, 1.0), make_outcome(1, 0.0)])

    rows = await outcomes.rows(database, run.id)
    assert [(row.status, row.value) for row in rows[:2]] == [("valid", 1.0), ("valid", 0.0)]
    case = (await outcome_pages.of_item(database, run.id, 0))[0]
    assert case.response_keys == (b"\x01", b"\xff\x00")


async def test_pages_follow_each_other_without_gap_or_overlap(database, stored_run):
    run = await stored_run(cells=(("relatedness", "b"), ("relatedness", "a")))
    await outcomes.put(database, run.id, [make_outcome(n, variant="a") for n in range(6)])

    seen, after = [], None
    while True:
        page = await outcome_pages.page(database, run.id, after=after, limit=5)
        seen += [(row.number, row.variant, row.status) for row in page.rows]
        after = page.next_after
        if after is None:
            break

    expected = [(n, v, "valid" if v == "a" else "unanswered") for n in range(6) for v in "ba"]
    assert seen == expected


async def test_the_last_page_may_be_full(database, stored_run):
    run = await stored_run()

    page = await outcome_pages.page(database, run.id, limit=6)

    assert len(page.rows) == 6
    assert page.next_after is None


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        ({"status": "right"}, [0, 1]),
        ({"status": "wrong"}, [2]),
        ({"status": "valid"}, [0, 1, 2]),
        ({"status": "invalid"}, [3]),
        ({"status": "unanswered"}, [4, 5]),
        ({"language": "de"}, [1, 3, 5]),
        ({"language": "de", "status": "right"}, [1]),
        ({"subset": "easy"}, [1, 2, 4, 5]),
        ({"task": "other"}, []),
        ({"variant": "", "task": "relatedness"}, [0, 1, 2, 3, 4, 5]),
        ({"language": "\x00"}, []),
    ],
)
async def test_pages_show_only_what_the_filter_wants(database, stored_run, wanted, numbers):
    run = await stored_run()
    await outcomes.put(database, run.id, [make_outcome(0), make_outcome(1), make_outcome(2, 0.0)])
    await outcomes.put(database, run.id, [make_outcome(3, None, is_valid=False)])

    page = await outcome_pages.page(database, run.id, OutcomeFilter(**wanted))

    assert [row.number for row in page.rows] == numbers


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
async def test_a_value_that_cannot_be_averaged_is_refused(database, stored_run, value):
    run = await stored_run()

    with pytest.raises(UnstorableError, match="allowed: a finite number or None"):
        await outcomes.put(database, run.id, [make_outcome(0, value)])
    with pytest.raises(UnstorableError, match="not a JSON value"):
        await outcomes.put(database, run.id, [make_outcome(0, detail={"x": value})])


async def test_outcomes_of_a_run_that_is_gone_are_refused(database):
    with pytest.raises(DatabaseRefusedError, match="violates foreign key constraint"):
        await outcomes.put(database, "nothing", [make_outcome(0)])


async def test_a_large_batch_is_one_statement(database, stored_run, new_item, new_run):
    await items.put(database, "large", (new_item(n) for n in range(5000)))
    run = await runs.create(database, new_run(2, item_set="large", n_items=5000))

    n_new = await outcomes.put(database, run.id, [make_outcome(n) for n in range(5000)])

    assert n_new == 5000
    assert (await runs.count_progress(database, run.id)).n_answered == 5000
