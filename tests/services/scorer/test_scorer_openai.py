import base64

import httpx
import numpy as np
import pytest

from services.scorer.app import make_scorer
from services.scorer.settings import ScorerSettings


@pytest.fixture
async def http(tmp_path):
    app = make_scorer(ScorerSettings(model="fake", cache=tmp_path))
    thread = app.state.engine.model_thread
    thread.start()
    thread.loaded.result(timeout=10)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://scorer/v1") as http:
        yield http


async def test_an_echoed_prompt_is_scored_token_by_token(http):
    body = {"prompt": [97, 98, 99], "echo": True, "logprobs": 1, "max_tokens": 0}

    answer = (await http.post("/completions", json=body)).json()

    scores = answer["choices"][0]["logprobs"]
    assert answer["choices"][0]["text"] == "abc"
    assert scores["tokens"] == ["a", "b", "c"]
    assert scores["token_logprobs"] == [None, -1.0, -1.0]
    assert scores["top_logprobs"] == [None, {"b": -1.0}, {"c": -1.0}]
    assert scores["text_offset"] == [0, 1, 2]


async def test_new_tokens_are_scored_without_the_prompt_unless_it_is_echoed(http):
    body = {"prompt": ["abc"], "logprobs": 0, "max_tokens": 2, "temperature": 0}

    choice = (await http.post("/completions", json=body)).json()["choices"][0]

    assert (choice["text"], choice["finish_reason"]) == ("ab", "length")
    assert choice["logprobs"]["token_logprobs"] == [-1.0, -1.0]


async def test_a_stop_text_ends_an_answer(http):
    body = {"prompt": "abcd", "stop": ["c", "d"], "max_tokens": 9}

    answer = (await http.post("/completions", json=body)).json()

    assert answer["choices"][0]["text"] == "ab"
    assert answer["choices"][0]["finish_reason"] == "stop"
    assert answer["usage"]["prompt_tokens"] == 5


async def test_a_chat_is_answered_with_scores(http):
    body = {
        "model": "any",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
        "logprobs": True,
        "top_logprobs": 1,
    }

    choice = (await http.post("/chat/completions", json=body)).json()["choices"][0]

    assert choice["message"] == {"role": "assistant", "content": "hi"}
    assert choice["finish_reason"] == "stop"
    assert [token["logprob"] for token in choice["logprobs"]["content"]] == [-1.0, -1.0]


async def test_vectors_have_length_one_in_both_encodings(http):
    answers = [
        (
            await http.post("/embeddings", json={"input": ["ab", "c"], "encoding_format": form})
        ).json()
        for form in ("float", "base64")
    ]

    vectors = [item["embedding"] for item in answers[0]["data"]]
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1])
    packed = np.frombuffer(base64.b64decode(answers[1]["data"][0]["embedding"]), np.float32)
    assert packed == pytest.approx(vectors[0])


async def test_the_loaded_model_is_listed(http):
    listed = (await http.get("/models")).json()["data"]

    assert [model["id"] for model in listed] == ["fake"]


@pytest.mark.parametrize(
    ("path", "body", "met"),
    [
        ("completions", {"prompt": "a", "stream": True}, "stream"),
        ("completions", {"prompt": "a", "n": 2}, "body.n"),
        (
            "chat/completions",
            {"messages": [{"role": "user", "content": "a"}], "tools": []},
            "tools",
        ),
        ("completions", {"prompt": [1114200]}, "token id 1114200"),
        ("completions", {"prompt": [[]]}, "empty prompt"),
    ],
)
async def test_what_is_not_served_is_refused_by_name(http, path, body, met):
    response = await http.post(f"/{path}", json=body)

    assert response.status_code == 422
    assert met in response.json()["detail"]
