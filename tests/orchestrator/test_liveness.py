"""Why a run stands still, worked by hand."""

from datetime import UTC, datetime, timedelta

from orchestrator.liveness import why_still
from storage.records import Run
from storage.workers import Worker

NOW = datetime(2030, 5, 1, 12, 5, tzinfo=UTC)
SEEN = datetime(2030, 5, 1, 12, 3, tzinfo=UTC)


def run_of(status="running", age_s=3600.0, reason=None):
    return Run(
        **dict.fromkeys(("benchmark", "model", "item_set"), "x"),
        **{name: {} for name in ("spec", "manifest", "settings")},
        id="R",
        n_items=1,
        cells=(),
        seed=0,
        status=status,
        reason=reason,
        created_at=NOW - timedelta(seconds=age_s),
    )


def worker_of(silent_s=1.0, queues=None, ended_at=None):
    return Worker("w", "host:1", queues, SEEN, SEEN, ended_at, silent_s)


def test_a_run_that_is_worked_on_has_no_reason():
    assert why_still(run_of(), [worker_of()], NOW) is None


def test_a_silent_worker_is_told_with_the_time_it_was_seen_last():
    assert why_still(run_of(), [worker_of(silent_s=120.0)], NOW).startswith(
        "no worker since 12:03 UTC;"
    )


def test_another_day_is_written_out():
    tomorrow = NOW + timedelta(days=1)

    assert why_still(run_of(), [worker_of(silent_s=9e4)], tomorrow).startswith(
        "no worker since 2030-05-01 12:03 UTC;"
    )


def test_a_worker_that_ended_or_serves_others_does_not_count():
    others = worker_of(queues=("run-other",))

    assert why_still(run_of(), [others], NOW).startswith("no worker so far;")
    assert why_still(run_of(), [others, worker_of(ended_at=SEEN)], NOW).startswith(
        "no worker since 12:03 UTC;"
    )
    assert why_still(run_of(), [worker_of(queues=("run-R",))], NOW) is None


def test_a_queued_run_waits_its_turn_only_after_a_minute():
    assert why_still(run_of("queued", 30.0), [worker_of()], NOW) is None
    assert why_still(run_of("queued", 90.0), [worker_of()] * 2, NOW) == (
        "waits its turn: 2 workers are busy with other runs"
    )


def test_a_run_that_is_new_or_over_needs_no_worker():
    assert why_still(run_of(age_s=5.0), [], NOW) is None
    for status in ("paused", "finished", "failed", "cancelled"):
        assert why_still(run_of(status), [], NOW) is None
