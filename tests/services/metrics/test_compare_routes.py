"""POST /v1/compare: the document of the command, and its refusals."""

from storage import outcomes

RUN = "01RUN000000000000000000001"
OTHER = RUN[:-1] + "2"


async def test_two_runs_are_compared_over_http(client, run, other_run, database):
    found = [row for row in await outcomes.rows(database, RUN) if row.status != "unanswered"]

    body = (await client.post("/v1/compare", json={"a": RUN, "b": RUN})).json()

    accuracy = body["comparisons"][0]
    assert len(found) == 4
    assert (accuracy["metric"], accuracy["difference"], accuracy["p_value"]) == ("accuracy", 0, 1)
    assert body["verdict"].startswith("accuracy: no difference found")
    assert any("items answered by both" in note for note in body["notes"])


async def test_runs_without_a_common_answer_are_refused_in_one_sentence(client, run, other_run):
    response = await client.post("/v1/compare", json={"a": RUN, "b": OTHER, "force": True})

    assert response.status_code == 422
    assert response.json() == {"error": "UnlikeError", "detail": "B has no answered item"}


async def test_an_unknown_run_or_word_is_told(client, run):
    unknown = await client.post("/v1/compare", json={"a": RUN, "b": "nobody"})
    wrong = await client.post("/v1/compare", json={"a": RUN, "c": RUN})

    assert (unknown.status_code, wrong.status_code) == (404, 422)
