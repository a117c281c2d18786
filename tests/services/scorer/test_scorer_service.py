import asyncio

import httpx
import numpy as np
import pytest

from scorer.client import ScorerClient
from scorer.errors import (
    InvalidRequestError,
    ModelLoadingError,
    NotAllowedError,
    TooManyItemsError,
    UnknownLayerError,
    UnknownTokenError,
    UnsupportedRequestError,
)
from scorer.schemas import (
    ChatMessage,
    FailedItem,
    GenerateItem,
    GenerateRequest,
    HiddenStatesRequest,
    LogProbItem,
    LogProbRequest,
    SimilarityPair,
    SimilarityRequest,
)
from services.scorer.app import make_scorer
from services.scorer.settings import ScorerSettings


def open_app(tmp_path, **settings):
    app = make_scorer(ScorerSettings(model="fake", cache=tmp_path, **settings))
    thread = app.state.engine.model_thread
    thread.start()
    thread.loaded.result(timeout=10)
    return app


def client_of(app, **options):
    return ScorerClient("http://scorer", transport=httpx.ASGITransport(app), **options)


def http_of(app):
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://scorer")


@pytest.fixture
async def app(tmp_path):
    app = open_app(tmp_path)
    yield app
    await asyncio.to_thread(app.state.engine.model_thread.close)


@pytest.fixture
async def client(app):
    async with client_of(app) as client:
        yield client


async def test_every_character_costs_one_nat(client):
    response = await client.log_probs(
        LogProbRequest(
            items=[
                LogProbItem(context="Answer: ", continuations=["yes", "no"]),
                LogProbItem(continuation="saß"),
            ]
        )
    )

    # " yes" and " no" with the space that moves to them, then a text of its own.
    assert [result.sum for result in response.results] == [-4.0, -3.0, -3.0]
    assert [result.n_bytes for result in response.results] == [4, 3, 4]
    assert response.model == "fake"


async def test_a_text_too_long_is_refused_alone(client):
    response = await client.log_probs(
        LogProbRequest(items=[LogProbItem(continuation=text) for text in ("a", "b" * 5000, "c")])
    )

    first, second, third = response.results
    assert (first.sum, third.sum) == (-1.0, -1.0)
    assert second == FailedItem(
        error="TextTooLongError", detail="5001 tokens; the context window of fake is 4096"
    )


async def test_a_single_text_too_long_is_answered_413(app):
    async with http_of(app) as http:
        response = await http.post("/v1/logprob", json={"items": [{"continuation": "b" * 5000}]})

    assert response.status_code == 413
    assert response.json()["error"] == "TextTooLongError"


async def test_no_field_of_an_answer_is_null(app):
    async with http_of(app) as http:
        scores = await http.post("/v1/logprob", json={"items": [{"continuation": "a"}]})
        facts = await http.get("/v1/capabilities")

    assert set(scores.json()["results"][0]) == {
        "sum", "log_probs", "token_ids", "offsets", "n_scored",
        "n_characters", "n_bytes", "is_straddling",
    }  # fmt: skip
    assert None not in facts.json().values()


async def test_a_chat_is_continued(client):
    response = await client.generate(
        GenerateRequest(
            items=[
                GenerateItem(messages=[ChatMessage(role="user", content="good day")]),
                GenerateItem(prompt="first\nsecond"),
            ],
            max_new_tokens=6,
        )
    )

    assert [result.text for result in response.results] == ["good d", "second"]
    assert [result.is_finished for result in response.results] == [False, True]
    assert [result.n_tokens for result in response.results] == [6, 6]


async def test_unpooled_states_come_with_the_characters_of_each_token(client):
    found = await client.hidden_states(
        HiddenStatesRequest(texts=["ab", "c" * 5000, ""], layers=[0], pooling="none")
    )
    pooled = await client.hidden_states(HiddenStatesRequest(texts=["ab"], layers=[0]))

    assert found.offsets == (((0, 0), (0, 1), (1, 2)), (), ((0, 0),))
    assert found.states[0].shape[1] == len(found.offsets[0])
    assert isinstance(found.states[1], FailedItem)
    assert pooled.offsets == ((),)


async def test_hidden_states_have_the_layers_that_were_asked(client):
    found = await client.hidden_states(
        HiddenStatesRequest(texts=["ab", "b" * 5000, "c"], layers=[-1, 0], pooling="last")
    )

    assert found.layers == (2, 0)
    # Layer, position, code point, 1; the start token stands at position 0.
    np.testing.assert_array_equal(found.states[0], [[2, 2, ord("b"), 1], [0, 2, ord("b"), 1]])
    assert found.states[1].error == "TextTooLongError"
    assert found.n_tokens == (3, 0, 2)
    assert found.is_special[0] == (True, False, False)


async def test_all_tokens_of_all_layers_come_without_pooling(client):
    found = await client.hidden_states(HiddenStatesRequest(texts=["abc"], pooling="none"))

    assert found.states[0].shape == (3, 4, 4)


