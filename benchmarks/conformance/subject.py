"""What a promise is tried on: a benchmark, its sample, and a few cases of every kind."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.benchmark import Benchmark, BenchmarkSettings, Case, Item, Selection

SEEDS = (None, 0, 7)


class BrokenPromiseError(Exception):
    """One sentence: which promise, where, and what was met instead."""


def require(condition: bool, sentence: str) -> None:
    """Insist on something.

    Raises:
        BrokenPromiseError: It is not so.
    """
    if not condition:
        raise BrokenPromiseError(sentence)


@contextmanager
def doing(what: str) -> Iterator[None]:
    """Tell what was being done when a benchmark's own code raised something.

    Raises:
        BrokenPromiseError: It did.
    """
    try:
        yield
    except BrokenPromiseError:
        raise
    except (Exception, SystemExit) as error:
        raised = " ".join(f"{type(error).__name__}: {error}".split())
        raise BrokenPromiseError(f"{what} raised {raised}") from error


@dataclass(frozen=True)
class Subject:
    """A benchmark under test; everything is read once, and opened as often as a promise likes."""

    found: type[Benchmark]
    given: Mapping[str, Any] = field(default_factory=dict)
    """Settings, as a user would give them."""

    def open(self) -> Benchmark:
        """Return the benchmark bound anew."""
        settings: BenchmarkSettings = self.found.settings_class.model_validate(dict(self.given))
        return self.found(settings)

    @cached_property
    def benchmark(self) -> Benchmark:
        """The benchmark, bound once."""
        return self.open()

    @property
    def folder(self) -> Path:
        """The sample's."""
        return self.found.sample

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """Every item of the sample, in data order."""
        return tuple(self.benchmark.items(self.folder, Selection()))

    @cached_property
    def chosen(self) -> tuple[Item, ...]:
        """The first and the last item of each language and subset."""
        groups: dict[tuple[str, str | None], list[Item]] = {}
        for item in self.items:
            groups.setdefault((item.language, item.subset), []).append(item)
        ends = (item for group in groups.values() for item in (group[0], group[-1]))
        return tuple({id(item): item for item in ends}.values())

    def cases(self, items: tuple[Item, ...], seed: int | None = None) -> Iterator[Case]:
        """Yield the items in every task and variant."""
        for task in self.benchmark.tasks:
            for variant in self.benchmark.variants(task, seed):
                for item in items:
                    yield Case(item, task, variant)


def name_of(case: Case) -> str:
    """Spell a case for a sentence."""
    variant = f" {case.variant!r}" if case.variant else ""
    return f"{case.task}{variant} of {case.item.language} {case.item.id!r}"
