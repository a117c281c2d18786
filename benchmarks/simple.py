"""A start for a benchmark of your own: one JSON-lines file a language, one question an item.

What a benchmark says of itself, how it asks and how it judges are left to it; the rest of the
protocol is filled here. A file is called `<language>.jsonl` and each of its lines is an object with
the benchmark's `columns`, and with `subset` and `unit` where there are such things. An item's id is
its line, counted from 0.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from benchmarks.benchmark import (
    BenchmarkSettings,
    Case,
    CheckReport,
    Count,
    Item,
    Outcome,
    Selection,
)
from benchmarks.errors import DataError, UnknownNameError
from benchmarks.prompt_file import template_hash
from benchmarks.requests import Request, RequestKind
from benchmarks.responses import Response

SUFFIX = ".jsonl"


class SimpleBenchmark:
    """Fills the protocol but for `name`, `tasks`, `columns`, `sample`, `requests` and `judge`."""

    name: ClassVar[str]
    title: ClassVar[str] = ""
    paper: ClassVar[str] = "unpublished"
    unit: ClassVar[str] = "item"
    tasks: ClassVar[tuple[str, ...]]
    kind: ClassVar[RequestKind] = RequestKind.GENERATE
    """The kind of every request."""
    prompt: ClassVar[str] = ""
    """The template that every task asks with, if there is one."""
    columns: ClassVar[tuple[str, ...]]
    """What each line of the data must hold; an item's fields."""
    prompt_version: ClassVar[str] = "1"
    judge_version: ClassVar[str] = "1"
    settings_class: ClassVar[type[BenchmarkSettings]] = BenchmarkSettings
    sample: ClassVar[Path]

    def __init__(self, settings: BenchmarkSettings) -> None:
        """Bind the settings."""
        self.settings: BenchmarkSettings = settings

    @property
    def prompt_hashes(self) -> Mapping[str, str]:
        """The checksum of the template."""
        return {"prompt": template_hash(self.prompt)} if self.prompt else {}

    def key(self, case: Case) -> str:
        """Return the key of a case's only request."""
        return f"{self.name}/{case.task}/{case.item.language}/{case.item.id}"

    def kinds(self, task: str) -> frozenset[RequestKind]:
        """Return the one kind."""
        return frozenset({self.kind})

    def variants(self, task: str, seed: int | None) -> tuple[str, ...]:
        """Return one variant: everything is asked once."""
        return ("",)

    def languages(self, folder: Path) -> tuple[str, ...]:
        """Return the languages that have a file, sorted."""
        found = tuple(sorted(path.stem for path in folder.glob(f"*{SUFFIX}")))
        if not found:
            raise DataError(f"{folder} holds no <language>{SUFFIX}")
        return found

    def files(self, folder: Path, languages: Sequence[str]) -> list[Path]:
        """Return the file of each language."""
        return [folder / f"{language}{SUFFIX}" for language in self._chosen(folder, languages)]

    def items(self, folder: Path, selection: Selection) -> Iterator[Item]:
        """Read the lines of each language in order."""
        for path in self.files(folder, selection.languages):
            yield from islice(self._read(path), selection.limit)

    def check(self, folder: Path, languages: Sequence[str]) -> CheckReport:
        """Count the items of each language; there is nothing to hold them against."""
        chosen = self._chosen(folder, languages)
        items = list(self.items(folder, Selection(chosen)))
        counts = [
            Count(language, "all", None, sum(item.language == language for item in items))
            for language in chosen
        ]
        return CheckReport(counts, ())

    def requests(self, case: Case, seed: int) -> tuple[Request, ...]:
        """Return what is asked; `key` spells the key."""
        raise NotImplementedError(f"{type(self).__name__} says what is asked")

    def follow_up(
        self, case: Case, seed: int, responses: Mapping[str, Response]
    ) -> tuple[Request, ...]:
        """Return nothing: no case is asked again."""
        return ()

    def judge(self, case: Case, seed: int, responses: Mapping[str, Response]) -> Outcome | None:
        """Decide what the response is worth."""
        raise NotImplementedError(f"{type(self).__name__} says what an answer is worth")

    def baselines(self) -> Mapping[str, tuple[str, ...]]:
        """Return no baseline."""
        return {}

    def baseline(self, case: Case, name: str) -> Outcome:
        """Refuse: there is none."""
        allowed = ", ".join(self.baselines()) or "none"
        raise UnknownNameError(f"unknown baseline {name!r} of {self.name}; allowed: {allowed}")

    def _chosen(self, folder: Path, languages: Sequence[str]) -> tuple[str, ...]:
        found = self.languages(folder)
        if missing := [language for language in languages if language not in found]:
            allowed = ", ".join(found)
            raise UnknownNameError(f"{folder} has no language {missing[0]!r}; it has: {allowed}")
        return tuple(languages) or found

    def _read(self, path: Path) -> Iterator[Item]:
        with path.open("rb") as file:
            for number, line in enumerate(file):
                if line.strip():
                    yield self._item(path, number, line)

    def _item(self, path: Path, number: int, line: bytes) -> Item:
        place = f"{path}:{number + 1}"
        try:
            row: Any = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(f"{place}: not JSON: {error}") from error
        missing = [name for name in self.columns if not isinstance(row, dict) or name not in row]
        if missing:
            raise DataError(f"{place}: no {missing[0]!r}; a line holds {', '.join(self.columns)}")
        fields = {name: row[name] for name in self.columns}
        subset = row.get("subset")
        return Item(
            id=str(number),
            language=path.stem,
            subset=None if subset is None else str(subset),
            unit=str(row.get("unit", f"{path.stem}/{number}")),
            fields=fields,
        )
