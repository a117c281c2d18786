"""DeepL and Google: many texts a call, codes of languages, and what each one's refusals mean."""

import pytest

from benchmarks.requests import TranslateRequest
from orchestrator.errors import ProviderRefusedError, WrongUseError
from orchestrator.providers.catalog import open_provider
from orchestrator.providers.opening import Opening
from tests.orchestrator.paid import CANARY, open_paid, paid_resources
from tests.orchestrator.paid_server import FakeDeepL, FakeGoogle, Reply, too_fast


@pytest.fixture
def deepl():
    found = FakeDeepL()
    yield found
    found.close()


@pytest.fixture
def google():
    found = FakeGoogle()
    yield found
    found.close()


def asks(*texts, target="de"):
    return [
        TranslateRequest(
            key=f"a/b/{target}/{at}", text=text, source_language="en", target_language=target
        )
        for at, text in enumerate(texts)
    ]


async def test_deepl_gets_many_texts_in_one_call_and_each_pair_in_its_own(deepl):
    provider = await open_paid("deepl", deepl.url, glossary="g-1", formality="less")
    texts = [f"text {number}" for number in range(60)]

    answers = await provider.answer([*asks(*texts), *asks("bank", target="zh")])

    calls = deepl.calls("/v2/translate")
    assert sorted(len(call.body["text"]) for call in calls) == [1, 10, 50]
    assert [answer.text for answer in answers] == [
        *(f"DE:{text}" for text in texts),
        "ZH-HANS:bank",
    ]
    assert {call.body["target_lang"] for call in calls} == {"DE", "ZH-HANS"}
    assert calls[0].headers["authorization"] == f"DeepL-Auth-Key {CANARY}"
    assert calls[0].body["source_lang"] == "EN"
    assert (calls[0].body["glossary_id"], calls[0].body["formality"]) == ("g-1", "less")
    await provider.close()


async def test_deepl_says_which_languages_it_lacks_as_its_server_lists_them(deepl):
    provider = await open_paid("deepl", deepl.url)

    [lacking], [fine] = asks("x", target="ta"), asks("x", target="lv")

    assert provider.refusal(lacking) == "it has no translation en → ta"
    assert provider.refusal(fine) is None
    assert (await provider.answer([lacking]))[0].error == "UnsupportedRequestError"
    await provider.close()


async def test_deepl_without_a_list_is_believed_to_have_what_is_known(deepl):
    deepl.script.append(Reply(404, {"message": "not here"}))
    provider = await open_paid("deepl", deepl.url)

    assert provider.refusal(asks("x", target="ru")[0]) is None
    assert provider.refusal(asks("x", target="te")[0]) is not None
    await provider.close()


async def test_a_text_that_is_too_large_is_found_by_halving(deepl):
    provider = await open_paid("deepl", deepl.url)
    too_large = Reply(413, {"message": "Request Entity Too Large"})
    # Four together, then the second half of them, then its first text alone.
    deepl.script.extend([too_large])

    answers = await provider.answer(asks("one", "two", "three", "four"))

    assert [answer.text for answer in answers] == ["DE:one", "DE:two", "DE:three", "DE:four"]
    deepl.always = too_large
    [alone] = await provider.answer(asks("five"))
    assert alone.error == "TextTooLongError"
    await provider.close()


@pytest.mark.parametrize(
    ("status", "sentence"), [(456, "quota is used up"), (403, "does not allow this")]
)
async def test_a_quota_that_is_used_up_stops_at_once(deepl, status, sentence):
    provider = await open_paid("deepl", deepl.url, texts_per_call="1")
    deepl.always = Reply(status, {"message": f"Quota Exceeded {CANARY}"})
    deepl.asked.clear()

    with pytest.raises(ProviderRefusedError, match=sentence) as refused:
        await provider.answer(asks(*(f"text {number}" for number in range(30))))

    assert CANARY not in str(refused.value)
    assert len(deepl.asked) <= 3  # as many as were in flight
    await provider.close()


async def test_the_key_decides_on_deepls_address_and_usage_is_read(deepl):
    provider = await open_paid("deepl", f"{deepl.url}/v2")

    allowance = await provider.allowance()

    assert (allowance.n_used, allowance.n_allowed) == (400, 1000)
    await provider.close()


async def test_too_fast_is_waited_for(deepl):
    provider = await open_paid("deepl", deepl.url)
    deepl.script.extend([too_fast("3")] * 3)

    [answer] = await provider.answer(asks("one"))

    assert answer.text == "DE:one"
    await provider.close()


