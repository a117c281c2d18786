"""Recorded answers: which line answers which request, and what is refused."""

import json

import pytest

from benchmarks.requests import GenerateRequest, LogProbRequest, Message
from benchmarks.responses import LogProbResponse, TextResponse
from orchestrator.errors import WrongUseError
from orchestrator.providers.provider import Unanswered
from orchestrator.providers.replay import ReplayProvider

LABELS = LogProbRequest(key="b/t/en/0", context="Q:", continuations=(" A", " B"))


def generate(key: str, part: str = "") -> GenerateRequest:
    message = Message(role="user", content="?")
    return GenerateRequest(key=key, part=part, messages=(message,), max_new_tokens=3)


@pytest.fixture
def record(tmp_path):
    def write(*lines):
        path = tmp_path / "answers.jsonl"
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        path.write_text("\n".join(texts) + "\n", encoding="utf-8")
        return path

    return write


async def test_log_probs_are_summed_and_counted(record):
    response = {"log_probs": [[-1.0, -0.5], [-2.0]]}
    provider = ReplayProvider(record({"key": LABELS.key, "response": response}))

    [answer] = await provider.answer([LABELS])

    assert isinstance(answer, LogProbResponse)
    assert answer.sums == (-1.5, -2.0)
    assert answer.n_tokens == (2, 1)


async def test_sums_without_counts_leave_the_counts_unknown(record):
    response = {"sums": [-1.5, -2.0]}
    provider = ReplayProvider(record({"key": LABELS.key, "response": response}))

    [answer] = await provider.answer([LABELS])

    assert isinstance(answer, LogProbResponse)
    assert answer.n_tokens is None


async def test_a_line_without_a_part_that_is_no_seed_answers_nothing(record):
    provider = ReplayProvider(record({"key": "b/t/en/0", "response": {"text": "left"}}))

    (answer,) = await provider.answer([generate("b/t/en/0/L1", "L1")])

    assert isinstance(answer, Unanswered)


async def test_a_line_without_the_part_answers_every_seed_but_the_exact_line_wins(record):
    provider = ReplayProvider(
        record(
            {"key": "b/t/en/0", "response": {"text": "all"}},
            {"key": "b/t/en/0/seed2", "response": {"text": "two"}},
        )
    )
    requests = [generate(f"b/t/en/0/{part}", part) for part in ("seed1", "seed2", "seed3")]

    answers = await provider.answer(requests)

    assert [answer.text for answer in answers] == ["all", "two", "all"]


async def test_a_missing_key_is_unanswered_and_a_missing_retry_says_so(record):
    provider = ReplayProvider(record({"key": "b/t/en/0", "response": {"text": "first"}}))

    first, other, retry = await provider.answer(
        [generate("b/t/en/0"), generate("b/t/en/1"), generate("b/t/en/0/retry", "/retry")]
    )

    assert isinstance(first, TextResponse)
    assert isinstance(other, Unanswered)
    assert isinstance(retry, Unanswered)
    assert not retry.is_recorded


def test_unknown_keys_are_named_and_retry_lines_are_not_among_them(record):
    provider = ReplayProvider(
        record(
            {"key": "b/t/en/0", "response": {"text": "x"}},
            {"key": "b/t/en/0/retry", "response": {"text": "x"}},
            {"key": "b/t/en/9", "response": {"text": "x"}},
        )
    )

    assert provider.unknown_keys([generate("b/t/en/0")]) == ["b/t/en/9"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON"),
        ("[1]", "met list"),
        ('{"key": "k"}', "met ['key']"),
        ('{"key": 1, "response": {}}', "key must be text"),
        ('{"key": "k", "response": "text"}', "response an object"),
    ],
)
def test_a_malformed_line_is_refused_with_its_number(record, line, reason):
    path = record({"key": "a", "response": {}}, line)

    with pytest.raises(WrongUseError) as refusal:
        ReplayProvider(path)

    assert ":2: " in str(refusal.value)
    assert reason in str(refusal.value)


def test_a_key_that_stands_twice_is_refused_with_both_lines(record):
    line = {"key": "a", "response": {"text": "x"}}

    with pytest.raises(WrongUseError, match=r":3: key 'a' stands on line 1 too"):
        ReplayProvider(record(line, "", line))


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        ({"sums": [-1.0]}, "1 sums, but the request has 2"),
        ({"text": "A"}, "text"),
        ({"sums": [-1.0, "nan"]}, "valid number"),
        ({"sums": [-1.0, float("nan")]}, "finite"),
        ({"sums": [-1.0, -2.0], "n_tokens": [1]}, "one entry a continuation"),
    ],
)
def test_a_response_that_does_not_fit_is_refused_at_the_start(record, response, reason):
    provider = ReplayProvider(record({"key": LABELS.key, "response": response}))

    with pytest.raises(WrongUseError, match=reason):
        provider.unknown_keys([LABELS])


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(WrongUseError, match="no replay file"):
        ReplayProvider(tmp_path / "none.jsonl")
