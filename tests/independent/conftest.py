"""A run without services: data folder in, answers in, outcome rows and scores out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from benchmarks.benchmark import Benchmark, Case, Selection
from benchmarks.catalog import open_benchmark
from benchmarks.requests import Request
from benchmarks.responses import Response, parse_response
from metrics.catalog import scores_of
from metrics.score import Score
from metrics.table import OutcomeRow

Answer = Callable[[Request], Mapping[str, Any] | None]
"""A request's payload as a replay line has it; None: nothing recorded."""


@dataclass
class Judged:
    """Everything that a run leaves behind."""

    rows: list[OutcomeRow]
    scores: list[Score]
    requests: dict[str, Request]

    def score(self, metric: str, **dimensions: Any) -> Score:
        """Return the one score with these dimensions; those not named are None."""
        wanted = {"task": None, "language": None, "subset": None, "setting": None, **dimensions}
        found = [
            score
            for score in self.scores
            if score.metric == metric
            and all(getattr(score, name) == value for name, value in wanted.items())
        ]
        assert len(found) == 1, f"{len(found)} scores {metric} {wanted}"
        return found[0]

    def check_shapes(self) -> None:
        """Hold every score to what all scores promise."""
        for score in self.scores:
            if score.unit != "way of asking":  # a spread of a few ways has no interval
                assert (score.reason is None) == (score.interval is not None), score
            assert (score.value is not None) or (score.ci_low is None), score
            if score.interval is not None:
                assert score.ci_low - 1e-12 <= score.value <= score.ci_high + 1e-12, score


def run_benchmark(
    name: str,
    folder: Path,
    answer: Answer,
    settings: Mapping[str, str] | None = None,
    tasks: tuple[str, ...] | None = None,
) -> Judged:
    """Ask and judge every case of a folder, as a worker would."""
    benchmark = open_benchmark(name, settings)
    judged = Judged([], [], {})
    for number, item in enumerate(benchmark.items(folder, Selection())):
        for task in tasks or benchmark.tasks:
            for variant in benchmark.variants(task, None):
                case = Case(item, task, variant)
                judged.rows.append(_row(benchmark, case, number, answer, judged.requests))
    judged.scores = scores_of(name, judged.rows, benchmark.settings.model_dump(mode="json"), 0)
    return judged


def _row(
    benchmark: Benchmark, case: Case, number: int, answer: Answer, seen: dict[str, Request]
) -> OutcomeRow:
    responses: dict[str, Response] = {}
    requests = benchmark.requests(case, 0)
    is_answered = True
    while requests and is_answered:
        for request in requests:
            seen[request.key] = request
            payload = answer(request)
            if payload is not None:
                responses[request.part] = parse_response(request, payload)
            elif not request.key.endswith("/retry"):
                is_answered = False
        asked = benchmark.follow_up(case, 0, responses) if is_answered else ()
        requests = tuple(request for request in asked if request.key not in seen)
    outcome = benchmark.judge(case, 0, responses) if is_answered else None
    facts = (number, case.item.id, case.item.language, case.item.subset, case.item.unit, case.task)
    if outcome is None:
        return OutcomeRow(*facts, case.variant, "unanswered", None)
    status = "valid" if outcome.is_valid else "invalid"
    return OutcomeRow(
        *facts, case.variant, status, outcome.value, outcome.detail, outcome.baselines
    )


@pytest.fixture(scope="session")
def run_in_process() -> Callable[..., Judged]:
    """Return `run_benchmark`; test modules cannot import one another."""
    return run_benchmark
