"""Chats, scores and vectors of an OpenAI-compatible server, honest ones and others."""

import pytest

from benchmarks.requests import (
    EmbedRequest,
    GenerateRequest,
    LogProbRequest,
    Message,
    RequestKind,
    SimilarityRequest,
)
from orchestrator.errors import ProviderRefusedError, ProviderUnavailableError, WrongUseError
from orchestrator.providers.catalog import open_provider
from orchestrator.providers.metering import MeteringProvider
from orchestrator.providers.opening import Opening
from orchestrator.providers.provider import Unanswered
from tests.orchestrator.paid import CANARY, open_paid, paid_resources
from tests.orchestrator.paid_server import FakeOpenAI, Reply, too_fast


@pytest.fixture
def server():
    found = FakeOpenAI()
    yield found
    found.close()


@pytest.fixture
async def toy(server):
    """A provider that was opened without being tried."""
    opening = Opening(
        settings={"base_url": f"{server.url}/v1", "thinking_tokens": "8", "timeout_s": "5"},
        is_known=True,
    )
    provider = await open_provider("openai:toy", paid_resources(), opening)
    yield provider
    await provider.close()


def chat(text, key="a/b/en/1", **changes):
    message = Message(role="user", content=text)
    return GenerateRequest(key=key, messages=(message,), max_new_tokens=4, **changes)


def said(content, reason="stop", **message):
    choice = {"message": {"content": content, **message}, "finish_reason": reason}
    return Reply(body={"choices": [choice], "usage": {"prompt_tokens": 3, "completion_tokens": 9}})


async def test_a_chat_is_asked_as_the_request_says(server, toy):
    [answer] = await toy.answer([chat("hello", temperature=0.5, top_p=0.9, seed=7)])

    [asked] = server.asked
    assert answer.text == "hello"
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"] == f"Bearer {CANARY}"
    assert asked.body == {
        "model": "toy",
        "messages": [{"role": "user", "content": "hello"}],
        "max_tokens": 12,
        "temperature": 0.5,
        "top_p": 0.9,
        "seed": 7,
    }


async def test_sampling_is_left_to_a_server_that_wants_that(server):
    provider = await open_paid("openai:toy", f"{server.url}/v1", sampling="server")
    await provider.close()

    bodies = [asked.body for asked in server.calls("/chat/completions")]
    assert bodies
    assert not any({"temperature", "top_p", "seed"} & set(body) for body in bodies)


async def test_headers_organisation_and_project_travel_and_the_key_may_have_its_own(server):
    provider = await open_paid(
        "openai:toy",
        f"{server.url}/v1",
        headers="X-Title: polysense; X-Other: 2",
        organization="org-1",
        project="p-1",
        key_header="api-key",
    )
    await provider.close()

    sent = server.asked[0].headers
    assert (sent["x-title"], sent["x-other"]) == ("polysense", "2")
    assert (sent["openai-organization"], sent["openai-project"]) == ("org-1", "p-1")
    assert sent["api-key"] == CANARY
    assert "authorization" not in sent


async def test_a_server_that_wants_the_newer_name_of_the_limit_gets_it():
    server = FakeOpenAI(wants_new_name=True)
    provider = await open_paid("openai:toy", f"{server.url}/v1")

    answers = await provider.answer([chat("one"), chat("two")])

    assert [answer.text for answer in answers] == ["one", "two"]
    refused = [asked for asked in server.calls("/chat/completions") if "max_tokens" in asked.body]
    assert len(refused) == 1
    await provider.close()
    server.close()


@pytest.mark.parametrize(
    ("reply", "text", "raw"),
    [
        (said("<think>hm\nhm</think>\n\nBank"), "Bank", "<think>hm\nhm</think>\n\nBank"),
        (said("hm</think>Bank"), "Bank", "hm</think>Bank"),
        (said("Bank", reasoning_content="hm"), "Bank", "<think>hm</think>Bank"),
        (said("Bank"), "Bank", None),
        (said(None, refusal="I will not."), "I will not.", None),
        (said("I think <think> is a tag"), "I think <think> is a tag", None),
    ],
)
async def test_thinking_is_taken_out_and_the_raw_text_is_kept(server, toy, reply, text, raw):
    server.script.append(reply)

    [answer] = await toy.answer([chat("hello")])

    assert (answer.text, answer.raw_text) == (text, raw)


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (said("<think>hm hm", "length"), "UnfinishedThinkingError"),
        (said("<think>hm hm"), "UnfinishedThinkingError"),
        (said("", "length", reasoning_content="hm"), "UnfinishedThinkingError"),
        (said("", "length"), "EmptyAnswerError"),
        (said("x", "content_filter"), "ContentFilteredError"),
        (Reply(400, {"error": {"message": "too long", "code": "context_length_exceeded"}}),
         "TextTooLongError"),
        (Reply(413, {"error": {"message": "too large"}}), "TextTooLongError"),
        (Reply(400, {"error": {"message": "bad"}}), "RequestRefusedError"),
    ],
)  # fmt: skip
async def test_what_is_no_answer_is_unanswered_and_its_neighbour_is_not(server, toy, reply, error):
    server.script.append(reply)

    answers = await toy.answer([chat("first", key="a/b/en/1"), chat("second", key="a/b/en/2")])

    [unanswered] = [answer for answer in answers if isinstance(answer, Unanswered)]
    assert unanswered.error == error


