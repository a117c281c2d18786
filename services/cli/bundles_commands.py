"""Commands that carry runs from one place to another: export, import."""

from pathlib import Path
from typing import Annotated

import typer

from services.bundles import Imported, export_runs, import_runs
from services.cli.exits import UsageError
from services.cli.options import JsonOption
from services.cli.outputs import ForceOption
from services.cli.printing import print_json, say
from services.cli.store import find_run, open_store, wait_for
from services.home import Home, open_home

MIN_WORDS = 2


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command(name="export")(export_bundle)
    app.command(name="import")(import_bundle)


def export_bundle(
    words: Annotated[
        list[str], typer.Argument(metavar="RUN... FILE.tar", help="Ids, or `last`; then the file.")
    ],
    force: ForceOption = False,
) -> None:
    """Write runs into one file: manifest, items, outcomes, scores, checksums."""
    if len(words) < MIN_WORDS:
        raise UsageError("expected RUN... FILE.tar: at least one run, then the file to write")
    *run_ids, name = words
    out = Path(name)
    if out.suffix != ".tar":
        raise UsageError(f"{name}: the last word is the file to write and ends in .tar")
    if out.is_dir() or (out.exists() and not force):
        raise UsageError(f"{name}: exists already; --force replaces a file")
    if not out.absolute().parent.is_dir():
        raise UsageError(f"{name}: no folder {out.absolute().parent}")
    n_runs = wait_for(_export(open_home(), run_ids, out))
    say(f"{n_runs} run{'s' if n_runs > 1 else ''} written to {out}")


def import_bundle(
    file: Annotated[Path, typer.Argument(metavar="FILE.tar", help="As `export` wrote it.")],
    as_json: JsonOption = False,
) -> None:
    """Take in exported runs; their scores are computed again and must be the same."""
    found = wait_for(_import(open_home(), file))
    if as_json:
        print_json(
            [
                {"run": each.run_id, "n_scores": each.n_scores, "is_verified": each.is_verified}
                for each in found
            ]
        )
    for each in found:
        told = "the same" if each.is_verified else "by another metric version: replaced"
        say(f"run {each.run_id} imported; {each.n_scores} scores computed again, {told}")


async def _export(home: Home, names: list[str], out: Path) -> int:
    async with open_store(home) as database:
        stored = [await find_run(database, name) for name in names]
        unique = list({run.id: run for run in stored}.values())
        await export_runs(database, unique, out)
        return len(unique)


async def _import(home: Home, file: Path) -> list[Imported]:
    async with open_store(home) as database:
        return await import_runs(database, file)