async def test_similarity_worked_by_hand(client):
    response = await client.similarities(
        SimilarityRequest(
            pairs=[
                SimilarityPair(text_a="a", text_b="a"),
                SimilarityPair(text_a="", text_b="a"),
                SimilarityPair(text_a="b" * 5000, text_b="a"),
            ],
            pooling="first",
            layer=0,
        )
    )

    assert response.results[0].value == pytest.approx(1)
    # Both first tokens are the start token.
    assert response.results[1].value == pytest.approx(1)
    assert response.results[2].error == "TextTooLongError"


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (HiddenStatesRequest(texts=["a"], layers=[3]), UnknownLayerError),
        (HiddenStatesRequest(texts=["a"], layers=[-4]), UnknownLayerError),
    ],
)
async def test_a_layer_that_does_not_exist_is_refused(client, request_, error):
    with pytest.raises(error, match=r"fake has 0 \(embeddings\) to 2"):
        await client.hidden_states(request_)


async def test_a_missing_start_token_is_a_failure_of_the_item(client):
    response = await client.log_probs(
        LogProbRequest(items=[LogProbItem(continuation="a")], bos_policy="eos-as-bos")
    )

    assert response.results[0].error == UnknownTokenError.__name__


async def test_a_wrong_body_is_told_with_its_place(app):
    async with http_of(app) as http:
        response = await http.post("/v1/logprob", json={"items": [{"context": "a"}]})
        empty = await http.post("/v1/logprob", json={"items": []})

    assert (response.status_code, empty.status_code) == (422, 422)
    assert response.json()["error"] == InvalidRequestError.__name__
    assert "exactly one of continuation" in response.json()["detail"]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("logprob", '{"items": [{"context": "\\ud800", "continuation": "a"}]}', 422),
        ("similarity", '{"pairs": [{"text_a": "a", "text_b": "b"}], "pooling": "none"}', 422),
        (
            "similarity",
            '{"pairs": [{"text_a": "", "text_b": ""}], "measure": "bertscore"}',
            422,
        ),
        ("embeddings", '{"input": []}', 422),
        ("generate", '{"items": [{"prompt": "a"}], "n_beams": 2, "temperature": 1}', 422),
        ("generate", '{"items": [{"prompt": "a"}], "temperature": NaN}', 422),
        ("logprob", "{", 422),
    ],
)
async def test_odd_bodies_are_the_callers_fault(app, path, body, status):
    async with http_of(app) as http:
        headers = {"Content-Type": "application/json"}
        response = await http.post(f"/v1/{path}", content=body, headers=headers)

    assert response.status_code == status
    assert set(response.json()) == {"error", "detail"}


async def test_too_many_items_or_bytes_are_refused_with_the_limit(tmp_path):
    app = open_app(tmp_path, max_items=2, max_answer_bytes=1024)
    async with client_of(app) as client:
        with pytest.raises(TooManyItemsError, match="3 items in one call, limit 2"):
            await client.log_probs(LogProbRequest(items=[LogProbItem(continuations=["a"] * 3)]))
        with pytest.raises(TooManyItemsError, match="limit 1024"):
            await client.hidden_states(HiddenStatesRequest(texts=["a" * 40], pooling="none"))


async def test_questions_wait_for_the_weights(tmp_path):
    app = make_scorer(ScorerSettings(model="fake", cache=tmp_path))
    async with client_of(app) as client, http_of(app) as http:
        assert not await client.is_ready()
        assert (await http.get("/health/live")).status_code == 200
        with pytest.raises(ModelLoadingError):
            await client.capabilities()


async def test_a_key_is_asked_for_where_one_is_set(tmp_path):
    app = open_app(tmp_path, api_key="secret")
    async with client_of(app) as stranger, client_of(app, api_key="secret") as friend:
        with pytest.raises(NotAllowedError):
            await stranger.capabilities()
        assert (await friend.capabilities()).model == "fake"


async def test_many_callers_each_get_their_own_answer(client):
    async def ask(n):
        response = await client.log_probs(LogProbRequest(items=[LogProbItem(continuation="x" * n)]))
        return response.results[0].sum

    assert await asyncio.gather(*(ask(n) for n in range(1, 65))) == [-n for n in range(1, 65)]


async def test_prometheus_sees_the_queue(app):
    async with http_of(app) as http:
        text = (await http.get("/metrics")).text

    assert "polysense_scorer_waiting_tokens 0.0" in text
    assert "polysense_scorer_model_loaded 1.0" in text


async def test_a_decoder_that_translates_nothing_refuses_language_codes(tmp_path):
    app = open_app(tmp_path)
    backend = app.state.engine.model_thread.backend
    backend.info = backend.info.model_copy(update={"kinds": ["generate"]})
    async with client_of(app) as client:
        with pytest.raises(UnsupportedRequestError, match="takes no language code"):
            await client.generate(
                GenerateRequest(items=[GenerateItem(prompt="a")], target_language="de")
            )
        with pytest.raises(UnsupportedRequestError, match="cannot answer log_prob"):
            await client.log_probs(LogProbRequest(items=[LogProbItem(continuation="a")]))
