"""Commands that try a model's arithmetic: selftest."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from typing import Annotated, Any

import typer

from benchmarks.benchmark import Benchmark, Case
from benchmarks.requests import RequestKind
from orchestrator.noise import Noise, measure_noise
from orchestrator.planning import Source, open_source
from orchestrator.providers.catalog import open_provider
from orchestrator.providers.provider import Provider
from orchestrator.spec import RunSpec, parse_model
from services.cli.exits import DONE, UNANSWERED, UsageError
from services.cli.options import (
    DataOption,
    JsonOption,
    LanguageOption,
    SettingOption,
    absolute_data,
    absolute_model,
    make_spec,
    read_settings,
)
from services.cli.printing import print_json, say
from services.cli.store import wait_for
from services.home import Home, open_home
from services.processes import find_scorers, resources_of, scorers_for

BENCHMARK = "xcomps"
LIMIT = 50


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command()(selftest)


def selftest(  # noqa: PLR0913  # one parameter an option
    model: Annotated[str, typer.Argument(metavar="MODEL", help="scorer:<url>, demo, hf:…")],
    benchmark: Annotated[str, typer.Option("--benchmark", help="Whose items are asked.")] = (
        BENCHMARK
    ),
    task: Annotated[
        str | None, typer.Option("--task", help="Default: the first that asks log-probabilities.")
    ] = None,
    data: DataOption = None,
    language: LanguageOption = [],  # noqa: B006  # typer copies it
    limit: Annotated[int, typer.Option("--limit", help="First N items a language.")] = LIMIT,
    seed: Annotated[int, typer.Option("--seed", help="Of the order and the batches.")] = 0,
    setting: SettingOption = [],  # noqa: B006
    as_json: JsonOption = False,
) -> int:
    """Ask again, shuffled and rebatched: how far do log-probabilities move, does it matter?"""
    spec = make_spec(
        benchmark=benchmark,
        model=absolute_model(model),
        tasks=(task,) if task else (),
        languages=tuple(dict.fromkeys(language)),
        data=absolute_data(data),
        limit=limit,
        seed=seed,
        settings=read_settings(setting),
    )
    source = open_source(spec)
    chosen = task or _first_task(source.benchmark)
    if source.benchmark.kinds(chosen) != {RequestKind.LOG_PROB}:
        raise UsageError(f"--task {chosen} of {benchmark} does not ask for log-probabilities only")
    noise = wait_for(_measure(open_home(), spec, source, chosen))
    if as_json:
        print_json(_document(spec, chosen, noise))
    else:
        _print(spec, chosen, noise)
    return UNANSWERED if noise.n_unanswered else DONE


def _first_task(benchmark: Benchmark) -> str:
    for task in benchmark.tasks:
        if benchmark.kinds(task) == {RequestKind.LOG_PROB}:
            return task
    raise UsageError(f"{benchmark.name} has no task that asks for log-probabilities only")


async def _measure(home: Home, spec: RunSpec, source: Source, task: str) -> Noise:
    benchmark, seed = source.benchmark, spec.seed or 0
    cases = [
        Case(item, task, variant)
        for item in source.items()
        for variant in benchmark.variants(task, spec.seed)
    ]
    async with _open(home, spec.model) as provider:
        if RequestKind.LOG_PROB not in provider.kinds:
            raise UsageError(f"{spec.model} gives no log-probabilities; there is nothing to repeat")
        say(f"asking {len(cases)} cases of {benchmark.name} {task} four times")
        return await measure_noise(provider, benchmark, cases, seed)


@contextlib.asynccontextmanager
async def _open(home: Home, model: str) -> AsyncIterator[Provider]:
    """Open a model; a local one gets a scorer for as long as this takes.

    Raises:
        UsageError: It is a baseline.
    """
    kind = parse_model(model).kind
    local = ["demo-decoder"] if kind == "demo" else [model] if kind in LOCAL else []
    with contextlib.ExitStack() as stack:
        if local:
            lent = scorers_for(home, local, say)
            endpoints = await asyncio.to_thread(stack.enter_context, lent)
        else:
            endpoints = await asyncio.to_thread(find_scorers, home)
        provider = await open_provider(model, resources_of(home, endpoints))
        if provider is None:
            raise UsageError(f"{model} is a baseline: it computes nothing that could move")
        try:
            yield provider
        finally:
            await provider.close()


LOCAL = frozenset({"hf", "demo-decoder", "demo-encoder"})


def _document(spec: RunSpec, task: str, noise: Noise) -> dict[str, Any]:
    return {
        "model": spec.model,
        "benchmark": spec.benchmark,
        "task": task,
        "epsilon_nats": noise.epsilon_nats,
        "by_arrangement": dict(noise.by_arrangement),
        "n_requests": noise.n_requests,
        "n_unanswered": noise.n_unanswered,
        "n_cases": noise.n_cases,
        "n_within": noise.n_within,
        "share_within": noise.share_within,
    }


def _print(spec: RunSpec, task: str, noise: Noise) -> None:
    parts = ", ".join(f"{name} {moved:.2e}" for name, moved in noise.by_arrangement.items())
    share = "–" if noise.share_within is None else f"{noise.share_within:.2%}"
    sys.stdout.write(
        f"{spec.model}: epsilon {noise.epsilon_nats:.2e} nats ({parts})\n"
        f"decisions within epsilon: {noise.n_within} of {noise.n_cases} cases of"
        f" {spec.benchmark} {task} ({share})\n"
    )
    if noise.n_unanswered:
        sys.stdout.write(f"unanswered requests: {noise.n_unanswered} of {noise.n_requests}\n")