async def test_an_answer_that_was_cut_off_says_so(server, toy):
    server.script.append(said("Ban", "length"))

    [answer] = await toy.answer([chat("hello")])

    assert (answer.text, answer.is_finished) == ("Ban", False)


@pytest.mark.parametrize(
    "trouble",
    [
        too_fast(),
        Reply(500, {"error": {"message": "oops"}}),
        Reply(503, b"<html>busy</html>", {"Retry-After": "1"}),
        Reply(200, b"\x00\xffnot json"),
        Reply(200, {"choices": []}),
        Reply(200, ["a list"]),
        Reply(200, {"choices": [{"message": {"content": 7}}]}),
        Reply(200, {"choices": []}, is_truncated=True),
    ],
)
async def test_trouble_that_passes_is_outlived(server, toy, trouble):
    server.script.extend([trouble, trouble])

    [answer] = await toy.answer([chat("hello")])

    assert answer.text == "hello"
    assert len(server.asked) == 3


async def test_a_server_that_hangs_is_given_up_in_time(server):
    opening = Opening(settings={"base_url": f"{server.url}/v1", "timeout_s": "0.2"}, is_known=True)
    provider = await open_provider("openai:toy", paid_resources(), opening)
    server.always = Reply(hangs=True, body={})

    with pytest.raises(ProviderUnavailableError, match=r"does not answer within 0.2 s"):
        await provider.answer([chat("hello")])

    await provider.close()


@pytest.mark.parametrize(
    ("status", "body", "sentence"),
    [
        (401, {"error": {"message": f"Incorrect key {CANARY}"}}, "openai refuses the key"),
        (403, {"error": {"message": "no"}}, "does not allow this"),
        (404, {"error": {"message": "no model"}}, "does not know this model"),
        (429, {"error": {"message": "pay", "code": "insufficient_quota"}}, "quota is used up"),
        (307, {}, "redirects are not followed"),
    ],
)
async def test_what_is_refused_for_good_stops_at_once_and_tells_no_key(
    server, toy, status, body, sentence
):
    server.always = Reply(status, body, {"Location": "http://127.0.0.1:9/"})

    with pytest.raises(ProviderRefusedError, match=sentence) as refused:
        await toy.answer([chat(f"text {number}") for number in range(50)])
    with pytest.raises(ProviderRefusedError):
        await toy.answer([chat("later")])

    assert CANARY not in str(refused.value)
    assert len(server.asked) <= 2  # as many as were in flight


async def test_log_probabilities_are_those_of_the_continuation(server):
    provider = await open_paid("openai:toy", f"{server.url}/v1")
    request = LogProbRequest(key="a/b/en/1", context="The bank", continuations=(" is", " sleeps"))

    [answer] = await provider.answer([request])

    # -1 a character: " is" has three, " sleeps" seven.
    assert (answer.sums, answer.n_tokens) == ((-3.0, -7.0), (3, 7))
    assert answer.is_straddling == (False, False)
    await provider.close()


async def test_a_token_over_the_join_is_scored_and_told(server, toy):
    scores = {"tokens": ["<s>", "The ba", "nk is", " x"], "token_logprobs": [None, -9, -2, -1]}
    server.script.append(Reply(body={"choices": [{"index": 0, "logprobs": scores}]}))
    request = LogProbRequest(key="a/b/en/1", context="The bank", continuations=(" is x",))

    [answer] = await toy.answer([request])

    assert (answer.sums, answer.n_tokens, answer.is_straddling) == ((-3.0,), (2,), (True,))