async def test_characters_are_counted_for_each_text(deepl):
    provider = await open_paid("deepl", deepl.url)

    found = [each async for metered in provider.stream(asks("one", "three")) for each in metered]

    assert [each.usage.characters for each in found] == [3, 5]
    await provider.close()


async def test_google_v2_is_asked_for_plain_text(google):
    provider = await open_paid("google", google.url)

    [answer] = await provider.answer(asks("Tom & Eve", target="zh"))

    [call] = google.asked
    assert call.body == {"q": ["Tom & Eve"], "source": "en", "target": "zh-CN", "format": "text"}
    assert call.headers["x-goog-api-key"] == CANARY
    assert "key=" not in call.path
    assert answer.text == "zh-CN:Tom & Eve"
    await provider.close()


async def test_google_v3_is_asked_with_a_token_at_its_project(google):
    provider = await open_paid("google", google.url, api_version="v3", google_project="ours")

    await provider.answer(asks("one"))

    [call] = google.asked
    assert call.path == "/v3/projects/ours/locations/global:translateText"
    assert call.body["mimeType"] == "text/plain"
    assert call.headers["authorization"] == f"Bearer {CANARY}"
    await provider.close()


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (Reply(400, {"error": {"message": "API key not valid. Please pass a valid API key."}}),
         "refuses the key"),
        (Reply(403, {"error": {"errors": [{"reason": "dailyLimitExceeded"}], "message": "x"}}),
         "does not allow this"),
    ],
)  # fmt: skip
async def test_googles_refusals_for_good_are_told_from_those_of_a_text(google, reply, sentence):
    provider = await open_paid("google", google.url)
    google.always = reply

    with pytest.raises(ProviderRefusedError, match=sentence):
        await provider.answer(asks("one", "two"))

    await provider.close()


async def test_googles_too_fast_comes_as_403_and_passes(google):
    provider = await open_paid("google", google.url)
    body = {"error": {"errors": [{"reason": "userRateLimitExceeded"}], "message": "slow down"}}
    google.script.append(Reply(403, body))

    [answer] = await provider.answer(asks("one"))

    assert answer.text == "de:one"
    await provider.close()


@pytest.mark.parametrize(
    ("model", "settings", "sentence"),
    [
        ("google", {"api_version": "v3"}, "google_project"),
        ("google", {"glossary": "g"}, "v3 only"),
        ("deepl", {"formality": "rude"}, "formality=rude"),
        ("deepl", {"max_concurrency": "0"}, "max_concurrency=0"),
        ("deepl", {"key": "../etc/passwd"}, "key="),
        ("openai:x", {"headers": "Authorization: Bearer x"}, "looks like a secret"),
        ("openai:x", {"headers": "nonsense"}, "Name: value"),
        ("deepl", {"base_url": "http://user:pw@127.0.0.1"}, "no user, query or fragment"),
        ("deepl", {"base_url": "ftp://127.0.0.1"}, "allowed is http"),
        ("deepl", {"base_url": "http://169.254.169.254/latest"}, "never called"),
        ("deepl", {"base_url": "http://[fe80::1]"}, "never called"),
        ("deepl", {"base_url": "http://[::ffff:169.254.169.254]"}, "never called"),
        ("deepl", {"base_url": "http://2852039166"}, "never called"),
    ],
)
async def test_settings_that_cannot_be_are_refused_in_one_sentence(model, settings, sentence):
    opening = Opening(settings={"base_url": "http://127.0.0.1:9", **settings})

    with pytest.raises(WrongUseError, match=sentence) as refused:
        await open_provider(model, paid_resources(), opening)

    assert "pw" not in str(refused.value)


@pytest.mark.parametrize(
    ("hosts", "is_allowed"),
    [(None, True), (frozenset(), False), (frozenset({"127.0.0.1"}), True)],
)
async def test_over_the_network_only_listed_hosts_may_be_named(google, hosts, is_allowed):
    resources = paid_resources(provider_hosts=hosts)

    if is_allowed:
        await (await open_paid("google", google.url, resources)).close()
        return
    with pytest.raises(WrongUseError, match="is not on this server's list"):
        await open_paid("google", google.url, resources)


async def test_a_missing_key_is_named_with_where_to_put_it():
    resources = paid_resources(find_secret=lambda name: None)

    with pytest.raises(WrongUseError, match="set the variable DEEPL_API_KEY"):
        await open_provider("deepl", resources, Opening())
    with pytest.raises(WrongUseError, match="POLYSENSE_SECRET_team"):
        await open_provider("deepl", resources, Opening(settings={"key": "team"}))
