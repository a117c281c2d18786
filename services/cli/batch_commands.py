"""`batch`: ask a run's questions through OpenAI's Batch API, at half the price, before the run.

`submit` sends what is not stored yet, `status` says how far it is, `import` stores the answers
where `run` finds them.
"""

import json
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.requests import Request
from orchestrator.plan import cells
from orchestrator.planning import all_requests, open_source, opening_of
from orchestrator.providers.catalog import open_provider
from orchestrator.providers.openai_batch import ENDED, BatchModel, batch_model
from orchestrator.spec import RunSpec
from services.cli.exits import DONE, UNANSWERED, UsageError
from services.cli.options import (
    BenchmarkArgument,
    DataOption,
    JsonOption,
    LanguageOption,
    LimitOption,
    ModelOption,
    SeedOption,
    SettingOption,
    TaskOption,
    absolute_data,
    make_spec,
    read_settings,
)
from services.cli.printing import print_json, say
from services.cli.store import open_store, wait_for
from services.home import open_home
from services.processes import resources_of
from storage import responses
from storage.records import StoredResponse

MAX_TOLD = 5
BatchArgument = Annotated[str, typer.Argument(metavar="BATCH", help="The id that submit printed.")]


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    room = typer.Typer(no_args_is_help=True, help="Ask through OpenAI's Batch API.")
    room.command()(submit)
    room.command()(status)
    room.command(name="import")(import_answers)
    app.add_typer(room, name="batch")


def submit(  # noqa: PLR0913  # one parameter an option
    benchmark: BenchmarkArgument,
    model: ModelOption,
    task: TaskOption = [],  # noqa: B006  # typer copies it
    language: LanguageOption = [],  # noqa: B006
    data: DataOption = None,
    limit: LimitOption = None,
    seed: SeedOption = None,
    setting: SettingOption = [],  # noqa: B006
) -> int:
    """Send the first questions of a run that have no stored answer; print the batch's id."""
    spec = spec_of(benchmark, model, task, language, data, limit, seed, setting)
    batch_id, n_sent = wait_for(_submit(spec))
    say(f"{n_sent} requests sent; `polysense batch status {batch_id}` says how far they are")
    sys.stdout.write(batch_id + "\n")
    return DONE


def status(
    batch_id: BatchArgument,
    model: ModelOption,
    setting: SettingOption = [],  # noqa: B006
    as_json: JsonOption = False,
) -> int:
    """Say how far a batch is; ends with 1 while it goes on."""
    spec = make_spec(benchmark="stingray", model=model, settings=read_settings(setting))
    found = wait_for(_status(spec, batch_id))
    if as_json:
        print_json(found)
    else:
        counts = found.get("request_counts") or {}
        sys.stdout.write(
            f"{found.get('status')}: {counts.get('completed', 0)} of"
            f" {counts.get('total', 0)} answered, {counts.get('failed', 0)} failed\n"
        )
    return DONE if found.get("status") in ENDED else UNANSWERED


def import_answers(  # noqa: PLR0913  # one parameter an option
    batch: Annotated[str, typer.Argument(help="A batch's id, or its output file.")],
    benchmark: BenchmarkArgument,
    model: ModelOption,
    task: TaskOption = [],  # noqa: B006
    language: LanguageOption = [],  # noqa: B006
    data: DataOption = None,
    limit: LimitOption = None,
    seed: SeedOption = None,
    setting: SettingOption = [],  # noqa: B006
) -> int:
    """Store a batch's answers, so that a run with the same options pays for the rest only."""
    spec = spec_of(benchmark, model, task, language, data, limit, seed, setting)
    path = Path(batch)
    text = path.read_text("utf-8") if path.is_file() else None
    n_stored, problems = wait_for(_import(spec, batch, text))
    for problem in problems[:MAX_TOLD]:
        say(problem)
    say(f"{n_stored} answers stored, {len(problems)} lines without one")
    return DONE if not problems else UNANSWERED


def spec_of(  # noqa: PLR0913  # one parameter an option
    benchmark: str,
    model: str,
    task: list[str],
    language: list[str],
    data: str | None,
    limit: int | None,
    seed: int | None,
    setting: list[str],
) -> RunSpec:
    """Return the spec that a run with these options would have."""
    return make_spec(
        benchmark=benchmark,
        model=model,
        tasks=tuple(dict.fromkeys(task)),
        languages=tuple(dict.fromkeys(language)),
        data=absolute_data(data),
        limit=limit,
        seed=seed,
        settings=read_settings(setting),
    )


def batch_lines(spec: RunSpec) -> Iterator[dict[str, Any]]:
    """Yield the line of every different request of a run; nothing is asked."""

    async def lines() -> list[dict[str, Any]]:
        async with _opened(spec, is_dry=True) as model:
            return [line for _, line in model.lines(_requests(spec))]

    yield from wait_for(lines())


@asynccontextmanager
async def _opened(spec: RunSpec, *, is_dry: bool) -> AsyncIterator[BatchModel]:
    home = open_home()
    opening = opening_of(spec, open_source(spec).benchmark, is_dry=is_dry)
    provider = await open_provider(spec.model, resources_of(home, {}), opening)
    if provider is None:
        raise UsageError(f"--model {spec.model}: a baseline is not asked")
    try:
        yield batch_model(spec.model, provider)
    finally:
        await provider.close()


def _requests(spec: RunSpec) -> Iterator[Request]:
    source = open_source(spec)
    run_cells = cells(source.benchmark, spec.tasks or source.benchmark.tasks, spec.seed)
    return all_requests(source.benchmark, source.items(), run_cells, spec.seed or 0)


async def _submit(spec: RunSpec) -> tuple[str, int]:
    async with _opened(spec, is_dry=False) as model, open_store(open_home()) as database:
        lines = dict(model.lines(_requests(spec)))
        stored = await responses.known(database, lines)
        new = [line for key, line in lines.items() if key not in stored]
        if not new:
            raise UsageError("every answer is stored already; nothing is sent")
        return await model.submit(new), len(new)


async def _status(spec: RunSpec, batch_id: str) -> dict[str, Any]:
    async with _opened(spec, is_dry=False) as model:
        return await model.state(batch_id)


async def _import(spec: RunSpec, batch: str, text: str | None) -> tuple[int, list[str]]:
    is_dry = text is not None
    async with _opened(spec, is_dry=is_dry) as model, open_store(open_home()) as database:
        text = await _output(model, batch) if text is None else text
        wanted = {key: request for request in _requests(spec) for key in [model.key(request)]}
        found = [model.read(line, wanted) for line in text.splitlines() if line.strip()]
        rows = [each for each in found if isinstance(each, StoredResponse)]
        n_stored = await responses.put(database, rows)
        return n_stored, [each for each in found if isinstance(each, str)]


async def _output(model: BatchModel, batch_id: str) -> str:
    state = await model.state(batch_id)
    file_id = state.get("output_file_id")
    if not file_id:
        errors = json.dumps(state.get("errors")) if state.get("errors") else ""
        raise UsageError(f"batch {batch_id} is {state.get('status')} and has no output {errors}")
    return await model.output(str(file_id))
