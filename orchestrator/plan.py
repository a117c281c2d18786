"""What must be asked: the cells of a run, its ranges, and the cases that have no outcome yet."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from benchmarks.benchmark import Benchmark, Case
from benchmarks.errors import UnknownNameError
from benchmarks.requests import RequestKind
from orchestrator.errors import WrongUseError
from storage.records import StoredItem

Cell = tuple[str, str]
"""A task and one of its variants; every item of a run is asked in each cell."""


@dataclass(frozen=True, slots=True)
class NumberedCase:
    """A case with its item's 0-based position in the run's data."""

    number: int
    case: Case


@dataclass(frozen=True, slots=True)
class TaskChoice:
    """Which tasks a run asks, and which ones the model cannot serve, with the reason."""

    tasks: tuple[str, ...]
    skipped: dict[str, str]


def check_tasks(benchmark: Benchmark, wanted: Sequence[str]) -> None:
    """Refuse a task the benchmark does not have.

    Raises:
        UnknownNameError: There is no such task.
    """
    for task in wanted:
        if task not in benchmark.tasks:
            allowed = ", ".join(benchmark.tasks)
            raise UnknownNameError(f"unknown task {task!r} of {benchmark.name}; allowed: {allowed}")


def choose_tasks(
    benchmark: Benchmark, wanted: Sequence[str], kinds: AbstractSet[RequestKind], model: str
) -> TaskChoice:
    """Pick the tasks a model can serve; all of the wanted ones, or as many as it can.

    Raises:
        UnknownNameError: There is no such task.
        WrongUseError: A wanted task, or every task, needs what the model does not have.
    """
    check_tasks(benchmark, wanted)
    skipped = {}
    for task in wanted or benchmark.tasks:
        missing = benchmark.kinds(task) - kinds
        if missing:
            skipped[task] = f"needs {', '.join(sorted(missing))}"
    chosen = tuple(task for task in wanted or benchmark.tasks if task not in skipped)
    if not chosen or (wanted and skipped):
        reasons = "; ".join(f"{task} {reason}" for task, reason in skipped.items())
        serves = ", ".join(sorted(kinds)) or "nothing"
        raise WrongUseError(f"model {model} serves {serves}, but {benchmark.name} {reasons}")
    return TaskChoice(tasks=chosen, skipped=skipped)


def choose_baseline_tasks(benchmark: Benchmark, wanted: Sequence[str], name: str) -> TaskChoice:
    """Pick the tasks a baseline answers.

    Raises:
        UnknownNameError: There is no such task or baseline.
        WrongUseError: The baseline does not answer a wanted task.
    """
    check_tasks(benchmark, wanted)
    baselines = benchmark.baselines()
    if name not in baselines:
        allowed = ", ".join(baselines) or "none"
        message = f"unknown baseline {name!r} of {benchmark.name}; allowed: {allowed}"
        raise UnknownNameError(message)
    served = baselines[name]
    if refused := [task for task in wanted if task not in served]:
        raise WrongUseError(f"baseline {name} answers {', '.join(served)}, not {refused[0]}")
    asked = wanted or benchmark.tasks
    skipped = {task: f"baseline {name} does not answer it" for task in asked if task not in served}
    return TaskChoice(tasks=tuple(task for task in asked if task in served), skipped=skipped)


def cells(benchmark: Benchmark, tasks: Sequence[str], seed: int | None) -> tuple[Cell, ...]:
    """Return every (task, variant) in which each item is asked."""
    return tuple((task, variant) for task in tasks for variant in benchmark.variants(task, seed))


def ranges(n_items: int, batch_items: int) -> Iterator[tuple[int, int]]:
    """Cut the items into half-open ranges, one a job."""
    for first in range(0, n_items, batch_items):
        yield first, min(first + batch_items, n_items)


def open_cases(
    items: Sequence[StoredItem],
    run_cells: Sequence[Cell],
    done: AbstractSet[tuple[int, str, str]],
) -> list[NumberedCase]:
    """Return the cases of these items that have no outcome yet."""
    return [
        NumberedCase(stored.number, Case(stored.item, task, variant))
        for stored in items
        for task, variant in run_cells
        if (stored.number, task, variant) not in done
    ]
