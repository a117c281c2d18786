"""Runs of a paid model: paid once, never over budget, stopped at once, and no key told anywhere."""

import asyncio
import json
import logging

import pytest

from orchestrator import run as run_story
from orchestrator.attempts import work_span
from orchestrator.contexts import RunContexts
from orchestrator.errors import WrongUseError
from orchestrator.estimate import estimate
from orchestrator.jobs import queue_of
from orchestrator.plan import ranges
from orchestrator.planning import all_requests, make_plan, open_source
from orchestrator.providers.catalog import open_provider
from orchestrator.providers.opening import Opening
from orchestrator.spec import RunSpec
from storage import claims, failures, outcomes, queue, runs, spending
from storage.database import Database, fetch_all
from tests.orchestrator.paid import CANARY, paid_resources
from tests.orchestrator.paid_server import FakeDeepL, FakeOpenAI, Reply, too_fast

PRICES = """as_of: 2030-01-01
currency: EUR
prices:
  - {model: "openai:toy", host: any, input_per_million: 1000, output_per_million: 1000}
"""


@pytest.fixture
def server():
    found = FakeOpenAI()
    yield found
    found.close()


@pytest.fixture
def resources(tmp_path):
    """Return resources that are made anew for each process there would be."""
    path = tmp_path / "prices.yaml"
    path.write_text(PRICES)

    def make():
        return paid_resources(price_files=(path,), artefacts=tmp_path)

    return make


def spec_for(server, **changes):
    given = {
        "benchmark": "stingray",
        "model": "openai:toy",
        "tasks": ("semantic",),
        "settings": {"inference": "generation", "base_url": f"{server.url}/v1"},
        "batch_items": 4,
    }
    return RunSpec(**{**given, **changes})


async def start(database, resources, spec):
    return await run_story.start(database, await make_plan(database, spec, resources()))


async def work(database, resources, run, n_replicas=1):
    """Work on a run in several processes' stead, each with a pool and limits of its own."""
    await queue.clear(database, queue_of(run.id))  # its jobs are in our hands
    spans = [[bounds] for bounds in ranges(run.n_items, 4)]

    async def replica(number):
        async with Database.open(database.url) as own:
            contexts = RunContexts(own, resources())
            for span in spans[number::n_replicas]:
                await work_span(contexts, run.id, span, 0)
            await contexts.close()

    await asyncio.gather(*(replica(number) for number in range(n_replicas)))
    return await runs.get(database, run.id)


async def test_every_question_is_paid_once_and_what_it_took_is_stored(database, resources, server):
    run = await start(database, resources, spec_for(server))
    n_before = len(server.asked)

    ended = await work(database, resources, run, n_replicas=2)

    spent = await spending.of_run(database, run.id)
    bodies = [json.dumps(each.body) for each in server.asked[n_before:]]
    async with database.begin() as connection:
        usages = await fetch_all(connection, "SELECT usage::text FROM responses")
    stored = [json.loads(row.usage) for row in usages]
    assert ended.status == "finished"
    assert len(bodies) == len(set(bodies)) == spent.n_asked == len(stored)
    assert sum(each["money"] for each in stored) == pytest.approx(spent.money)
    assert sum(each["input_tokens"] for each in stored) == spent.input_tokens
    assert (spent.held, spent.currency) == (0.0, "EUR")


async def test_another_run_pays_nothing_and_counts_what_it_saved(database, resources, server):
    await work(database, resources, await start(database, resources, spec_for(server)))
    again = await start(database, resources, spec_for(server))
    n_before = len(server.asked)

    ended = await work(database, resources, again)

    spent = await spending.of_run(database, again.id)
    assert ended.status == "finished"
    assert len(server.asked) == n_before
    assert (spent.n_asked, spent.money) == (0, 0.0)
    assert spent.n_saved >= again.n_items


@pytest.mark.parametrize("n_replicas", [1, 3])
async def test_a_budget_is_never_overrun_and_a_larger_one_goes_on(
    database, resources, server, n_replicas
):
    run = await start(database, resources, spec_for(server, budget=1.0))

    stopped = await work(database, resources, run, n_replicas)
    spent = await spending.of_run(database, run.id)
    n_paid = len(server.asked)
    await run_story.resume(database, run.id, budget=100.0)
    ended = await work(database, resources, run, n_replicas)

    assert stopped.status == "paused"
    assert "the budget of 1 EUR is reached" in stopped.reason
    assert 0.0 < spent.money + spent.held <= 1.0
    assert ended.status == "finished"
    whole = await spending.of_run(database, run.id)
    assert whole.n_asked == len(server.asked) - 2  # the plan has tried a chat and a prompt
    assert len(server.asked) > n_paid
    assert whole.budget == 100.0


async def test_runs_that_race_for_the_same_questions_share_their_calls(database, resources, server):
    racing = [await start(database, resources, spec_for(server)) for _ in range(3)]
    n_before = len(server.asked)

    ended = await asyncio.gather(*(work(database, resources, run, 2) for run in racing))

    bodies = [json.dumps(each.body) for each in server.asked[n_before:]]
    spent = [await spending.of_run(database, run.id) for run in racing]
    assert {run.status for run in ended} == {"finished"}
    assert len(bodies) == len(set(bodies)) == sum(each.n_asked for each in spent)
    assert sum(each.n_saved for each in spent) == 2 * len(bodies)