@pytest.mark.parametrize(
    ("tokens", "scores"),
    [
        (["The", " bank", " is"], [None, -1, None]),  # a number is missing: never 0
        (["The", " bank"], [None, -1]),  # the continuation is missing
        (["Das", " Haus", " is"], [None, -1, -1]),  # another text
        (["The", " bank", " is"], [-2, -1, -1]),  # a number where none can be
        (["The", " bank", " is"], [None, -1]),
    ],
)
async def test_scores_that_do_not_belong_to_the_prompt_are_no_answer(server, toy, tokens, scores):
    choice = {"index": 0, "logprobs": {"tokens": tokens, "token_logprobs": scores}}
    server.script.append(Reply(body={"choices": [choice]}))
    request = LogProbRequest(key="a/b/en/1", context="The bank", continuations=(" is",))

    [answer] = await toy.answer([request])

    assert answer.error == "NoScoresError"


async def test_a_server_that_ignores_echo_is_refused_for_likelihood_at_once():
    server = FakeOpenAI(ignores_echo=True)
    opening = Opening(
        settings={"base_url": f"{server.url}/v1"}, kinds=frozenset({RequestKind.LOG_PROB})
    )

    with pytest.raises(WrongUseError, match="no log-probabilities of given text") as refused:
        await open_provider("openai:toy", paid_resources(), opening)

    assert len(str(refused.value).splitlines()) == 1
    server.close()


async def test_a_server_that_ignores_echo_still_chats():
    server = FakeOpenAI(ignores_echo=True)
    provider = await open_paid("openai:toy", f"{server.url}/v1")

    assert RequestKind.LOG_PROB not in provider.kinds
    assert {RequestKind.GENERATE, RequestKind.TRANSLATE, RequestKind.EMBED} <= provider.kinds
    await provider.close()
    server.close()


async def test_vectors_come_many_in_one_call_and_cosines_from_them(server):
    provider = await open_paid("openai:toy", f"{server.url}/v1")
    server.asked.clear()
    texts = [EmbedRequest(key=f"a/b/en/{n}", text=f"text {n}") for n in range(20)]
    same = SimilarityRequest(key="a/b/en/s", text_a="one", text_b="one")

    *vectors, cosine = await provider.answer([*texts, same])

    assert len(server.calls("/embeddings")) == 1
    assert len({vector.vector for vector in vectors}) == 20
    assert cosine.value == pytest.approx(1.0)
    await provider.close()


@pytest.mark.parametrize(
    ("ending", "is_chat", "sentence"),
    [("/v1/completions", False, "takes chats only"), ("/chat/completions", True, "no chats")],
)
async def test_a_model_for_chats_or_for_prompts_only_is_known_as_such(
    server, ending, is_chat, sentence
):
    ordinary = server.answer
    missing = Reply(404, {"error": {"message": "not that kind of model"}})
    server.answer = lambda asked: missing if asked.path.endswith(ending) else ordinary(asked)
    opening = Opening(
        settings={"base_url": f"{server.url}/v1"}, kinds=frozenset({RequestKind.GENERATE})
    )
    provider = await open_provider("openai:toy", paid_resources(), opening)

    assert sentence in provider.refusal(chat("x", chat_template=is_chat))
    assert provider.refusal(chat("x", chat_template=not is_chat)) is None
    await provider.close()


async def test_what_no_such_api_grants_is_named_beforehand(toy):
    wishes = [
        LogProbRequest(key="k", context="a", continuations=("b",), chat_template=True),
        LogProbRequest(key="k", context="a", continuations=("b",), bos_policy="bos"),
        chat("x", no_repeat_ngram_size=2),
        EmbedRequest(key="k", text="a", layer=3),
        SimilarityRequest(key="k", text_a="a", text_b="b", measure="bertscore"),
    ]

    assert all(toy.refusal(wish) for wish in wishes)
    assert toy.refusal(chat("x")) is None
    assert all(isinstance(answer, Unanswered) for answer in await toy.answer(wishes[:2]))


async def test_tokens_are_counted_and_money_only_where_a_price_is_known(server, tmp_path):
    prices = tmp_path / "prices.yaml"
    prices.write_text(
        "as_of: 2030-01-01\ncurrency: EUR\nprices:\n"
        "  - {model: 'openai:toy', host: any, input_per_million: 1000, output_per_million: 5000}\n"
    )
    found = []
    for files in ((prices,), ()):
        resources = paid_resources(price_files=files)
        provider = await open_paid("openai:toy", f"{server.url}/v1", resources)
        assert isinstance(provider, MeteringProvider)
        async for metered in provider.stream([chat("hello")]):
            found += [each.usage for each in metered]
        await provider.close()

    # 5 tokens read at 0.001, 2 written at 0.005.
    assert (found[0].input_tokens, found[0].output_tokens) == (5, 2)
    assert (found[0].money, found[0].currency) == (pytest.approx(0.015), "EUR")
    assert found[0].served_by == "fake-2030-01-01"
    assert (found[1].input_tokens, found[1].money) == (5, None)
