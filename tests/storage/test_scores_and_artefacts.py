import asyncio

import pytest

from metrics.score import Score
from storage import artefacts, runs, scores
from storage.errors import UnknownRunError
from storage.records import Artefact


def make_score(metric, value, **changes):
    return Score(benchmark="semrel", metric=metric, value=value, n=6, **changes)


async def test_scores_come_back_as_they_were_and_in_their_order(database, stored_run):
    run = await stored_run()
    given = [
        make_score("spearman", 1 / 3, language="ar", ci_low=-0.1, baselines={"overlap": None}),
        make_score("accuracy", None, reason="no valid answer"),
    ]

    await scores.replace(database, run.id, "judge-1", given)

    assert await scores.read(database, run.id) == given


async def test_a_score_set_is_replaced_and_others_stay(database, stored_run):
    run = await stored_run()
    await scores.replace(database, run.id, "first", [make_score("a", 0.1), make_score("b", 0.2)])
    await scores.replace(database, run.id, "second", [make_score("a", 0.3)])

    await scores.replace(database, run.id, "first", [make_score("a", 0.4)])

    assert await scores.read(database, run.id, "first") == [make_score("a", 0.4)]
    assert await scores.read(database, run.id, "second") == [make_score("a", 0.3)]
    assert await scores.read(database, run.id) == [make_score("a", 0.4)]
    assert await scores.list_sets(database, run.id) == ["first", "second"]


async def test_two_that_replace_a_set_at_once_leave_one_whole_set(database, stored_run):
    run = await stored_run()
    sets = [[make_score("a", n / 10), make_score("b", n / 10)] for n in range(8)]

    await asyncio.gather(*(scores.replace(database, run.id, "judge-1", each) for each in sets))

    assert await scores.read(database, run.id) in sets


async def test_scores_of_a_run_that_is_not_there_are_refused(database):
    with pytest.raises(UnknownRunError, match="no run 'nothing'"):
        await scores.replace(database, "nothing", "judge-1", [])
    assert await scores.read(database, "nothing") == []


async def test_artefacts_are_listed_moved_and_gone_with_their_run(database, stored_run):
    run = await stored_run()
    first = Artefact("aa", run.id, "hidden_states", "a b/x.safetensors", 10**12)
    await artefacts.put(database, first)
    await artefacts.put(database, Artefact("bb", run.id, "rules", "rules.json", 0))
    moved = Artefact("aa", run.id, "hidden_states", "elsewhere", 10**12)

    await artefacts.put(database, moved)

    assert await artefacts.list_artefacts(database, run.id, "hidden_states") == [moved]
    assert len(await artefacts.list_artefacts(database, run.id)) == 2
    assert await artefacts.is_used(database, "aa")
    await runs.delete(database, run.id)
    assert not await artefacts.is_used(database, "aa")
