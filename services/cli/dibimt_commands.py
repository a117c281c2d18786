"""Commands that help to build DiBiMT's items: senses."""

import sys
import textwrap
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.dibimt.senses_table import senses_table
from languages.wordnet import open_wordnet
from services.cli.options import JsonOption
from services.cli.printing import print_json

WIDTH = 80
GLOSS_INDENT = " " * 12


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    group = typer.Typer(name="dibimt", help="What DiBiMT's builders need.", no_args_is_help=True)
    group.callback()(_keep_as_group)
    group.command()(senses)
    app.add_typer(group)


def _keep_as_group() -> None:
    """Help to build DiBiMT's items."""


def senses(
    lemma: Annotated[str, typer.Argument(help="An English word; several joined by a blank.")],
    pos: Annotated[str, typer.Option("--pos", help="NOUN, VERB, ADJ or ADV.")],
    wordnet: Annotated[
        Path | None, typer.Option("--wordnet", help="WordNet's folder; else where Debian puts it.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show a word's senses in WordNet: their places μ, their number δ, and counts."""
    table = senses_table(open_wordnet(wordnet), lemma, pos.upper())
    if as_json:
        print_json(table.as_json())
        return
    for line in table.as_text().splitlines():
        sys.stdout.write(textwrap.fill(line, WIDTH, subsequent_indent=GLOSS_INDENT) + "\n")
