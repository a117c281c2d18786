"""Commands about translations that hold no known lemma: dibimt miss-study export, import, table."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.benchmark import Item
from benchmarks.dibimt.miss_study import (
    CAUSES,
    N_ITEMS,
    CauseTable,
    MissRecord,
    draw_misses,
    read_misses,
    read_placed_misses,
    tabulate_causes,
)
from services.cli.exits import UsageError
from services.cli.options import JsonOption, RunArgument
from services.cli.outputs import ForceOption, check_outputs, json_lines, write_text
from services.cli.printing import print_json, print_table, say
from services.cli.store import find_run, open_store, wait_for
from services.home import Home, open_home
from storage import items, outcomes

TASK = "translate"
Judged = list[tuple[Item, Mapping[str, Any]]]
"""Items with the details of their outcomes."""


def add_miss_study(group: typer.Typer) -> None:
    """Add this room's commands to the group `dibimt`."""
    study = typer.Typer(name="miss-study", no_args_is_help=True)
    study.callback()(_study)
    study.command(name="export")(export_misses)
    study.command(name="import")(import_misses)
    study.command()(table)
    group.add_typer(study)


def _study() -> None:
    """Why does a translation hold neither a good nor a bad lemma? A sample for people."""


def export_misses(
    run_id: RunArgument,
    out: Annotated[Path, typer.Option("--out", help="The JSON lines to write.")],
    n: Annotated[int, typer.Option("--n", min=1, help="MISS items a language.")] = N_ITEMS,
    seed: Annotated[int, typer.Option(min=0, help="Where they are drawn from.")] = 0,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Draw MISS items of each language; copies of the source are coded already."""
    check_outputs([out], force=force)
    drawn = draw_misses(wait_for(_judged(open_home(), run_id)), seed, n)
    if not drawn:
        raise UsageError(f"run {run_id} has no MISS; there is nothing to study")
    write_text(out, json_lines(record.model_dump(mode="json") for record in drawn))
    if as_json:
        print_json({"schema": 1, "file": str(out), "seed": seed, "languages": _counts(drawn)})
        return
    for language, counts in _counts(drawn).items():
        say(f"{language}: {counts['n']} MISS, {counts['n_copied']} of them copied")
    say(f"{out}: fill in `cause`, one of: {', '.join(CAUSES)}")


def import_misses(
    run_id: RunArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The lines, filled in.")],
    as_json: JsonOption = False,
) -> None:
    """Hold a filled-in file against its run, and count the causes."""
    placed = list(read_placed_misses(file))
    known = {(item.language, item.id): detail for item, detail in _misses(run_id)}
    for place, record in placed:
        detail = known.get((record.language, record.id))
        name = f"{place}: {record.id} in {record.language}"
        if detail is None:
            raise UsageError(f"{name} is no MISS of run {run_id}")
        if detail["translation"] != record.translation:
            raise UsageError(f"{name} has another translation than run {run_id}")
    _print([record for _, record in placed], as_json=as_json)


def table(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The lines, filled in.")],
    as_json: JsonOption = False,
) -> None:
    """Count the causes of each language."""
    _print(read_misses(file), as_json=as_json)


def _misses(run_id: str) -> Judged:
    judged = wait_for(_judged(open_home(), run_id))
    return [(item, detail) for item, detail in judged if detail.get("class") == "MISS"]


async def _judged(home: Home, run_id: str) -> Judged:
    async with open_store(home) as database:
        run = await find_run(database, run_id)
        if run.benchmark != "dibimt":
            raise UsageError(f"run {run.id} is of {run.benchmark}; allowed: a run of dibimt")
        if TASK not in {task for task, _ in run.cells}:
            raise UsageError(f"run {run.id} has no task {TASK}")
        rows = {
            row.number: row.detail
            for row in await outcomes.rows(database, run.id)
            if (row.task, row.variant) == (TASK, "") and row.status != "unanswered"
        }
        found = await items.find(database, run.item_set, rows)
    return [(each.item, rows[each.number]) for each in found]


def _counts(drawn: Sequence[MissRecord]) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {}
    for record in drawn:
        own = counts.setdefault(record.language, {"n": 0, "n_copied": 0})
        own["n"] += 1
        own["n_copied"] += record.copied is not None
    return counts


def _print(records: Sequence[MissRecord], *, as_json: bool) -> None:
    tables = tabulate_causes(records)
    if as_json:
        print_json({"schema": 1, "languages": {each.language: _json(each) for each in tables}})
        return
    rows = [(cause.replace("_", " "), *(_cell(each, cause) for each in tables)) for cause in CAUSES]
    print_table("", ("cause", *(f"{each.language} " for each in tables)), rows)
    uncoded = [f"{each.language} {each.n_uncoded}" for each in tables if each.n_uncoded]
    if uncoded:
        sys.stdout.write(f"– without a cause, in no share: {', '.join(uncoded)}\n")


def _cell(found: CauseTable, cause: str) -> str:
    share = found.shares[cause]
    return f"{found.counts[cause]} {'–' if share is None else f'{share:.0%}':>4}"


def _json(found: CauseTable) -> dict[str, Any]:
    return {
        "n_coded": sum(found.counts.values()),
        "n_uncoded": found.n_uncoded,
        "causes": {
            cause: {"n": found.counts[cause], "share": found.shares[cause]} for cause in CAUSES
        },
    }
