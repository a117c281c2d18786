"""What names a response: everything that decides it, and nothing else."""

import pytest

from benchmarks.requests import LogProbRequest
from orchestrator.cache import cache_key
from orchestrator.providers.fake import FakeProvider

REQUEST = LogProbRequest(key="a", context="c", continuations=(" x", " y"))


class OtherModel(FakeProvider):
    def identity(self, kind):
        return {**super().identity(kind), "revision": "2"}


class ByKey(FakeProvider):
    answers_by_key = True


def test_two_requests_of_one_content_share_a_response():
    other = REQUEST.model_copy(update={"key": "b", "part": "p"})

    assert cache_key(FakeProvider(), REQUEST) == cache_key(FakeProvider(), other)


@pytest.mark.parametrize(
    "change",
    [
        {"context": "C"},
        {"continuations": (" y", " x")},
        {"bos_policy": "bos"},
        {"chat_template": True},
    ],
)
def test_whatever_decides_the_answer_changes_the_key(change):
    other = REQUEST.model_copy(update=change)

    assert cache_key(FakeProvider(), REQUEST) != cache_key(FakeProvider(), other)


def test_models_and_salted_runs_never_cross():
    keys = {
        cache_key(FakeProvider(), REQUEST),
        cache_key(OtherModel(), REQUEST),
        cache_key(FakeProvider(), REQUEST, salt="run"),
    }

    assert len(keys) == 3


def test_a_replay_is_asked_by_key():
    other = REQUEST.model_copy(update={"key": "b"})

    assert cache_key(ByKey(), REQUEST) != cache_key(ByKey(), other)
