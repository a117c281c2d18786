import threading

import pytest

from scorer.backend import TokenRow
from scorer.backends.fake import FakeBackend
from scorer.batching.model_thread import ModelThread, QueueLimits
from scorer.errors import (
    BackendError,
    ModelLoadingError,
    ModelNotFoundError,
    QueueFullError,
    TextTooLongError,
)

ROW = TokenRow((1, 2, 3), 1)


class Gate:
    """Holds the model's thread until it is opened, and keeps the sizes of the calls."""

    def __init__(self):
        self.opened = threading.Event()
        self.entered = threading.Event()
        self.sizes = []

    def ask(self, backend, rows):
        self.entered.set()
        assert self.opened.wait(10)
        self.sizes.append(len(rows))
        return backend.log_probs(rows)


@pytest.fixture
def open_thread():
    threads = []

    def make(load=FakeBackend, **limits):
        threads.append(ModelThread(load, QueueLimits(**limits)))
        threads[-1].start()
        return threads[-1]

    yield make
    for thread in threads:
        thread.close()


def test_questions_that_wait_are_answered_in_one_call(open_thread):
    thread, gate = open_thread(window_s=0), Gate()
    first = thread.submit("k", gate.ask, [ROW])
    assert gate.entered.wait(10)
    others = [thread.submit("k", gate.ask, [ROW] * n) for n in (1, 2, 3)]
    another = thread.submit("other", gate.ask, [ROW])
    gate.opened.set()

    assert len(first.result(10)) == 1
    assert [len(job.result(10)) for job in others] == [1, 2, 3]
    assert len(another.result(10)) == 1
    assert gate.sizes == [1, 6, 1]


def test_a_batch_keeps_to_its_budget(open_thread):
    thread, gate = open_thread(window_s=0, max_batch_tokens=6), Gate()
    thread.submit("k", gate.ask, [ROW])
    assert gate.entered.wait(10)
    jobs = [thread.submit("k", gate.ask, [ROW]) for _ in range(4)]
    gate.opened.set()
    for job in jobs:
        job.result(10)

    assert gate.sizes == [1, 2, 2]


def test_one_failure_does_not_reach_its_neighbours(open_thread):
    def ask(backend, rows):
        if any(row.ids == (9, 9) for row in rows):
            raise TextTooLongError("too long")
        return backend.log_probs(rows)

    thread, gate = open_thread(window_s=0), Gate()
    thread.submit("hold", gate.ask, [ROW])
    assert gate.entered.wait(10)
    good = thread.submit("k", ask, [ROW])
    bad = thread.submit("k", ask, [TokenRow((9, 9), 1)])
    gate.opened.set()

    assert len(good.result(10)) == 1
    with pytest.raises(TextTooLongError):
        bad.result(10)


def test_what_nobody_foresaw_is_told_as_ours_and_the_thread_lives_on(open_thread, caplog):
    def ask(backend, rows):
        raise ZeroDivisionError("oh")

    thread = open_thread()

    with pytest.raises(BackendError, match="ZeroDivisionError: oh"):
        thread.submit("k", ask, [ROW]).result(10)
    assert len(thread.submit("l", lambda b, rows: b.log_probs(rows), [ROW]).result(10)) == 1
    assert "the model failed" in caplog.text


def test_a_full_queue_refuses(open_thread):
    thread, gate = open_thread(window_s=0, max_waiting_tokens=5), Gate()
    thread.submit("k", gate.ask, [ROW])
    assert gate.entered.wait(10)
    thread.submit("k", gate.ask, [ROW])
    with pytest.raises(QueueFullError, match="3 tokens wait already, limit 5"):
        thread.submit("k", gate.ask, [ROW])
    gate.opened.set()


def test_a_failed_load_is_kept_for_those_who_ask(open_thread):
    def load():
        raise ModelNotFoundError("no model")

    thread = open_thread(load)

    with pytest.raises(ModelNotFoundError):
        thread.loaded.result(10)


def test_before_the_load_there_is_no_backend():
    with pytest.raises(ModelLoadingError):
        _ = ModelThread(FakeBackend).backend


def test_closing_answers_what_waits(open_thread):
    thread, gate = open_thread(window_s=0), Gate()
    jobs = [thread.submit(n, gate.ask, [ROW]) for n in range(3)]
    gate.opened.set()

    thread.close()

    assert all(job.done() for job in jobs)
    with pytest.raises(QueueFullError):
        thread.submit("k", gate.ask, [ROW])
