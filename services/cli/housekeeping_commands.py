"""Commands that keep the house: cache size, cache prune."""

import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from services.cli.exits import DONE
from services.cli.options import JsonOption
from services.cli.printing import print_json, print_table, say
from services.cli.store import open_store, wait_for
from services.home import Home, open_home
from storage import response_cache
from storage.response_cache import CacheSize

DAY_S = 86_400.0
MEGABYTE = 1e6
NEW_S = 3_600.0
"""A file that young may belong to a response that is not stored yet."""


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    group = typer.Typer(name="cache", help="What has been stored to be used again.")
    group.command(name="size")(show_size)
    group.command(name="prune")(prune)
    app.add_typer(group, no_args_is_help=True)


def show_size(as_json: JsonOption = False) -> int:
    """Say what stored responses, hidden states and converted weights take."""
    home = open_home()
    sizes = wait_for(_sizes(home))
    states, weights = _weigh(_state_files(home)), _weigh(_files(home.cache))
    if as_json:
        print_json(
            {
                "schema": 1,
                "responses": [asdict(each) for each in sizes],
                "hidden_states": states,
                "weights": weights,
            }
        )
        return DONE
    rows = [
        ("responses", f"{each.provider} {each.model}", str(each.n_responses), _megabytes(each))
        for each in sizes
    ]
    for name, part in (("hidden states", states), ("weights", weights)):
        rows.append((name, "", str(part["n_files"]), f"{part['n_bytes'] / MEGABYTE:.1f}"))
    print_table("", ("what", "of", "number ", "MB "), rows)
    return DONE


def prune(
    older_than: Annotated[
        float, typer.Option("--older-than", metavar="DAYS", min=0.0, help="Spare what is younger.")
    ] = 0.0,
    model: Annotated[str | None, typer.Option("--model", help="As `cache size` names it.")] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also what outcomes were judged from: no rejudge then.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Delete stored responses that no outcome was judged from, and files nobody refers to."""
    home = open_home()
    n_responses, used = wait_for(_prune(home, older_than * DAY_S, model, also_used=everything))
    n_files = _delete_files(home, used, max(older_than * DAY_S, NEW_S))
    if as_json:
        print_json({"schema": 1, "n_responses": n_responses, "n_files": n_files})
    else:
        say(f"deleted {n_responses} responses and {n_files} files of hidden states")
    return DONE


async def _sizes(home: Home) -> list[CacheSize]:
    async with open_store(home) as database:
        return await response_cache.size(database)


async def _prune(
    home: Home, older_than_s: float, model: str | None, *, also_used: bool
) -> tuple[int, set[str]]:
    async with open_store(home) as database:
        n_deleted = await response_cache.prune(database, older_than_s, model, also_used=also_used)
        return n_deleted, await response_cache.files_in_use(database)


def _delete_files(home: Home, used: set[str], older_than_s: float) -> int:
    newest = time.time() - older_than_s
    unused = [
        path
        for path in _state_files(home)
        if str(path) not in used and path.stat().st_mtime < newest
    ]
    for path in unused:
        path.unlink(missing_ok=True)
    return len(unused)


def _state_files(home: Home) -> Iterator[Path]:
    return _files(home.artefacts / "hidden-states")


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _weigh(files: Iterator[Path]) -> dict[str, Any]:
    sizes = [path.stat().st_size for path in files]
    return {"n_files": len(sizes), "n_bytes": sum(sizes)}


def _megabytes(size: CacheSize) -> str:
    return f"{size.n_bytes / MEGABYTE:.1f}"
