import json

import httpx
import numpy as np
import pytest
from pydantic import ValidationError
from safetensors.numpy import save

from scorer.client import ScorerClient
from scorer.errors import (
    BackendError,
    InvalidRequestError,
    NotAllowedError,
    NotNowError,
    ScorerUnreachableError,
    UnsupportedRequestError,
    error_from_wire,
)
from scorer.schemas import FailedItem, HiddenStatesRequest, LogProbItem, LogProbRequest

QUESTION = LogProbRequest(items=[LogProbItem(context="a", continuation="b")])


def client_of(handler, **options):
    return ScorerClient("http://scorer", transport=httpx.MockTransport(handler), **options)


async def test_the_error_class_of_the_server_is_raised_again():
    body = {"error": "UnsupportedRequestError", "detail": "an encoder scores no texts"}
    async with client_of(lambda _: httpx.Response(422, json=body)) as client:
        with pytest.raises(UnsupportedRequestError, match="an encoder scores no texts"):
            await client.log_probs(QUESTION)


async def test_a_call_whose_items_all_fail_comes_back_as_failed_items():
    body = {"error": "TextTooLongError", "detail": "9 tokens, limit 8"}
    question = LogProbRequest(
        items=[LogProbItem(continuations=["a", "b"]), LogProbItem(continuation="c")]
    )
    async with client_of(lambda _: httpx.Response(413, json=body)) as client:
        response = await client.log_probs(question)

    assert (
        response.results == [FailedItem(error="TextTooLongError", detail="9 tokens, limit 8")] * 3
    )


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, NotAllowedError), (429, NotNowError), (404, InvalidRequestError), (500, BackendError)],
)
def test_an_unknown_error_is_judged_by_its_status(status, kind):
    assert isinstance(error_from_wire("Strange", "why", status), kind)


async def test_nobody_at_the_address_is_not_now():
    def refuse(request):
        raise httpx.ConnectError("refused", request=request)

    async with client_of(refuse) as client:
        assert not await client.is_ready()
        with pytest.raises(ScorerUnreachableError, match="refused"):
            await client.log_probs(QUESTION)


async def test_an_answer_of_another_shape_is_the_scorers_fault():
    async with client_of(lambda _: httpx.Response(200, json={"results": 1})) as client:
        with pytest.raises(BackendError, match="LogProbResponse"):
            await client.log_probs(QUESTION)


async def test_the_key_travels_as_a_bearer_token():
    seen = []

    def answer(request):
        seen.append(request.headers["authorization"])
        return httpx.Response(200, json={"model": "m", "results": []})

    async with client_of(answer, api_key="k") as client:
        with pytest.raises(BackendError, match="sent 0 results for"):
            await client.log_probs(QUESTION)

    assert seen == ["Bearer k"]


async def test_hidden_states_come_back_as_arrays_with_the_failed_text_in_its_place():
    first = np.arange(6, dtype=np.float32).reshape(2, 3)
    facts = {
        "model": "m",
        "layers": [0, 1],
        "pooling": "last",
        "n_tokens": [4, 0],
        "is_special": [[1, 0, 0, 0], []],
        "offsets": [[[0, 0], [0, 1], [1, 2], [2, 3]], []],
        "failed": {"1": {"error": "TextTooLongError", "detail": "9 tokens, limit 8"}},
    }
    body = save({"0": first}, metadata={name: json.dumps(value) for name, value in facts.items()})
    async with client_of(lambda _: httpx.Response(200, content=body)) as client:
        answer = await client.hidden_states(HiddenStatesRequest(texts=["a", "b"]))

    np.testing.assert_array_equal(answer.states[0], first)
    assert answer.states[1] == FailedItem(error="TextTooLongError", detail="9 tokens, limit 8")
    assert answer.layers == (0, 1)
    assert answer.is_special[0] == (True, False, False, False)
    assert answer.offsets == (((0, 0), (0, 1), (1, 2), (2, 3)), ())


async def test_a_body_that_is_no_safetensors_file_is_the_scorers_fault():
    async with client_of(lambda _: httpx.Response(200, content=b"no")) as client:
        with pytest.raises(BackendError):
            await client.hidden_states(HiddenStatesRequest(texts=["a"]))


def test_an_item_has_exactly_one_kind_of_continuation():
    with pytest.raises(ValidationError, match="continuation and token_ids"):
        LogProbItem(context="a", continuation="b", token_ids=[1])
    with pytest.raises(ValidationError, match="it has none"):
        LogProbItem(context="a")
