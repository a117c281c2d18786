"""Every promise of a provider is kept by the paid ones, before real HTTP servers."""

import pytest

from orchestrator.providers.conformance import promises_broken_by
from tests.orchestrator.paid import CANARY, open_paid
from tests.orchestrator.paid_server import FakeDeepL, FakeGoogle, FakeOpenAI

CASES = [
    ("openai:toy", FakeOpenAI, "/v1", {}),
    ("deepl", FakeDeepL, "", {"formality": "more"}),
    ("google", FakeGoogle, "", {}),
    ("google", FakeGoogle, "", {"api_version": "v3", "google_project": "ours"}),
]


@pytest.mark.parametrize(("model", "server_class", "path", "settings"), CASES)
async def test_a_paid_model_is_a_provider(model, server_class, path, settings):
    server = server_class()

    async def open_it():
        return await open_paid(model, server.url + path, **settings)

    try:
        assert await promises_broken_by(open_it, [CANARY]) == []
    finally:
        server.close()
