"""Run all of a run file: what is finished is left, what stands is taken up, the rest is made."""

import contextlib
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.errors import BenchmarkError
from orchestrator import run as run_story
from orchestrator.errors import OrchestratorError, ProviderUnavailableError
from orchestrator.planning import open_source
from orchestrator.resources import Resources
from services.cli.exits import DONE, UNANSWERED, UNREACHABLE, InterruptedRunError
from services.cli.local import resume_here, run_here, scorer_models
from services.cli.printing import print_json, print_table, say
from services.cli.remote import Api
from services.cli.run_files import Entry, RunGroup, read_run_file
from services.cli.store import open_store, wait_for
from services.home import Home
from services.orchestrator.webhooks import check_webhook
from services.processes import ServiceStartError, scorers_for
from storage import runs, scores
from storage.database import Database
from storage.records import Run

SCHEMA = 1


@dataclass(frozen=True)
class _Ended:
    """What became of one entry."""

    entry: Entry
    document: dict[str, Any]
    problem: str | None = None
    code: int = DONE


def run_file(home: Home, path: Path, api: str | None, *, is_dry_run: bool, as_json: bool) -> int:
    """Run a file, or say what would be run.

    Raises:
        UsageError: The file is wrong.
        InterruptedRunError: Somebody has interrupted it; says how to go on.
    """
    group = read_run_file(path)
    if is_dry_run:
        return _print_plan(group, as_json=as_json)
    say(f"group {group.name}: {len(group.entries)} runs")
    if api is None:
        check_webhook(home.settings, group.labels.webhook)
        ended = list(_run_all_here(home, path, group))
    else:
        ended = list(_run_all_there(Api(api), group))
    return _report(group, ended, as_json=as_json)


def _print_plan(group: RunGroup, *, as_json: bool) -> int:
    planned = [
        {"line": entry.line, "n_items": _n_items(entry), **entry.spec.model_dump(mode="json")}
        for entry in group.entries
    ]
    if as_json:
        print_json({"schema": SCHEMA, "group": group.name, "runs": planned})
        return DONE
    rows = [
        (
            str(each["line"]),
            each["benchmark"],
            each["model"],
            " ".join(each["tasks"]) or "all",
            " ".join(each["languages"]) or "all",
            " ".join(f"{name}={value}" for name, value in each["settings"].items()),
            str(each["n_items"]),
        )
        for each in planned
    ]
    columns = ("line ", "benchmark", "model", "tasks", "languages", "settings", "items ")
    print_table(f"group {group.name}: {len(rows)} runs", columns, rows)
    return DONE


def _n_items(entry: Entry) -> int:
    return sum(1 for _ in open_source(entry.spec).items())


def _run_all_here(home: Home, path: Path, group: RunGroup) -> Iterator[_Ended]:
    """Run the entries one after another; those of one model share its scorer."""
    for model in dict.fromkeys(entry.spec.model for entry in group.entries):
        entries = [entry for entry in group.entries if entry.spec.model == model]
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(scorers_for(home, _scorers(entries), say))
            except ServiceStartError as error:
                yield from (_Ended(entry, {}, str(error), UNREACHABLE) for entry in entries)
                continue
            for entry in entries:
                try:
                    yield _run_here(home, group, entry)
                except InterruptedRunError as error:
                    command = f"polysense run {shlex.quote(str(path))}"
                    raise InterruptedRunError(f"paused; go on with: {command}") from error


def _scorers(entries: Sequence[Entry]) -> list[str]:
    """Return the local scorers that several runs of one model need."""
    if len(entries) == 1:
        return []
    needed = [
        name
        for entry in entries
        for name in scorer_models(entry.spec, open_source(entry.spec).benchmark)
    ]
    return list(dict.fromkeys(needed))


def _run_here(home: Home, group: RunGroup, entry: Entry) -> _Ended:
    try:
        ended = wait_for(_take_up(home, group, entry))
        return _Ended(entry, wait_for(_document(home, ended)))
    except ProviderUnavailableError as error:
        return _Ended(entry, {}, str(error), UNREACHABLE)
    except (OrchestratorError, BenchmarkError) as error:
        return _Ended(entry, {}, str(error), UNANSWERED)


async def _take_up(home: Home, group: RunGroup, entry: Entry) -> Run:
    async with open_store(home) as database:
        spec = entry.spec.model_dump(mode="json")
        before = await runs.find_by_key(database, group.key, spec)
    if before is None:
        return await run_here(home, entry.spec, group.labels, group.key)
    if before.status == "finished":
        say(f"run {before.id} is finished: {entry.spec.benchmark}, {entry.spec.model}")
        return before

    async def restart(database: Database, resources: Resources) -> Run:
        del resources
        return await run_story.resume(database, before.id, entry.spec.budget)

    return await resume_here(home, entry.spec, restart)


async def _document(home: Home, run: Run) -> dict[str, Any]:
    async with open_store(home) as database:
        progress = await runs.count_progress(database, run.id)
        found = await scores.read(database, run.id)
    return {
        "run": run.id,
        "status": run.status,
        "reason": run.reason,
        "n_items": progress.n_items,
        "n_answered": progress.n_answered,
        "scores": [score.model_dump(mode="json") for score in found],
    }


def _run_all_there(client: Api, group: RunGroup) -> Iterator[_Ended]:
    """Create what is not there yet, take up what stands, and wait for all."""
    made = [(entry, client.create(entry.spec, group.labels, group.key)) for entry in group.entries]
    for _, run in made:
        if run["status"] in {"paused", "failed", "cancelled"}:
            client.act(run["id"], "resume")
    for entry, run in made:
        ended = client.wait(run["id"])
        progress = ended["progress"]
        counts = {name: progress[name] for name in ("n_items", "n_answered")}
        document = {"run": ended["id"], "status": ended["status"], "reason": ended["reason"]}
        yield _Ended(entry, {**document, **counts, "scores": ended["scores"]})


def _report(group: RunGroup, ended: Sequence[_Ended], *, as_json: bool) -> int:
    documents = [
        {
            "line": each.entry.line,
            "benchmark": each.entry.spec.benchmark,
            "model": each.entry.spec.model,
            "settings": each.entry.spec.settings,
            **({"problem": each.problem} if each.problem else each.document),
        }
        for each in ended
    ]
    if as_json:
        print_json({"schema": SCHEMA, "group": group.name, "runs": documents})
    else:
        columns = ("line ", "benchmark", "model", "settings", "run", "status", "answered ")
        print_table(f"group {group.name}", columns, [_row(document) for document in documents])
        sys.stdout.flush()
    return max((_code(each) for each in ended), default=DONE)


def _row(document: dict[str, Any]) -> tuple[str, ...]:
    settings = " ".join(f"{name}={value}" for name, value in document["settings"].items())
    start = (str(document["line"]), document["benchmark"], document["model"], settings)
    if "problem" in document:
        return (*start, "–", document["problem"], "")
    answered = f"{document['n_answered']} of {document['n_items']}"
    return (*start, document["run"], document["status"], answered)


def _code(each: _Ended) -> int:
    if each.problem is not None:
        return each.code
    if each.document["status"] == "failed":
        return UNREACHABLE
    is_whole = each.document["n_answered"] == each.document["n_items"]
    return DONE if is_whole and each.document["status"] == "finished" else UNANSWERED
