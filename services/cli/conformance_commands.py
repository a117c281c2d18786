"""Commands that hold a benchmark or a model to the promises that all of them keep."""

import os
from contextlib import ExitStack
from typing import Annotated

import typer

from benchmarks.conformance.suite import broken_promises
from orchestrator.providers.catalog import open_provider
from orchestrator.providers.conformance import promises_broken_by
from orchestrator.providers.opening import Opening
from orchestrator.providers.provider import Provider
from orchestrator.spec import parse_model
from services.cli.exits import DONE, UsageError
from services.cli.options import (
    BenchmarkArgument,
    JsonOption,
    SettingOption,
    absolute_model,
    read_settings,
)
from services.cli.printing import print_json, say
from services.cli.store import wait_for
from services.home import Home, open_home
from services.processes import find_scorers, resources_of, scorers_for

BROKEN = 1
LOCAL_KINDS = frozenset({"hf", "demo-decoder", "demo-encoder"})
SECRET_ENDINGS = ("KEY", "TOKEN", "SECRET", "PASSWORD")
MIN_SECRET_LENGTH = 8

group = typer.Typer(help="Hold a benchmark or a model to what all of them promise.")


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    group.command(name="benchmark")(conform_benchmark)
    group.command(name="provider")(conform_provider)
    app.add_typer(group, name="conformance")


def conform_benchmark(
    benchmark: BenchmarkArgument,
    setting: SettingOption = [],  # noqa: B006  # typer copies it
    as_json: JsonOption = False,
) -> int:
    """Try a benchmark's data, questions and judge on its own sample; no model is asked."""
    return _tell(benchmark, broken_promises(benchmark, read_settings(setting)), as_json=as_json)


def conform_provider(
    model: Annotated[str, typer.Argument(help="As --model spells it.")],
    setting: SettingOption = [],  # noqa: B006  # typer copies it
    as_json: JsonOption = False,
) -> int:
    """Ask a model a few dozen short questions and hold its answers to what providers promise."""
    model = absolute_model(model)
    kind = parse_model(model).kind
    if kind == "baseline":
        raise UsageError(f"{model} is computed without a provider; try the benchmark instead")
    home = open_home()
    models = [model] if kind in LOCAL_KINDS else []
    with ExitStack() as stack:
        endpoints = (
            stack.enter_context(scorers_for(home, models, say)) if models else find_scorers(home)
        )
        broken = wait_for(_broken_by(home, model, dict(endpoints), read_settings(setting)))
    return _tell(model, broken, as_json=as_json)


async def _broken_by(
    home: Home, model: str, endpoints: dict[str, str], settings: dict[str, str]
) -> list[str]:
    resources = resources_of(home, endpoints)

    async def open_again() -> Provider:
        provider = await open_provider(model, resources, Opening(settings=settings))
        if provider is None:
            raise UsageError(f"{model} has no provider")
        return provider

    # A model that cannot be reached is no broken promise: this is told as it is everywhere.
    await (await open_again()).close()
    return await promises_broken_by(open_again, _secrets())


def _secrets() -> list[str]:
    """Return what this process knows and nobody else should: the values of variables with keys."""
    return [
        value
        for name, value in os.environ.items()
        if name.upper().endswith(SECRET_ENDINGS) and len(value) >= MIN_SECRET_LENGTH
    ]


def _tell(name: str, broken: list[str], *, as_json: bool) -> int:
    if as_json:
        print_json({"name": name, "broken_promises": broken})
    for sentence in broken:
        say(f"broken promise: {sentence}")
    if not broken:
        say(f"{name} keeps every promise")
    return BROKEN if broken else DONE
