"""The orchestrator over HTTP, from a request to the scores, with a worker beside it."""

import asyncio
import contextlib

import httpx
import pytest
from pydantic import SecretStr

from orchestrator.contexts import RunContexts
from orchestrator.worker import WorkerOptions, work
from services.home import Home, HomeSettings
from services.orchestrator.app import make_orchestrator
from services.orchestrator.settings import OrchestratorSettings
from services.processes import resources_of
from storage.database import Database

SPEC = {"benchmark": "semrel", "model": "fake", "limit": 3}


@pytest.fixture
def home(database_url, tmp_path):
    settings = HomeSettings(POLYSENSE_HOME=tmp_path / "home", DATABASE_URL=SecretStr(database_url))
    return Home(settings)


@pytest.fixture
async def client(home):
    app = make_orchestrator(OrchestratorSettings(), home)
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as opened:
            yield opened


@contextlib.asynccontextmanager
async def working(home):
    """Let a worker take jobs until the block ends."""
    async with Database.open(home.database_url()) as database:
        contexts = RunContexts(database, resources_of(home))
        options = WorkerOptions(concurrency=2)
        worker = asyncio.create_task(work(home.database_url(), contexts, options))
        try:
            yield
        finally:
            worker.cancel()
            await asyncio.gather(worker, return_exceptions=True)


async def ended(client, run_id):
    async with asyncio.timeout(60):
        while True:
            run = (await client.get(f"/v1/runs/{run_id}")).json()
            if run["status"] not in {"queued", "running"}:
                return run
            await asyncio.sleep(0.05)


async def test_a_run_is_accepted_worked_on_and_scored(client, home):
    created = await client.post("/v1/runs", json=SPEC)

    async with working(home):
        run = await ended(client, created.json()["run"]["id"])

    assert created.status_code == 202
    assert run["status"] == "finished"
    assert run["progress"]["n_answered"] == run["progress"]["n_items"]
    assert {score["metric"] for score in run["scores"]} == {"spearman"}
    assert "null" not in str(run["manifest"]).replace("None", "null")


async def test_the_same_idempotency_key_returns_the_same_run(client):
    headers = {"Idempotency-Key": "once"}

    first = await client.post("/v1/runs", json=SPEC, headers=headers)
    second = await client.post("/v1/runs", json=SPEC, headers=headers)

    assert first.json()["run"]["id"] == second.json()["run"]["id"]
    assert len((await client.get("/v1/runs")).json()) == 1


async def test_the_same_key_with_another_spec_makes_another_run(client):
    headers = {"Idempotency-Key": "once"}

    first = await client.post("/v1/runs", json=SPEC, headers=headers)
    second = await client.post("/v1/runs", json={**SPEC, "limit": 2}, headers=headers)

    assert first.json()["run"]["id"] != second.json()["run"]["id"]


async def test_notes_and_tags_are_written_and_kept(client):
    labels = {"note": "first", "tags": ["a"]}
    run_id = (await client.post("/v1/runs", json={**SPEC, **labels})).json()["run"]["id"]

    await client.patch(f"/v1/runs/{run_id}", json={"tags": ["b", "c"]})
    run = (await client.get(f"/v1/runs/{run_id}")).json()

    assert (run["note"], run["tags"]) == ("first", ["b", "c"])
    assert "note" not in run["spec"]


async def test_a_deleted_run_is_gone_and_its_worker_lets_it_go(client, home):
    run_id = (await client.post("/v1/runs", json=SPEC)).json()["run"]["id"]

    deleted = await client.delete(f"/v1/runs/{run_id}")
    async with working(home):
        other = (await client.post("/v1/runs", json=SPEC)).json()["run"]["id"]
        run = await ended(client, other)

    assert deleted.status_code == 204
    assert (await client.get(f"/v1/runs/{run_id}")).status_code == 404
    assert run["status"] == "finished"


async def test_a_webhook_that_nobody_allowed_is_refused(client):
    answer = await client.post("/v1/runs", json={**SPEC, "webhook": "http://10.0.0.1/"})

    assert answer.status_code == 422
    assert "is not allowed" in answer.json()["detail"]


async def test_a_paused_run_goes_on_when_it_is_resumed(client, home):
    run_id = (await client.post("/v1/runs", json=SPEC)).json()["run"]["id"]
    paused = await client.post(f"/v1/runs/{run_id}/pause")
    again = await client.post(f"/v1/runs/{run_id}/pause")

    resumed = await client.post(f"/v1/runs/{run_id}/resume")
    async with working(home):
        run = await ended(client, run_id)

    assert (paused.json()["status"], again.status_code) == ("paused", 409)
    assert resumed.json()["status"] == "queued"
    assert run["status"] == "finished"


async def test_a_cancelled_run_is_not_worked_on(client, home):
    run_id = (await client.post("/v1/runs", json=SPEC)).json()["run"]["id"]

    await client.post(f"/v1/runs/{run_id}/cancel")
    async with working(home):
        await asyncio.sleep(0.5)

    run = (await client.get(f"/v1/runs/{run_id}")).json()
    assert (run["status"], run["progress"]["n_outcomes"]) == ("cancelled", 0)


async def test_events_end_with_the_run(client, home):
    run_id = (await client.post("/v1/runs", json=SPEC)).json()["run"]["id"]

    async with working(home):
        stream = await client.get(f"/v1/runs/{run_id}/events")

    assert stream.headers["content-type"].startswith("text/event-stream")
    assert '"finished"' in stream.text.strip().splitlines()[-1]


@pytest.mark.parametrize(
    ("change", "status", "reason"),
    [
        ({"benchmark": "nosuch"}, 422, "unknown benchmark"),
        ({"model": "nosuch"}, 422, "unknown model"),
        ({"tasks": ["nosuch"]}, 422, "unknown task"),
        ({"languages": ["xx"]}, 422, "language 'xx' is not in"),
        ({"settings": {"nosuch": "1"}}, 422, "unknown setting"),
        ({"limit": 0}, 422, "greater than or equal to 1"),
        ({"nosuch": 1}, 422, "nosuch"),
        ({"model": "scorer:http://127.0.0.1:1"}, 503, "no answer from"),
    ],
)
async def test_what_cannot_be_is_refused_in_one_sentence(client, change, status, reason):
    answer = await client.post("/v1/runs", json={**SPEC, **change})

    assert answer.status_code == status
    assert reason in answer.json()["detail"]
    assert (await client.get("/v1/runs")).json() == []


async def test_an_unknown_run_is_404_on_every_route(client):
    for path in ("", "/events"):
        assert (await client.get(f"/v1/runs/nosuch{path}")).status_code == 404
    for action in ("pause", "cancel", "resume", "retry"):
        assert (await client.post(f"/v1/runs/nosuch/{action}")).status_code == 404


async def test_the_catalogue_lists_all_five(client):
    found = (await client.get("/v1/benchmarks")).json()

    names = [each["name"] for each in found]
    assert names == ["stingray", "dtails", "xcomps", "dibimt", "semrel"]
    assert all(each["tasks"] and each["languages"] for each in found)
