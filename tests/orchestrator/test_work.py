"""One range of a run: asked once, judged, stored, whatever happens in between."""

import asyncio

import pytest

from benchmarks.requests import RequestKind
from benchmarks.responses import TextResponse
from orchestrator.errors import ProviderUnavailableError
from orchestrator.providers.fake import FakeProvider
from orchestrator.providers.provider import Unanswered
from orchestrator.work import work_range
from storage import failures, outcomes, runs


class CountingProvider(FakeProvider):
    """Remembers what it was asked, and can be told to fail."""

    def __init__(self):
        self.asked = []
        self.refused = set()
        self.is_down = False

    async def answer(self, requests):
        await asyncio.sleep(0)
        if self.is_down:
            raise ProviderUnavailableError("nobody answers")
        self.asked += [request.key for request in requests]
        answers = await super().answer(requests)
        return [
            Unanswered("TextTooLongError", "9 tokens, limit 8") if r.key in self.refused else answer
            for r, answer in zip(requests, answers, strict=True)
        ]


async def values(context):
    rows = await outcomes.rows(context.database, context.run.id)
    return {(row.number, row.task, row.variant): row.value for row in rows}


async def test_every_case_is_judged_as_worked_by_hand(start_toy):
    context = await start_toy(FakeProvider())

    await work_range(context, 0, 5)

    # -1 nat a character: only words longer than "ccc" are less likely than it.
    assert list((await values(context)).values()) == [0.0, 0.0, 0.0, 1.0, 1.0]


async def test_a_range_that_is_worked_twice_is_asked_once(start_toy):
    provider = CountingProvider()
    context = await start_toy(provider)

    await work_range(context, 0, 3)
    await work_range(context, 0, 5)

    assert sorted(provider.asked) == [f"toy/pick/en/{number}" for number in range(5)]


async def test_another_run_of_the_same_model_pays_nothing_and_a_salted_one_pays_again(start_toy):
    provider = CountingProvider()
    first, second = await start_toy(provider), await start_toy(provider)
    salted = await start_toy(provider, salt="alone")

    await work_range(first, 0, 5)
    await work_range(second, 0, 5)
    n_shared = len(provider.asked)
    await work_range(salted, 0, 5)

    assert n_shared == 5
    assert len(provider.asked) == 10
    assert await values(first) == await values(second) == await values(salted)


async def test_two_workers_on_one_range_store_each_outcome_once(start_toy):
    provider = CountingProvider()
    context = await start_toy(provider)

    await asyncio.gather(*(work_range(context, 0, 5) for _ in range(4)))

    assert len(await values(context)) == 5
    assert len(provider.asked) == 5


async def test_a_refused_request_is_a_failure_and_its_neighbours_are_answered(start_toy):
    provider = CountingProvider()
    provider.refused = {"toy/pick/en/2"}
    context = await start_toy(provider)

    await work_range(context, 0, 5)

    [failure] = await failures.list_failures(context.database, context.run.id)
    assert (failure.number, failure.error) == (2, "TextTooLongError")
    assert (await values(context))[2, "pick", ""] is None
    progress = await runs.count_progress(context.database, context.run.id)
    assert (progress.n_outcomes, progress.n_failures, progress.n_answered) == (4, 1, 4)


async def test_a_failure_is_forgotten_when_its_case_is_answered_later(start_toy):
    provider = CountingProvider()
    provider.refused = {"toy/pick/en/2"}
    context = await start_toy(provider)
    await work_range(context, 0, 5)

    provider.refused = set()
    await work_range(context, 0, 5)

    progress = await runs.count_progress(context.database, context.run.id)
    assert (progress.n_outcomes, progress.n_failures) == (5, 0)


async def test_a_model_that_is_gone_stores_nothing_and_raises(start_toy):
    provider = CountingProvider()
    provider.is_down = True
    context = await start_toy(provider)

    with pytest.raises(ProviderUnavailableError):
        await work_range(context, 0, 5)

    progress = await runs.count_progress(context.database, context.run.id)
    assert (progress.n_outcomes, progress.n_failures) == (0, 0)


async def test_a_wrong_answer_is_asked_again_once_and_the_second_answer_counts(start_toy):
    provider = CountingProvider()
    context = await start_toy(provider, tasks=("say",), seed=None)

    await work_range(context, 4, 5)

    # "eeeee" is cut to 4 characters at first; the retry has room for 5. Both seeds ask the same,
    # so one of them is asked for both.
    first, retry = sorted(provider.asked)
    assert retry == f"{first}/retry"
    assert (await values(context))[4, "say", "seed1"] == 1.0
    assert (await values(context))[4, "say", "seed2"] == 1.0


async def test_a_retry_that_is_not_recorded_lets_the_first_answer_stand(start_toy):
    class WithoutRetries(FakeProvider):
        answers_by_key = True
        kinds = frozenset({RequestKind.GENERATE})

        async def answer(self, requests):
            return [
                Unanswered("NotRecordedError", "no line", is_recorded=False)
                if request.key.endswith("/retry")
                else TextResponse(text="nothing")
                for request in requests
            ]

    context = await start_toy(WithoutRetries(), tasks=("say",))

    await work_range(context, 0, 5)

    assert set((await values(context)).values()) == {0.0}
    assert await failures.list_failures(context.database, context.run.id) == []


async def test_a_baseline_answers_without_a_model(start_toy):
    context = await start_toy(baseline="never")

    await work_range(context, 0, 5)

    assert set((await values(context)).values()) == {0.0}
