"""Run files: models × benchmarks × settings, written down in YAML and read with their lines."""

import hashlib
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from benchmarks.errors import BenchmarkError
from benchmarks.validation import problem_reason
from orchestrator.errors import WrongUseError
from orchestrator.planning import open_source
from orchestrator.run import Labels
from orchestrator.spec import RunSpec, parse_model
from services.cli.exits import UsageError
from services.cli.options import absolute_model
from services.cli.yaml_lines import Lines, YamlError, read_yaml

SUFFIXES = (".yaml", ".yml")
MAX_RUNS = 10_000


def _as_entry(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


def _as_list(value: object) -> object:
    return value if isinstance(value, list) else [value]


Setting = bool | int | float | str
Settings = dict[str, Annotated[list[Setting], BeforeValidator(_as_list)]]
Names = Annotated[tuple[str, ...], BeforeValidator(_as_list)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class BenchmarkEntry(_Strict):
    """One benchmark of a file; what it leaves out is as the file says for all."""

    name: str
    tasks: Names = ()
    languages: Names | None = None
    data: str | None = None
    """Relative to the file."""
    limit: int | None = None
    seed: int | None = None
    batch_items: int | None = None
    budget: float | None = None
    """Of each run; a larger one lets a run that has reached its own go on."""
    settings: Settings = Field(default_factory=dict)
    """A list of values is a sweep: one run for each."""


class RunFile(_Strict):
    """What a file says."""

    name: str | None = Field(default=None, min_length=1, max_length=100)
    """Of the group; None: after the file."""
    models: Annotated[Names, Field(min_length=1)]
    benchmarks: tuple[Annotated[BenchmarkEntry, BeforeValidator(_as_entry)], ...] = Field(
        min_length=1
    )
    settings: Settings = Field(default_factory=dict)
    languages: Names = ()
    limit: int | None = None
    seed: int | None = None
    batch_items: int | None = None
    budget: float | None = None
    use_cache: bool = True
    note: str | None = None
    tags: Names = ()
    webhook: str | None = None


@dataclass(frozen=True)
class Entry:
    """One run of a file."""

    spec: RunSpec
    line: int
    """Where its benchmark stands."""


@dataclass(frozen=True)
class RunGroup:
    """All runs of a file."""

    name: str
    entries: tuple[Entry, ...]
    labels: Labels

    @property
    def key(self) -> str:
        """The idempotency key of its runs: each spec is made once."""
        return f"file:{self.name}"


def is_run_file(word: str) -> bool:
    """Say whether a word names a run file and not a benchmark."""
    return word.endswith(SUFFIXES)


def read_run_file(path: Path) -> RunGroup:
    """Read a file and check all that can be checked without a model.

    Raises:
        UsageError: Says what is wrong, with file and line.
    """
    try:
        document, lines = read_yaml(path)
    except YamlError as error:
        raise UsageError(str(error)) from error
    try:
        found = RunFile.model_validate(document)
    except ValidationError as error:
        raise UsageError(_first_problem(path, error, lines)) from error
    _check_models(path, found, lines)
    entries = tuple(itertools.islice(_entries(path, found, lines), MAX_RUNS + 1))
    if len(entries) > MAX_RUNS:
        raise UsageError(f"{path}: more than {MAX_RUNS} runs; split the file")
    name = found.name or _name_of(path)
    labels = Labels(found.note, (*found.tags, f"group:{name}"), found.webhook)
    return RunGroup(name, entries, labels)


def _check_models(path: Path, found: RunFile, lines: Lines) -> None:
    for position, model in enumerate(found.models):
        try:
            parse_model(model)
        except WrongUseError as error:
            raise UsageError(f"{path}:{lines.of(('models', position))}: {error}") from error


def _entries(path: Path, found: RunFile, lines: Lines) -> Iterator[Entry]:
    for model, (position, entry) in itertools.product(found.models, enumerate(found.benchmarks)):
        line = lines.of(("benchmarks", position))
        for settings in _sweep({**found.settings, **entry.settings}):
            try:
                spec = _spec(path.parent, found, entry, model, settings)
                open_source(spec)
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                own = lines.of(("benchmarks", position, *first["loc"]))
                raise UsageError(
                    f"{path}:{own}: {first['loc'][0]}: {problem_reason(first)}"
                ) from error
            except (BenchmarkError, WrongUseError) as error:
                raise UsageError(f"{path}:{line}: {error}") from error
            yield Entry(spec, line)


def _spec(
    folder: Path, found: RunFile, entry: BenchmarkEntry, model: str, settings: Mapping[str, str]
) -> RunSpec:
    def chosen(name: str) -> Any:  # noqa: ANN401  # whatever the field holds
        own = getattr(entry, name)
        return getattr(found, name) if own is None else own

    given = {
        "benchmark": entry.name,
        "model": absolute_model(model),
        "tasks": entry.tasks,
        "languages": chosen("languages"),
        "data": None if entry.data is None else str((folder / entry.data).expanduser().resolve()),
        "limit": chosen("limit"),
        "seed": chosen("seed"),
        "batch_items": chosen("batch_items"),
        "budget": chosen("budget"),
        "settings": dict(settings),
        "use_cache": found.use_cache,
    }
    return RunSpec.model_validate({name: v for name, v in given.items() if v is not None})


def _sweep(settings: Settings) -> Iterator[dict[str, str]]:
    names = list(settings)
    for values in itertools.product(*settings.values()):
        yield {name: _text(value) for name, value in zip(names, values, strict=True)}


def _text(value: Setting) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _first_problem(path: Path, error: ValidationError, lines: Lines) -> str:
    problems = error.errors(include_url=False)
    # A misspelt word is also a missing one; the first is what to mend.
    first = min(problems, key=lambda problem: problem["type"] != "extra_forbidden")
    name = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return f"{path}:{lines.of(first['loc'])}: unknown word {first['loc'][-1]!r}"
    return f"{path}:{lines.of(first['loc'])}: {name or 'the file'}: {problem_reason(first)}"


def _name_of(path: Path) -> str:
    digest = hashlib.sha256(str(path.resolve()).encode()).hexdigest()
    return f"{path.stem}-{digest[:8]}"
