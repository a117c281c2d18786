"""A model whose sums depend on its neighbours is found out, and so are the decisions at risk."""

from pathlib import Path

import pytest

from benchmarks.benchmark import Case, Selection
from benchmarks.responses import LogProbResponse
from orchestrator.noise import is_within, measure_noise
from orchestrator.providers.fake import FakeProvider
from orchestrator.providers.provider import Unanswered
from tests.orchestrator.toy import Toy


class FakeNoisyProvider(FakeProvider):
    """Adds a hundredth of a nat for every request that stands before it in the call."""

    async def answer(self, requests):
        answers = await super().answer(requests)
        return [
            answer.model_copy(update={"sums": tuple(s + place / 100 for s in answer.sums)})
            for place, answer in enumerate(answers)
        ]


class FakeTiredProvider(FakeProvider):
    """Answers every second request."""

    async def answer(self, requests):
        answers = await super().answer(requests)
        return [
            answer if place % 2 else Unanswered("TooTiredError", "no")
            for place, answer in enumerate(answers)
        ]


@pytest.fixture
def cases():
    return [Case(item, "pick") for item in Toy().items(Path(), Selection())]


async def test_exact_arithmetic_does_not_move(cases):
    noise = await measure_noise(FakeProvider(), Toy(), cases, seed=0)

    assert noise.epsilon_nats == 0
    assert (noise.n_requests, noise.n_unanswered, noise.n_within) == (5, 0, 0)


async def test_epsilon_is_the_greatest_move_over_all_arrangements(cases):
    noise = await measure_noise(FakeNoisyProvider(), Toy(), cases, seed=0)

    # of five requests the last one is 4 hundredths up; asked alone or first, it is not
    assert noise.by_arrangement["repeated"] == 0
    assert 0.02 <= noise.epsilon_nats <= 0.04 + 1e-9
    assert noise.epsilon_nats == max(noise.by_arrangement.values())
    # "ccc" against "ccc" is a tie, and only there a hundredth decides
    assert (noise.n_cases, noise.n_within) == (5, 1)
    assert noise.share_within == pytest.approx(0.2)


def test_a_decision_is_within_epsilon_if_both_sums_may_move_against_it(cases):
    # -3 against -3.5: each may move by epsilon, so a quarter of a nat is the edge
    responses = {"": LogProbResponse(sums=(-3.0, -3.5), n_tokens=(1, 1))}

    assert not is_within(Toy(), cases[0], 0, responses, 0.24)
    assert is_within(Toy(), cases[0], 0, responses, 0.26)


async def test_unanswered_requests_are_counted_and_left_out(cases):
    noise = await measure_noise(FakeTiredProvider(), Toy(), cases, seed=0)

    assert noise.n_unanswered >= 3
    assert noise.n_cases == 2
