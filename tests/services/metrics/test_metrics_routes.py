import asyncio
import json

import pytest

from storage import runs, scores

RUN = "01RUN000000000000000000001"


async def test_a_run_is_told_with_its_manifest_progress_and_scores(client, run):
    body = (await client.get(f"/v1/runs/{RUN}")).json()

    assert (body["id"], body["status"]) == (RUN, "finished")
    assert body["manifest"]["data"]["source"] == "/data/a b"
    assert body["progress"] == {
        "n_items": 4, "n_answered": 1, "n_cases": 8, "n_outcomes": 4, "n_failures": 2,
    }  # fmt: skip
    assert len(body["scores"]) == 5


async def test_runs_are_listed(client, run):
    body = (await client.get("/v1/runs", params={"limit": 1})).json()

    assert [each["id"] for each in body] == [RUN]
    assert (await client.get("/v1/runs", params={"before": RUN})).json() == []


async def test_scores_have_every_field_and_undefined_ones_their_reason(client, run):
    body = (await client.get(f"/v1/runs/{RUN}/scores")).json()

    assert (body["schema"], body["run"], body["score_set"]) == (1, RUN, "judge-1")
    first, undefined = body["scores"][:2]
    assert first == {
        "benchmark": "dtails", "model": "hf:some/model", "metric": "accuracy", "task": "select",
        "language": "ar", "subset": None, "layer": None, "setting": None, "value": 0.5,
        "ci_low": 0.25, "ci_high": 0.75, "se": None, "sd": None, "n": 4, "n_units": 2,
        "unit": "concept", "interval": None, "coverage": 0.999, "baselines": {"chance": 0.5},
        "reason": None,
    }  # fmt: skip
    assert undefined["value"] is None
    assert undefined["reason"].startswith("no valid")


async def test_another_judgement_of_the_answers_can_be_asked_for(client, run, database):
    await scores.replace(database, RUN, "judge-2", [])
    await scores.replace(database, RUN, "strict", (await scores.read(database, RUN, "judge-1"))[:1])

    latest = (await client.get(f"/v1/runs/{RUN}/scores")).json()
    first = (await client.get(f"/v1/runs/{RUN}/scores", params={"set": "judge-1"})).json()

    assert (latest["score_set"], latest["score_sets"]) == ("strict", ["strict", "judge-1"])
    assert len(first["scores"]) == 5


async def test_outcomes_come_page_by_page_unanswered_ones_included(client, run):
    seen, after = [], None
    while True:
        parameters = {"limit": 3} | ({"after": after} if after else {})
        body = (await client.get(f"/v1/runs/{RUN}/outcomes", params=parameters)).json()
        seen += [(each["number"], each["variant"], each["status"]) for each in body["outcomes"]]
        after = body["next"]
        if after is None:
            break

    assert len(seen) == len(set(seen)) == 8
    assert seen[:3] == [(0, "seed1", "valid"), (0, "seed2", "valid"), (1, "seed1", "invalid")]
    assert [status for *_, status in seen].count("unanswered") == 4


async def test_outcomes_can_be_filtered(client, run):
    parameters = {"status": "right", "language": "ar"}
    body = (await client.get(f"/v1/runs/{RUN}/outcomes", params=parameters)).json()

    assert [each["item_id"] for each in body["outcomes"]] == ["0"]


async def test_a_lone_surrogate_of_an_answer_travels_as_its_escape(client, run):
    answer = await client.get(f"/v1/runs/{RUN}/outcomes")

    assert r"\u0000 \ud800 end" in answer.text
    assert json.loads(answer.text)["outcomes"][0]["detail"]["said"] == "\x00 \ud800 end"


@pytest.mark.parametrize("path", ["", "/scores", "/outcomes", "/events"])
async def test_an_unknown_run_is_answered_404_in_one_sentence(client, path):
    answer = await client.get(f"/v1/runs/nothing{path}")

    assert answer.status_code == 404
    assert answer.json()["error"] == "UnknownRunError"
    assert "no run 'nothing'" in answer.json()["detail"]


@pytest.mark.parametrize(
    "parameters",
    [{"after": "x"}, {"after": "1"}, {"after": "99999999999.1"}, {"limit": 0}, {"status": "odd"}],
)
async def test_a_wrong_parameter_is_answered_422(client, run, parameters):
    answer = await client.get(f"/v1/runs/{RUN}/outcomes", params=parameters)

    assert answer.status_code == 422
    assert answer.json()["error"] == "InvalidRequestError"


async def test_events_tell_of_a_run_until_it_ends(client, run, database):
    await runs.set_status(database, RUN, "running", allowed_from=["finished"])

    listening = asyncio.create_task(client.get(f"/v1/runs/{RUN}/events"))
    await runs.set_status(database, RUN, "finished", allowed_from=["running"])
    answer = await listening

    assert answer.headers["content-type"].startswith("text/event-stream")
    lines = [line for line in answer.text.splitlines() if line.startswith("data:")]
    last = json.loads(lines[-1].removeprefix("data:"))
    assert (last["id"], last["status"]) == (RUN, "finished")
    assert last["progress"]["n_answered"] == 1


async def test_the_service_describes_itself(client):
    document = (await client.get("/openapi.json")).json()

    assert document["openapi"].startswith("3.1")
    assert {path for path in document["paths"] if path.startswith("/v1/")} == {
        "/v1/runs",
        "/v1/runs/{run_id}",
        "/v1/runs/{run_id}/scores",
        "/v1/runs/{run_id}/outcomes",
        "/v1/runs/{run_id}/events",
        "/v1/compare",
        "/v1/figures/{kind}",
    }


async def test_it_is_ready_once_its_database_answers(client):
    assert (await client.get("/health/ready")).status_code == 200
