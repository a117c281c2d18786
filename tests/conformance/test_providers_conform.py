"""Every provider keeps every promise: what the scorer runs, what was recorded, what is made up."""

import asyncio
import json

import httpx
import pytest

from benchmarks.requests import RequestKind
from orchestrator.providers.conformance import promises_broken_by
from orchestrator.providers.fake import FakeProvider
from orchestrator.providers.prompted_translation import PromptedTranslator
from orchestrator.providers.questions import hard_questions, questions
from orchestrator.providers.replay import ReplayProvider
from orchestrator.providers.scorer import ScorerProvider
from orchestrator.providers.split import SplitProvider
from scorer.client import ScorerClient
from services.scorer.app import make_scorer
from services.scorer.settings import ScorerSettings


@pytest.fixture
async def open_scorer_provider(tmp_path):
    """Return a function that opens a provider before the fake scorer's real app."""
    app = make_scorer(ScorerSettings(model="fake", cache=tmp_path))
    thread = app.state.engine.model_thread
    thread.start()
    thread.loaded.result(timeout=10)

    async def open_it():
        client = ScorerClient("http://scorer", transport=httpx.ASGITransport(app))
        return ScorerProvider(client, await client.capabilities(), tmp_path / "artefacts")

    yield open_it
    await asyncio.to_thread(thread.close)


async def test_a_scorer_is_a_provider(open_scorer_provider):
    assert await promises_broken_by(open_scorer_provider) == []


async def test_a_scorer_that_translates_in_words_is_a_provider(open_scorer_provider):
    async def open_it():
        return PromptedTranslator(await open_scorer_provider())

    assert await promises_broken_by(open_it) == []


async def test_the_fake_is_a_provider():
    async def open_it():
        return FakeProvider()

    assert await promises_broken_by(open_it) == []


async def test_two_models_behind_one_name_are_a_provider(open_scorer_provider):
    async def open_it():
        scorer, fake = await open_scorer_provider(), FakeProvider()
        return SplitProvider(
            {
                RequestKind.EMBED: fake,
                RequestKind.SIMILARITY: fake,
                RequestKind.LOG_PROB: scorer,
                RequestKind.GENERATE: scorer,
            }
        )

    assert await promises_broken_by(open_it) == []


async def test_recorded_answers_are_a_provider(tmp_path):
    path = tmp_path / "answers.jsonl"
    await _record(path, questions)

    async def open_it():
        return ReplayProvider(path)

    assert await promises_broken_by(open_it) == []


async def test_a_replay_that_holds_none_of_the_questions_breaks_no_promise(tmp_path):
    path = tmp_path / "answers.jsonl"
    await _record(path, hard_questions)

    async def open_it():
        return ReplayProvider(path)

    assert await promises_broken_by(open_it) == []


async def _record(path, made):
    fake = FakeProvider()
    requests = [request for kind in sorted(fake.kinds) for request in made(kind)]
    answers = await fake.answer(requests)
    lines = [
        json.dumps({"key": r.key, "response": a.model_dump(mode="json", exclude_none=True)})
        for r, a in zip(requests, answers, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")
