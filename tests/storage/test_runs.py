import asyncio

import pytest

from benchmarks.benchmark import Outcome
from storage import items, outcomes, runs
from storage.errors import UnknownItemSetError, UnknownRunError
from storage.records import StoredOutcome


async def test_a_run_comes_back_as_it_was_submitted(database, stored_run, new_run):
    created = await stored_run(cells=(("direct", ""), ("meta", "order1")), idempotency_key="k")

    found = await runs.get(database, created.id)

    assert found == created
    submitted = new_run(cells=(("direct", ""), ("meta", "order1")), idempotency_key="k")
    for name in submitted.__dataclass_fields__:
        assert getattr(found, name) == getattr(submitted, name)
    assert found.status == "queued"
    assert found.created_at.tzinfo is not None
    assert found.started_at is found.finished_at is found.reason is None


async def test_a_run_needs_its_items_first(database, new_run):
    with pytest.raises(UnknownItemSetError, match="missing, which is not stored"):
        await runs.create(database, new_run(item_set="missing"))


async def test_an_idempotency_key_makes_one_run_of_many_submissions(database, stored_run, new_run):
    first = await stored_run(1, idempotency_key="once")

    again = await asyncio.gather(
        *(runs.create(database, new_run(n, idempotency_key="once")) for n in range(2, 8))
    )

    assert {run.id for run in again} == {first.id}
    assert len(await runs.list_runs(database)) == 1


async def test_runs_without_an_idempotency_key_are_different_runs(database, stored_run):
    await stored_run(1)
    await stored_run(2)

    assert len(await runs.list_runs(database)) == 2


async def test_an_unknown_run_is_named(database):
    with pytest.raises(UnknownRunError, match="no run 'nothing'"):
        await runs.get(database, "nothing")
    with pytest.raises(UnknownRunError, match="no run"):
        await runs.delete(database, "not\x00hing")
    with pytest.raises(UnknownRunError, match="no run"):
        await runs.set_manifest(database, "nothing", {})


async def test_runs_are_listed_newest_first_and_page_by_page(database, stored_run):
    made = [await stored_run(n) for n in range(1, 6)]

    first_page = await runs.list_runs(database, limit=2)
    second_page = await runs.list_runs(database, limit=2, before=first_page[-1].id)

    assert [run.id for run in first_page] == [made[4].id, made[3].id]
    assert [run.id for run in second_page] == [made[2].id, made[1].id]
    assert await runs.latest(database) == made[4]


async def test_the_latest_of_no_runs_is_none(database):
    assert await runs.latest(database) is None


async def test_of_two_that_move_a_run_at_once_one_is_told_so(database, stored_run):
    run = await stored_run()

    moved = await asyncio.gather(
        *(runs.set_status(database, run.id, "running", allowed_from=["queued"]) for _ in range(5))
    )

    assert sorted(moved) == [False, False, False, False, True]


async def test_a_status_change_keeps_the_times_of_a_run(database, stored_run):
    run = await stored_run()

    await runs.set_status(database, run.id, "running", allowed_from=["queued"])
    started = await runs.get(database, run.id)
    await runs.set_status(database, run.id, "failed", allowed_from=["running"], reason="no\x00 key")
    failed = await runs.get(database, run.id)
    await runs.set_status(database, run.id, "queued", allowed_from=["failed"])
    resumed = await runs.get(database, run.id)

    assert started.started_at is not None
    assert (failed.reason, failed.started_at) == ("no\x00 key", started.started_at)
    assert failed.finished_at is not None
    assert (resumed.reason, resumed.finished_at) == (None, None)


async def test_a_status_that_is_not_allowed_changes_nothing(database, stored_run):
    run = await stored_run()

    moved = await runs.set_status(database, run.id, "finished", allowed_from=["running"])

    assert not moved
    assert (await runs.get(database, run.id)).status == "queued"


def outcome(number, variant):
    return StoredOutcome(number, "relatedness", variant, "de", None, "w", Outcome(value=1.0))


async def test_an_item_is_answered_once_every_cell_has_an_outcome(database, stored_run):
    run = await stored_run(cells=(("relatedness", "a"), ("relatedness", "b")))
    await outcomes.put(
        database, run.id, [outcome(0, "a"), outcome(0, "b"), outcome(1, "a"), outcome(2, "b")]
    )

    progress = await runs.count_progress(database, run.id)

    assert (progress.n_items, progress.n_cases) == (6, 12)
    assert (progress.n_outcomes, progress.n_failures, progress.n_answered) == (4, 0, 1)


async def test_items_go_with_the_last_run_that_asks_them(database, stored_run):
    first = await stored_run(1)
    second = await stored_run(2)
    await outcomes.put(database, first.id, [outcome(0, "")])

    await runs.delete(database, first.id)
    n_after_one = await items.count_items(database, "set")
    await runs.delete(database, second.id)
    n_after_both = await items.count_items(database, "set")

    assert (n_after_one, n_after_both) == (6, None)
    assert await items.read(database, "set", 0, 6) == []


async def test_notes_tags_and_the_manifest_can_be_changed(database, stored_run):
    run = await stored_run()

    await runs.set_note(database, run.id, "für später", ["paper", "ar"])
    await runs.set_manifest(database, run.id, {"b": 1, "a": [1.5, "\ud800", "\x00"]})

    found = await runs.get(database, run.id)
    assert (found.note, found.tags) == ("für später", ("paper", "ar"))
    assert found.manifest == {"b": 1, "a": [1.5, "\ud800", "\x00"]}
    assert list(found.manifest) == ["b", "a"]
