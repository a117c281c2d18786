import pytest
from procrastinate import exceptions

from orchestrator import worker
from orchestrator.worker import WorkerOptions, _Hands, _work_until_trouble


class Refused:
    """Stands for a worker whose every question the database refuses."""

    n_begun = 0

    def __init__(self, *_arguments, **_options):
        Refused.n_begun += 1

    async def run(self):
        raise exceptions.ConnectorException


async def test_a_database_that_answers_and_refuses_ends_the_worker_after_some_tries(monkeypatch):
    monkeypatch.setattr(worker, "Worker", Refused)
    monkeypatch.setattr(worker, "PAUSE_S", 0.0)
    hands = _Hands(set())

    async def begin_again_and_again():
        for _ in range(2 * worker.MAX_FALSE_STARTS):
            await _work_until_trouble(None, hands, WorkerOptions())

    with pytest.raises(exceptions.ConnectorException):
        await begin_again_and_again()

    assert Refused.n_begun == worker.MAX_FALSE_STARTS
