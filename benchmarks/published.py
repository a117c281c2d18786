"""What do the papers report? Their numbers as reference values, one file a benchmark.

`<benchmark>/published.json` holds what could be read in a source that is named there; a number that
could not be read is not in it, and `missing` says so. All values are fractions, as one's own are.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from benchmarks.catalog import benchmark_class

FILE = "published.json"
WHOLE = "all"
"""Stands for the language of a value that belongs to no single one."""


class KnownError(BaseModel):
    """A place where a paper contradicts itself or its released files."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    table: str
    cell: str
    problem: str


class PublishedValue(BaseModel):
    """One number of a paper."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    benchmark: str
    table: str
    """The paper's number of the table, or what holds the value instead: `abstract`, `data`, …"""
    system: str
    task: str | None
    """As scores name it; None for facts about the data."""
    metric: str
    language: str | None
    subset: str | None
    value: float
    note: str | None
    known_error: str | None
    source: str


class PublishedRow(BaseModel):
    """One line of a table as the file holds it: a system's values by language."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    table: str
    system: str
    task: str | None = None
    metric: str
    subset: str | None = None
    note: str | None = None
    source: str
    """A name in the file's `sources`."""
    values: dict[str, float] = Field(min_length=1)
    notes: dict[str, str] = Field(default_factory=dict)
    """By language, instead of `note`."""
    known_errors: dict[str, str] = Field(default_factory=dict)
    """By language."""


class PublishedTables(BaseModel):
    """A file of published values."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    version: int = Field(alias="schema", ge=1, le=1)
    benchmark: str
    paper: str
    sources: dict[str, str]
    """Where the values were read, by a short name."""
    rows: tuple[PublishedRow, ...]
    known_errors: tuple[KnownError, ...] = ()
    missing: tuple[str, ...] = ()
    """What the paper prints and could not be read."""

    def values(self) -> Iterator[PublishedValue]:
        """Yield every value, line by line."""
        for row in self.rows:
            for language, value in row.values.items():
                yield PublishedValue(
                    benchmark=self.benchmark,
                    table=row.table,
                    system=row.system,
                    task=row.task,
                    metric=row.metric,
                    language=None if language == WHOLE else language,
                    subset=row.subset,
                    value=value,
                    note=row.notes.get(language, row.note),
                    known_error=row.known_errors.get(language),
                    source=self.sources[row.source],
                )


Key = tuple[str | None, str, str | None, str | None]
"""Task, metric, language and subset: what a value must share with a score beside it."""


@cache
def published_tables(benchmark: str) -> PublishedTables | None:
    """Return what is known of a benchmark's paper; None where it ships no such file.

    Raises:
        UnknownNameError: There is no such benchmark.
    """
    path = Path(benchmark_class(benchmark).sample).parent / FILE
    if not path.is_file():
        return None
    return PublishedTables.model_validate(json.loads(path.read_text(encoding="utf-8")))


@cache
def published_by_key(benchmark: str) -> Mapping[Key, tuple[PublishedValue, ...]]:
    """Return the published values that can stand beside a score.

    Raises:
        UnknownNameError: There is no such benchmark.
    """
    tables = published_tables(benchmark)
    found: dict[Key, tuple[PublishedValue, ...]] = {}
    for value in tables.values() if tables is not None else ():
        key = (value.task, value.metric, value.language, value.subset)
        found[key] = (*found.get(key, ()), value)
    return found
