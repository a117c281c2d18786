"""What a bundle says of a run, line by line, and the checks that it fits together."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from benchmarks.benchmark import Item, Outcome
from benchmarks.responses import FiniteFloat
from benchmarks.validation import first_problem
from metrics.score import Score
from metrics.table import OutcomeRow
from orchestrator.planning import fingerprint_items
from orchestrator.spec import RunSpec
from services.bundle_files import PARTS, RUN_ID, BundleError, parse_json
from storage.records import Failure, NewRun, Run, RunStatus, StoredOutcome

Record = TypeVar("Record", bound=BaseModel)


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RunRecord(_Record):
    """A run without what hangs on it."""

    id: str = Field(pattern=f"^{RUN_ID}$")
    benchmark: str
    model: str
    spec: dict[str, Any]
    manifest: dict[str, Any]
    item_set: str
    n_items: int = Field(ge=0, le=2**31 - 1)
    cells: tuple[tuple[str, str], ...]
    settings: dict[str, Any]
    seed: int
    status: RunStatus
    reason: str | None
    note: str | None
    tags: tuple[str, ...]
    created_at: str

    @classmethod
    def of(cls, run: Run) -> Self:
        """Return what is told of a stored run."""
        names = [name for name in cls.model_fields if name != "created_at"]
        return cls(
            **{name: getattr(run, name) for name in names}, created_at=run.created_at.isoformat()
        )

    def new_run(self, imported: Mapping[str, str]) -> NewRun:
        """Return the run as it is stored, with where it came from in its manifest."""
        told = {**imported, "created_at": self.created_at}
        return NewRun(
            id=self.id,
            benchmark=self.benchmark,
            model=self.model,
            spec=self.spec,
            manifest={**self.manifest, "imported": told},
            item_set=self.item_set,
            n_items=self.n_items,
            cells=self.cells,
            settings=self.settings,
            seed=self.seed,
        )


class ItemRecord(_Record):
    """One item; its number is the number of its line."""

    id: str
    language: str
    subset: str | None
    unit: str
    fields: dict[str, Any]


class OutcomeRecord(_Record):
    """What one case's answer was worth."""

    number: int = Field(ge=0)
    task: str
    variant: str
    is_valid: bool
    value: FiniteFloat | None
    detail: dict[str, Any]
    baselines: dict[str, FiniteFloat | None]


class FailureRecord(_Record):
    """Why a case has no answer."""

    number: int = Field(ge=0)
    task: str
    variant: str
    error: str
    detail: str
    request_key: str
    n_attempts: int


