"""Runs to draw: a benchmark's sample, or cases written here, answered by a rule."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from benchmarks.benchmark import Case, Selection
from benchmarks.catalog import benchmark_class, open_benchmark
from metrics.catalog import scores_of
from metrics.figures.figure import FigureRun
from metrics.table import OutcomeRow
from services.figures import FigureFormat, render_figure


@pytest.fixture
def sample_run() -> Callable[..., FigureRun]:
    """Return a function that answers a benchmark's sample with a baseline of each task."""

    def run(
        benchmark: str, baseline_by_task: Mapping[str, str], *, model: str = "m", run_id: str = "r1"
    ) -> FigureRun:
        opened = open_benchmark(benchmark)
        items = list(opened.items(Path(benchmark_class(benchmark).sample), Selection()))
        rows = []
        for task, baseline in baseline_by_task.items():
            for variant in opened.variants(task, None):
                for number, item in enumerate(items):
                    judged = opened.baseline(Case(item, task, variant), baseline)
                    rows.append(
                        OutcomeRow(
                            number, item.id, item.language, item.subset, item.unit, task, variant,
                            "valid", judged.value, judged.detail, judged.baselines,
                        )
                    )  # fmt: skip
        return made_run(benchmark, rows, model=model, run_id=run_id)

    return run


@pytest.fixture
def run_of_rows() -> Callable[..., FigureRun]:
    """Return a function that scores some cases as a run."""
    return made_run


def made_run(benchmark, rows, *, model="m", run_id="r1", settings=None) -> FigureRun:
    """Score rows and make a run of them."""
    scores = scores_of(benchmark, rows, settings or {}, 0)
    return FigureRun(run_id, benchmark, model, settings or {}, scores, rows)


@pytest.fixture
def compiles() -> Callable[..., str]:
    """Return a function that compiles a figure in both themes and returns the light SVG."""

    def compile_both(figure):
        dark = render_figure(figure, FigureFormat.SVG, is_dark=True)
        assert dark.startswith(b"<svg")
        return render_figure(figure, FigureFormat.SVG).decode()

    return compile_both
