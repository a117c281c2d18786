"""What every benchmark is made of: items, cases, outcomes, and the protocol around them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict

from benchmarks.requests import Request, RequestKind
from benchmarks.responses import Response


@dataclass(frozen=True, slots=True)
class Item:
    """One question of a benchmark, complete: workers never see the data files."""

    id: str
    """Its name in the released data, as request keys spell it."""
    language: str
    """As scores spell it (`en_de` for a Stingray pair)."""
    subset: str | None
    unit: str
    """The sampling unit of intervals: word, concept, group, lemma or pair."""
    fields: Mapping[str, Any]
    """Whatever the benchmark needs to ask and judge; JSON values only."""


@dataclass(frozen=True, slots=True)
class Case:
    """An item asked in one way: what an outcome belongs to."""

    item: Item
    task: str
    variant: str = ""
    """What is asked more than once of one item and task (`seed1`, `L1`); usually empty."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the responses to one case are worth."""

    value: float | None
    """1.0 right, 0.0 wrong, or the predicted number; None where the case is unscored."""
    is_valid: bool = True
    """Whether the answer could be read; an unreadable answer lowers the coverage."""
    detail: Mapping[str, Any] = field(default_factory=dict)
    """How it was judged, in JSON values: what was predicted, the gold, other settings' verdicts."""
    baselines: Mapping[str, float | None] = field(default_factory=dict)
    """What the degenerate baselines would have got on this case."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which items are wanted."""

    languages: tuple[str, ...] = ()
    """Empty: every language the data has."""
    limit: int | None = None
    """The first N items of each language in data order."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing `polysense check` noticed."""

    level: Literal["error", "warning", "info"]
    message: str
    file: str | None = None
    line: int | None = None
    """1-based."""


@dataclass(frozen=True, slots=True)
class Count:
    """One cell of the expected-counts manifest held against the data."""

    language: str
    split: str
    expected: int | None
    """What the paper says; None where it says nothing."""
    observed: int


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What `polysense check` found in a data folder."""

    counts: Sequence[Count]
    findings: Sequence[Finding]


class BenchmarkSettings(BaseModel):
    """Settings arrive as strings and are refused if unknown."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Benchmark(Protocol):
    """A benchmark bound to its settings; everything in it is pure but for reading data files."""

    name: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str]
    """Author year (arXiv:id)."""
    unit: ClassVar[str]
    """The word for the sampling unit: word, concept, group, lemma, pair."""
    tasks: ClassVar[tuple[str, ...]]
    prompt_version: ClassVar[str]
    """Changes whenever a template changes."""
    judge_version: ClassVar[str]
    """Changes whenever a judge decides differently."""
    settings_class: ClassVar[type[BenchmarkSettings]]
    settings: BenchmarkSettings
    sample: ClassVar[Path]
    """The folder with the self-written items, in the released layout."""

    def __init__(self, settings: BenchmarkSettings) -> None:
        """Bind the settings."""
        ...

    @property
    def prompt_hashes(self) -> Mapping[str, str]:
        """The checksum of every template this run may ask with, by name."""
        ...

    def kinds(self, task: str) -> frozenset[RequestKind]:
        """Return the kinds of request the task sends under these settings."""
        ...

    def variants(self, task: str, seed: int | None) -> tuple[str, ...]:
        """Return the variants each item has in the task; `("",)` for most.

        Args:
            task: One of `tasks`.
            seed: The run's seed; None if the user gave none (then it counts as 0).
        """
        ...

    def languages(self, folder: Path) -> tuple[str, ...]:
        """Return the languages the folder has, in a fixed order.

        Raises:
            DataError: The folder is missing or holds none.
        """
        ...

    def files(self, folder: Path, languages: Sequence[str]) -> list[Path]:
        """Return every file that items of these languages are read from."""
        ...

    def items(self, folder: Path, selection: Selection) -> Iterator[Item]:
        """Read items in data order, language by language; streams where the layout allows.

        Raises:
            DataError: A file is missing, or a row is not as its authors lay it out.
            UnknownNameError: A language the folder does not have.
        """
        ...

    def check(self, folder: Path, languages: Sequence[str]) -> CheckReport:
        """Lint the data: counts against the paper's, leakage, suspicious rows."""
        ...

    def requests(self, case: Case, seed: int) -> tuple[Request, ...]:
        """Return what must be asked first; their `part`s are distinct within the case."""
        ...

    def follow_up(
        self, case: Case, seed: int, responses: Mapping[str, Response]
    ) -> tuple[Request, ...]:
        """Return what must be asked again, given the responses by part; often nothing."""
        ...

    def judge(self, case: Case, seed: int, responses: Mapping[str, Response]) -> Outcome | None:
        """Decide what the responses are worth.

        Args:
            case: The item and how it was asked.
            seed: The run's seed, as given to `requests`.
            responses: By part; every part of `requests` is there, a follow-up's may be missing.

        Returns:
            None where only `conclude` can decide.
        """
        ...

    def baselines(self) -> Mapping[str, tuple[str, ...]]:
        """Return the degenerate baselines and the tasks each one answers."""
        ...

    def baseline(self, case: Case, name: str) -> Outcome:
        """Answer a case without a model."""
        ...


@runtime_checkable
class Cautioning(Protocol):
    """A benchmark whose settings may not fit the tasks, languages or data of a run."""

    def cautions(
        self, folder: Path, languages: Sequence[str], tasks: Sequence[str]
    ) -> Sequence[str]:
        """Return what a user should hear before a run begins; often nothing.

        Raises:
            SettingError: A setting would do nothing, or leave a language unasked.
        """
        ...


@runtime_checkable
class Concluding(Protocol):
    """A benchmark with a task that is decided over the whole set at once (probes)."""

    concluded_tasks: ClassVar[tuple[str, ...]]
    """The tasks whose `judge` returns None."""

    def conclude(
        self,
        task: str,
        seed: int,
        answered: Iterable[tuple[Case, Mapping[str, Response]]],
        *,
        tell: Callable[[str], None] | None = None,
    ) -> Iterable[tuple[Case, Outcome]]:
        """Decide every case of a task together, once a run.

        Args:
            task: One of `concluded_tasks`.
            seed: The run's seed.
            answered: The cases with their responses by part.
            tell: Takes a short line on how far the work is; any number of times.
        """
        ...