class RunBundle:
    """Everything a bundle holds of one run, checked."""

    def __init__(self, path: Path, files: Mapping[str, bytes], run_id: str) -> None:
        """Read a run's files.

        Raises:
            BundleError: A file is missing or malformed, or they do not fit together.
        """
        self._path, self._folder = path, f"runs/{run_id}"
        for part in PARTS:
            if f"{self._folder}/{part}" not in files:
                raise BundleError(f"{path}: {self._folder}/{part} is missing from the archive")
        self._files = files
        self.run = self._record("run.json", RunRecord)
        self.items = [
            Item(**record.model_dump()) for record in self._lines("items.jsonl", ItemRecord)
        ]
        self._outcomes = self._lines("outcomes.jsonl", OutcomeRecord)
        self.failures = [
            Failure(**record.model_dump())
            for record in self._lines("failures.jsonl", FailureRecord)
        ]
        self.scores = self._scores()
        self._check(run_id)

    def rows(self) -> list[OutcomeRow]:
        """Return every case, cell by cell in the order of the items."""
        by_case = {(each.task, each.variant, each.number): each for each in self._outcomes}
        return [
            _row(number, item, cell, by_case.get((*cell, number)))
            for cell in self.run.cells
            for number, item in enumerate(self.items)
        ]

    def outcomes(self) -> list[StoredOutcome]:
        """Return the outcomes as they are stored; the responses behind them stay where they are."""
        return [
            StoredOutcome(
                number=each.number,
                task=each.task,
                variant=each.variant,
                language=self.items[each.number].language,
                subset=self.items[each.number].subset,
                unit=self.items[each.number].unit,
                outcome=Outcome(each.value, each.is_valid, each.detail, each.baselines),
            )
            for each in self._outcomes
        ]

    def _check(self, run_id: str) -> None:
        run = self.run
        if run.id != run_id:
            raise self._wrong("run.json", f"it calls itself {run.id}")
        benchmark = run.manifest.get("benchmark")
        if not isinstance(benchmark, dict) or "judge_version" not in benchmark:
            raise self._wrong("run.json", "its manifest does not name the judge's version")
        self._validated("run.json, spec", RunSpec, run.spec)
        item_set, n_items = fingerprint_items(self.items)
        if (item_set, n_items) != (run.item_set, run.n_items):
            raise self._wrong("items.jsonl", "the items are not those of the run")
        cells: set[tuple[str, str]] = set(run.cells)
        seen: set[tuple[int, str, str]] = set()
        told: dict[str, Sequence[OutcomeRecord | Failure]] = {
            "outcomes.jsonl": self._outcomes,
            "failures.jsonl": self.failures,
        }
        cases = [
            (f"{name}, line {line}", (each.number, each.task, each.variant))
            for name, records in told.items()
            for line, each in enumerate(records, start=1)
        ]
        for place, case in cases:
            is_known = case[0] < n_items and case[1:] in cells
            if not is_known or case in seen:
                raise self._wrong(place, f"{case} {'twice' if is_known else 'is no case of it'}")
            seen.add(case)

    def _scores(self) -> list[Score]:
        found = parse_json(self._path, "scores.json", self._files[f"{self._folder}/scores.json"])
        if not isinstance(found, list):
            raise self._wrong("scores.json", "it is no list")
        try:
            return [Score.model_validate(score) for score in found]
        except ValidationError as error:
            raise self._wrong("scores.json", first_problem(error)) from error

    def _record(self, name: str, record: type[Record]) -> Record:
        found = parse_json(self._path, name, self._files[f"{self._folder}/{name}"])
        return self._validated(name, record, found)

    def _lines(self, name: str, record: type[Record]) -> list[Record]:
        lines = self._files[f"{self._folder}/{name}"].splitlines()
        return [
            self._validated(f"{name}, line {number}", record, parse_json(self._path, name, line))
            for number, line in enumerate(lines, start=1)
        ]

    def _validated(self, place: str, record: type[Record], found: object) -> Record:
        try:
            return record.model_validate(found)
        except ValidationError as error:
            raise self._wrong(place, first_problem(error)) from error

    def _wrong(self, place: str, why: str) -> BundleError:
        return BundleError(f"{self._path}: {self._folder}/{place}: {why}")


def item_lines(items: Sequence[Item]) -> list[dict[str, Any]]:
    """Return items as they stand in a bundle."""
    return [asdict(item) for item in items]


def outcome_lines(rows: Sequence[OutcomeRow]) -> list[dict[str, Any]]:
    """Return the answered cases as they stand in a bundle."""
    return [
        {
            "number": row.number,
            "task": row.task,
            "variant": row.variant,
            "is_valid": row.status == "valid",
            "value": row.value,
            "detail": row.detail,
            "baselines": row.baselines,
        }
        for row in rows
        if row.status != "unanswered"
    ]


def _row(
    number: int, item: Item, cell: tuple[str, str], outcome: OutcomeRecord | None
) -> OutcomeRow:
    status: Any = "unanswered"
    if outcome is not None:
        status = "valid" if outcome.is_valid else "invalid"
    return OutcomeRow(
        number=number,
        item_id=item.id,
        language=item.language,
        subset=item.subset,
        unit=item.unit,
        task=cell[0],
        variant=cell[1],
        status=status,
        value=None if outcome is None else outcome.value,
        detail={} if outcome is None else outcome.detail,
        baselines={} if outcome is None else outcome.baselines,
    )
