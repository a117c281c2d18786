"""What is kept beside a run: options of `run`, and the commands note and tag."""

from typing import Annotated

import typer

from services.cli.exits import DONE
from services.cli.options import RunArgument
from services.cli.printing import say
from services.cli.store import find_run, open_store, wait_for
from services.home import Home, open_home
from storage import runs
from storage.records import Run

NoteOption = Annotated[str | None, typer.Option("--note", help="What people should know of it.")]
TagOption = Annotated[
    list[str], typer.Option("--tag", help="`runs --tag` finds it again; repeatable.")
]
WebhookOption = Annotated[
    str | None, typer.Option("--webhook", help="An allowed address that is told of its end.")
]


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command()(note)
    app.command()(tag)


def note(
    run_id: RunArgument, text: Annotated[str, typer.Argument(help="Empty removes it.")]
) -> int:
    """Write a note on a run."""
    found = wait_for(_label(open_home(), run_id, note=text, add=[], remove=[]))
    say(f"run {found.id}: {found.note or 'no note'}")
    return DONE


def tag(
    run_id: RunArgument,
    tags: Annotated[list[str], typer.Argument(help="Words to find it by.")],
    remove: Annotated[bool, typer.Option("--remove", help="Take them off again.")] = False,
) -> int:
    """Put tags on a run, or take them off."""
    add, off = ([], tags) if remove else (tags, [])
    found = wait_for(_label(open_home(), run_id, note=None, add=add, remove=off))
    say(f"run {found.id}: {' '.join(found.tags) or 'no tags'}")
    return DONE


async def _label(
    home: Home, name: str, *, note: str | None, add: list[str], remove: list[str]
) -> Run:
    """Change what stands beside a run; a note of None stays as it is."""
    async with open_store(home) as database:
        run = await find_run(database, name)
        kept = run.note if note is None else note or None
        tags = [each for each in dict.fromkeys((*run.tags, *add)) if each not in remove]
        await runs.set_note(database, run.id, kept, tags)
        return await runs.get(database, run.id)
