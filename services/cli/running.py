"""Commands that make runs go: run, resume, retry, pause, cancel, delete."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from metrics.score import Score
from orchestrator import run as run_story
from orchestrator.resources import Resources
from orchestrator.spec import RunSpec
from services.cli.estimating import show_estimate
from services.cli.exits import DONE, UNANSWERED, UNREACHABLE, UsageError
from services.cli.labels import NoteOption, TagOption, WebhookOption
from services.cli.local import resume_here, run_here
from services.cli.options import (
    ApiOption,
    BudgetOption,
    DataOption,
    JsonOption,
    LanguageOption,
    LimitOption,
    RunArgument,
    SeedOption,
    SettingOption,
    TaskOption,
    absolute_data,
    absolute_model,
    make_spec,
    read_settings,
)
from services.cli.printing import (
    print_json,
    print_scores,
    say,
    spending_sentence,
    undefined_sentences,
    without_empty_headlines,
    worth_a_glance,
)
from services.cli.remote import Api
from services.cli.run_files import is_run_file
from services.cli.run_groups import run_file
from services.cli.store import find_run, open_store, wait_for
from services.home import Home, open_home
from services.orchestrator.webhooks import check_webhook
from storage import runs, scores, spending
from storage.database import Database
from storage.records import Run

SCHEMA = 1
RunWhatArgument = Annotated[
    str, typer.Argument(metavar="BENCHMARK|FILE.yaml", help="A benchmark, or a run file.")
]
OptionalModelOption = Annotated[
    str | None, typer.Option("--model", help="What is measured; see the README.")
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Say what a run file would run, and run nothing.")
]


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command()(run)
    app.command()(resume)
    app.command()(retry)
    app.command()(pause)
    app.command()(cancel)
    app.command()(delete)


def run(  # noqa: PLR0913  # one parameter an option
    benchmark: RunWhatArgument,
    model: OptionalModelOption = None,
    task: TaskOption = [],  # noqa: B006  # typer copies it
    language: LanguageOption = [],  # noqa: B006
    data: DataOption = None,
    limit: LimitOption = None,
    seed: SeedOption = None,
    setting: SettingOption = [],  # noqa: B006
    batch_items: Annotated[int | None, typer.Option(help="Items a job.")] = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Ask again what another run has asked.")
    ] = False,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Say what it would cost, and ask nothing.")
    ] = False,
    budget: BudgetOption = None,
    note: NoteOption = None,
    tag: TagOption = [],  # noqa: B006
    webhook: WebhookOption = None,
    dry_run: DryRunOption = False,
    api: ApiOption = None,
    as_json: JsonOption = False,
) -> int:
    """Measure a model on a benchmark, or run a file that names several of them."""
    if is_run_file(benchmark):
        own = (model, task, language, data, limit, seed, setting, batch_items, budget, note, tag)
        if any(each not in (None, []) for each in own) or no_cache or estimate or webhook:
            raise UsageError(f"{benchmark}: a run file says all itself; allowed: --dry-run, --json")
        return run_file(open_home(), Path(benchmark), api, is_dry_run=dry_run, as_json=as_json)
    if model is None:
        raise UsageError("Missing option '--model'.")
    if dry_run:
        raise UsageError("--dry-run is for run files; --estimate says what a run would cost")
    spec = make_spec(
        benchmark=benchmark,
        model=absolute_model(model),
        tasks=tuple(dict.fromkeys(task)),
        languages=tuple(dict.fromkeys(language)),
        data=absolute_data(data),
        limit=limit,
        seed=seed,
        settings=read_settings(setting),
        batch_items=batch_items,
        use_cache=not no_cache,
        budget=budget,
    )
    if estimate:
        if api is not None:
            raise UsageError("--estimate counts on this machine; leave --api out")
        wait_for(show_estimate(open_home(), spec, as_json=as_json))
        return DONE
    labels = run_story.Labels(note, tuple(tag), webhook)
    if api is not None:
        client = Api(api)
        return _report_remote(client, client.create(spec, labels)["id"], as_json=as_json)
    home = open_home()
    check_webhook(home.settings, webhook)
    ended = wait_for(run_here(home, spec, labels))
    return wait_for(_report(home, ended, as_json=as_json))


def resume(
    run_id: RunArgument,
    budget: BudgetOption = None,
    api: ApiOption = None,
    as_json: JsonOption = False,
) -> int:
    """Go on with a run; what has an outcome is not asked again."""
    word = "resume" if budget is None else f"resume?budget={budget}"
    action = partial(run_story.resume, budget=budget)
    return _again(run_id, word, action, api, as_json=as_json)


def retry(run_id: RunArgument, api: ApiOption = None, as_json: JsonOption = False) -> int:
    """Ask the failed items of a run again."""
    return _again(run_id, "retry", run_story.retry, api, as_json=as_json)


def pause(run_id: RunArgument, api: ApiOption = None) -> int:
    """Stop a run for now; `resume` goes on."""
    return _stop(run_id, "pause", run_story.pause, api)


def cancel(run_id: RunArgument, api: ApiOption = None) -> int:
    """Stop a run and throw its waiting jobs away."""
    return _stop(run_id, "cancel", run_story.cancel, api)


def delete(run_id: RunArgument, api: ApiOption = None) -> int:
    """Delete a run with its outcomes and scores; responses stay in the cache."""
    if api is not None:
        say(f"run {Api(api).delete(run_id)} is deleted")
        return DONE
    wait_for(_delete(open_home(), run_id))
    return DONE


Action = Callable[[Database, str], Awaitable[Run]]


def _again(name: str, word: str, action: Action, api: str | None, *, as_json: bool) -> int:
    if api is not None:
        client = Api(api)
        return _report_remote(client, client.act(name, word)["id"], as_json=as_json)
    home = open_home()
    found = wait_for(_find(home, name))

    async def restart(database: Database, resources: Resources) -> Run:
        del resources
        return await action(database, found.id)

    ended = wait_for(resume_here(home, RunSpec.model_validate(found.spec), restart))
    return wait_for(_report(home, ended, as_json=as_json))


def _stop(name: str, word: str, action: Action, api: str | None) -> int:
    if api is not None:
        answer = Api(api).act(name, word)
        say(f"run {answer['id']} is {answer['status']}")
        return DONE
    stopped = wait_for(_act(open_home(), name, action))
    say(f"run {stopped.id} is {stopped.status}")
    return DONE


async def _find(home: Home, name: str) -> Run:
    async with open_store(home) as database:
        return await find_run(database, name)


async def _act(home: Home, name: str, action: Action) -> Run:
    async with open_store(home) as database:
        found = await find_run(database, name)
        return await action(database, found.id)


async def _delete(home: Home, name: str) -> None:
    async with open_store(home) as database:
        found = await find_run(database, name)
        await run_story.delete(database, found.id)
        say(f"run {found.id} is deleted")


async def _report(home: Home, ended: Run, *, as_json: bool) -> int:
    async with open_store(home) as database:
        progress = await runs.count_progress(database, ended.id)
        found = await scores.read(database, ended.id)
        spent = await spending.of_run(database, ended.id)
    document = {
        "schema": SCHEMA,
        "run": ended.id,
        "status": ended.status,
        "n_items": progress.n_items,
        "n_answered": progress.n_answered,
        "spending": None if spent is None else asdict(spent),
        "scores": [score.model_dump(mode="json") for score in found],
    }
    if spent is not None and (sentence := spending_sentence(spent)):
        say(sentence)
    return _end(document, ended.reason, as_json=as_json)


def _report_remote(client: Api, run_id: str, *, as_json: bool) -> int:
    ended = client.wait(run_id)
    document = {
        "schema": SCHEMA,
        "run": ended["id"],
        "status": ended["status"],
        "n_items": ended["progress"]["n_items"],
        "n_answered": ended["progress"]["n_answered"],
        "scores": ended["scores"],
    }
    return _end(document, ended["reason"], as_json=as_json)


def _end(document: dict[str, Any], reason: str | None, *, as_json: bool) -> int:
    """Print the end of a run and return the exit code it deserves."""
    found = [Score.model_validate(score) for score in document["scores"]]
    if as_json:
        print_json(document)
    else:
        print_scores(worth_a_glance(found))
        say("`polysense scores last --by task,language,subset,setting` shows every row")
    n_items, n_answered = document["n_items"], document["n_answered"]
    say(f"run {document['run']} is {document['status']}: {n_answered} of {n_items} items answered")
    plain = [score for score in found if score.setting is None and score.layer is None]
    for sentence in undefined_sentences(without_empty_headlines(plain)):
        say(sentence)
    if reason:
        say(reason)
    if document["status"] == "failed":
        return UNREACHABLE
    return DONE if n_answered == n_items and document["status"] == "finished" else UNANSWERED
