"""Commands that draw: figure."""

from pathlib import Path
from typing import Annotated

import typer

from metrics.figures.catalog import KINDS, figure_kind
from metrics.figures.figure import Figure
from services.cli.exits import UsageError
from services.cli.options import JsonOption, read_settings
from services.cli.outputs import make_parent
from services.cli.printing import print_json, print_table, say
from services.cli.store import find_run, open_store, wait_for
from services.figures import FigureFormat, draw_stored, render_figure
from services.home import Home, open_home


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command()(figure)


def figure(  # noqa: PLR0913  # one parameter an option
    kind: Annotated[str | None, typer.Argument(help="`--list` shows all.")] = None,
    run_ids: Annotated[
        list[str] | None, typer.Argument(metavar="RUN...", help="Ids, or `last`.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="FILE.svg, .png, .pdf or .json (Vega-Lite).")
    ] = None,
    option: Annotated[
        list[str], typer.Option("--option", metavar="K=V", help="A choice of the kind; repeatable.")
    ] = [],  # noqa: B006  # typer copies it
    dark: Annotated[bool, typer.Option("--dark", help="For a dark page.")] = False,
    list_kinds: Annotated[bool, typer.Option("--list", help="Show which kinds there are.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Draw a figure of runs into a file."""
    if list_kinds:
        _list_kinds(as_json=as_json)
        return
    if kind is None or not run_ids or out is None:
        raise UsageError("expected KIND RUN... --out FILE; `polysense figure --list` shows kinds")
    figure_kind(kind)
    form = _format_of(out)
    options = read_settings(option, "--option")
    drawn = wait_for(_draw(open_home(), kind, run_ids, options))
    _write(out, render_figure(drawn, form, is_dark=dark))
    if as_json:
        print_json({"file": str(out), "kind": kind, "title": drawn.title,
                    "caption": drawn.caption, "alt": drawn.alt})  # fmt: skip
        return
    say(f"figure: {out}")
    say(drawn.caption)


def _list_kinds(*, as_json: bool) -> None:
    if as_json:
        print_json(
            [
                {"kind": name, "benchmark": kind.benchmark, "summary": kind.summary}
                for name, kind in KINDS.items()
            ]
        )
        return
    rows = [(name, kind.benchmark, kind.summary) for name, kind in KINDS.items()]
    print_table("", ("kind", "benchmark", "summary"), rows)


async def _draw(home: Home, kind: str, run_ids: list[str], options: dict[str, str]) -> Figure:
    async with open_store(home) as database:
        found = [await find_run(database, run_id) for run_id in run_ids]
        return await draw_stored(database, kind, [run.id for run in found], options)


def _format_of(out: Path) -> FigureFormat:
    ending = out.suffix.removeprefix(".").lower()
    if ending not in list(FigureFormat):
        allowed = ", ".join(f".{form}" for form in FigureFormat)
        raise UsageError(f"--out {out}: a figure is written as one of {allowed}")
    if out.is_dir():
        raise UsageError(f"--out {out} is a folder; a file's name is expected")
    make_parent(out)
    return FigureFormat(ending)


def _write(out: Path, content: bytes) -> None:
    """Write a whole file or none, in the place of an earlier one."""
    part = out.with_name(f".{out.name}.part")
    try:
        part.write_bytes(content)
        part.replace(out)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise UsageError(f"--out {out}: cannot be written: {error.strerror}") from error
