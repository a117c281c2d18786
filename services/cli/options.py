"""Options that several commands share, and how they become a spec."""

import os
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from benchmarks.validation import problem_reason
from orchestrator.spec import RunSpec
from services.cli.exits import UsageError

BenchmarkArgument = Annotated[str, typer.Argument(help="stingray, dtails, xcomps, dibimt, semrel")]
RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="A run's id, or `last`.")]
ModelOption = Annotated[str, typer.Option("--model", help="What is measured; see the README.")]
TaskOption = Annotated[list[str], typer.Option("--task", help="A way of asking; repeatable.")]
LanguageOption = Annotated[
    list[str], typer.Option("--language", help="As the data spells it; repeatable.")
]
DataOption = Annotated[
    str | None, typer.Option("--data", help="A folder as the authors lay it out; else the sample.")
]
LimitOption = Annotated[int | None, typer.Option("--limit", help="First N items a language.")]
SeedOption = Annotated[int | None, typer.Option("--seed", help="Default 0.")]
SettingOption = Annotated[
    list[str],
    typer.Option("--setting", metavar="K=V", help="A setting of the benchmark or the provider."),
]
BudgetOption = Annotated[
    float | None,
    typer.Option("--budget", metavar="MONEY", help="Stop before more is spent, all in all."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
ApiOption = Annotated[
    str | None,
    typer.Option("--api", envvar="POLYSENSE_API", help="Address of an orchestrator."),
]


def read_settings(pairs: list[str], flag: str = "--setting") -> dict[str, str]:
    """Read `k=v` pairs.

    Raises:
        UsageError: One is no pair, or a name stands twice.
    """
    settings: dict[str, str] = {}
    for pair in pairs:
        name, separator, value = pair.partition("=")
        if not separator or not name:
            raise UsageError(f"{flag} {pair!r}: expected name=value")
        if name in settings:
            raise UsageError(f"{flag} {name} stands twice")
        settings[name] = value
    return settings


def make_spec(**given: object) -> RunSpec:
    """Make a spec of a command's options.

    Raises:
        UsageError: A value is not allowed.
    """
    try:
        return RunSpec.model_validate({k: v for k, v in given.items() if v is not None})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = "_".join(str(part) for part in first["loc"]).replace("_", "-")
        raise UsageError(f"--{name} {first['input']}: {problem_reason(first)}") from error


def absolute_data(data: str | None) -> str | None:
    """Return the data folder so that another process finds it; `hub` is refused for now.

    Raises:
        UsageError: The folder is missing.
    """
    if data is None:
        return None
    if data == "hub":
        raise UsageError("--data hub is not possible yet; give the folder of the released files")
    folder = Path(data).expanduser()
    if not folder.is_dir():
        raise UsageError(f"no data folder at {data}")
    return os.path.abspath(folder)


def absolute_model(model: str) -> str:
    """Return a model's name with its file or folder spelled from the root."""
    kind, _, argument = model.partition(":")
    if kind in {"replay", "hf"} and argument and Path(argument).expanduser().exists():
        return f"{kind}:{os.path.abspath(Path(argument).expanduser())}"
    return model