async def test_a_claim_of_a_dead_process_is_taken_over_when_its_lease_has_run_out(database):
    dead = await claims.take(database, "dead", [b"1", b"2"], lease_s=-1.0)
    alive = await claims.take(database, "alive", [b"2", b"3"], lease_s=30.0)

    taken = await claims.take(database, "new", [b"1", b"2", b"3", b"4"], lease_s=30.0)

    assert (dead, alive, taken) == ({b"1", b"2"}, {b"2", b"3"}, {b"1", b"4"})


async def test_a_budget_without_a_price_is_refused(database, server):
    with pytest.raises(WrongUseError, match="no price is known for openai:toy"):
        await make_plan(database, spec_for(server, budget=1.0), paid_resources())


async def test_a_refused_key_stops_the_run_and_nothing_is_lost(database, resources, server):
    run = await start(database, resources, spec_for(server))
    server.script.extend([Reply(500, {"error": "oops"}), too_fast()])
    n_before = len(server.asked)
    answered = [None] * 6

    original = server.answer

    def answer(asked):
        if answered:
            answered.pop()
            return original(asked)
        return Reply(401, {"error": {"message": f"bad key {CANARY}"}})

    server.answer = answer
    failed = await work(database, resources, run)
    n_paid = (await spending.of_run(database, run.id)).n_asked
    n_refused = len(server.asked) - n_before - 6 - 2
    server.answer = original
    await run_story.resume(database, run.id)
    ended = await work(database, resources, run)

    assert failed.status == "failed"
    assert failed.reason.startswith("openai refuses the key: bad key ***")
    assert n_paid == 6  # what was answered before is stored and counted
    assert n_refused <= 8
    assert ended.status == "finished"
    assert not await failures.list_failures(database, run.id)
    rows = await outcomes.rows(database, run.id)
    assert all(row.status != "unanswered" for row in rows)
    assert (await spending.of_run(database, run.id)).n_asked == len(rows)


async def test_a_storm_is_outlived_and_paid_once(database, resources, server):
    run = await start(database, resources, spec_for(server))
    server.script.extend([too_fast("2")] * 25)
    n_before = len(server.asked)

    ended = await work(database, resources, run, n_replicas=2)

    spent = await spending.of_run(database, run.id)
    assert ended.status == "finished"
    assert spent.n_asked == len(server.asked) - n_before - 25
    assert spent.held == 0.0


async def test_the_key_is_told_nowhere(database, resources, server, caplog, tmp_path):
    caplog.set_level(logging.DEBUG)
    run = await start(database, resources, spec_for(server))
    server.script.append(Reply(400, {"error": {"message": f"{CANARY} is too long"}}))
    await work(database, resources, run)
    server.always = Reply(401, {"error": {"message": f"key {CANARY}"}})
    other = await start_known(database, resources, server, run)

    async with database.begin() as connection:
        tables = await fetch_all(
            connection, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        )
        texts = [
            str(await fetch_all(connection, f"SELECT t::text FROM {row.tablename} AS t"))
            for row in tables
        ]
    everything = "\n".join(texts) + caplog.text + repr(resources()) + str(other)
    assert "openai:toy" in everything
    assert CANARY not in everything


async def start_known(database, resources, server, run):
    """Plan another run that is refused, and return what is said of it."""
    try:
        await make_plan(database, spec_for(server, tasks=("usage",)), resources())
    except Exception as error:  # noqa: BLE001  # whatever is said is searched
        return f"{error!r} {error.__cause__!r} {run}"
    return ""


async def test_pairs_that_deepl_lacks_are_refused_at_submit_with_those_it_has(database):
    server = FakeDeepL()
    spec = RunSpec(
        benchmark="dtails",
        model="deepl",
        tasks=("translate",),
        settings={"base_url": server.url},
    )

    with pytest.raises(WrongUseError, match="it has no translation en → ") as refused:
        await make_plan(database, spec, paid_resources())
    server.close()

    assert "--language may name ja" in str(refused.value)


async def test_an_estimate_counts_different_questions_and_leaves_out_what_is_stored(
    database, resources, server
):
    spec = spec_for(server)
    source = open_source(spec)
    opening = Opening(settings=spec.provider_settings, is_dry=True)
    provider = await open_provider(spec.model, resources(), opening)

    def ask():
        return all_requests(source.benchmark, source.items(), [("semantic", "")], 0)

    before = await estimate(database, provider, ask())
    await work(database, resources, await start(database, resources, spec))
    after = await estimate(database, provider, ask())
    await provider.close()

    assert before.n_requests == before.n_to_ask == before.n_calls > 0
    assert 0 < before.cost() < before.cost(is_most=True)
    assert (after.n_stored, after.n_to_ask, after.cost()) == (before.n_different, 0, 0.0)
