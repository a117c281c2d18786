"""Commands that help to build DiBiMT's items: senses, build, statistics."""

import sys
import textwrap
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.dibimt.annotation import AnnotationStatistics, annotation_statistics
from benchmarks.dibimt.builder import Built, build_items, read_candidates
from benchmarks.dibimt.data import ITEMS, SENSES, chosen_languages, read_rows
from benchmarks.dibimt.inventory import Inventory, read_tab_file
from benchmarks.dibimt.senses_table import senses_table
from languages.wordnet import open_wordnet
from services.cli.dibimt_review_commands import add_review
from services.cli.exits import UsageError
from services.cli.miss_study_commands import add_miss_study
from services.cli.options import JsonOption, LanguageOption
from services.cli.outputs import ForceOption, json_lines, make_folder, write_text
from services.cli.printing import number, print_json, print_table, say

WIDTH = 80
GLOSS_INDENT = " " * 12
DISCARDED = "discarded.jsonl"
WordNetOption = Annotated[
    Path | None, typer.Option("--wordnet", help="WordNet's folder; else where Debian puts it.")
]


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    group = typer.Typer(name="dibimt", help="What DiBiMT's builders need.", no_args_is_help=True)
    group.callback()(_keep_as_group)
    for command in (senses, build, statistics):
        group.command()(command)
    add_review(group)
    add_miss_study(group)
    app.add_typer(group)


def _keep_as_group() -> None:
    """Build DiBiMT's items, review them, and study what translations miss."""


def senses(
    lemma: Annotated[str, typer.Argument(help="An English word; several joined by a blank.")],
    pos: Annotated[str, typer.Option("--pos", help="NOUN, VERB, ADJ or ADV.")],
    wordnet: WordNetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a word's senses in WordNet: their places μ, their number δ, and counts."""
    table = senses_table(open_wordnet(wordnet), lemma, pos.upper())
    if as_json:
        print_json(table.as_json())
        return
    for line in table.as_text().splitlines():
        sys.stdout.write(textwrap.fill(line, WIDTH, subsequent_indent=GLOSS_INDENT) + "\n")


def build(
    candidates: Annotated[
        Path, typer.Argument(metavar="CANDIDATES", help="JSON lines: sense-tagged sentences.")
    ],
    inventory: Annotated[
        list[str],
        typer.Option("--inventory", metavar="CODE=FILE", help="A wordnet as tab file; repeatable."),
    ],
    out: Annotated[Path, typer.Option("--out", help="The data folder to write.")],
    wordnet: WordNetOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make items of sense-tagged sentences and open wordnets, before annotators see them."""
    files = _inventory_files(inventory)
    english = open_wordnet(wordnet)
    known: dict[str, Inventory] = {code: read_tab_file(path) for code, path in files.items()}
    built = build_items(read_candidates(candidates), english, known)
    if built.items:
        make_folder(out, (ITEMS, SENSES, DISCARDED), force=force)
        write_text(out / ITEMS, json_lines(item.model_dump() for item in built.items))
        write_text(out / SENSES, json_lines(one.model_dump() for one in built.senses))
        discarded = ({"id": name, "reason": why} for name, why in built.discarded.items())
        write_text(out / DISCARDED, json_lines(discarded))
    _tell_built(built, out, as_json=as_json)


def statistics(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A reviewed data folder.")],
    language: LanguageOption = [],  # noqa: B006  # typer copies it
    as_json: JsonOption = False,
) -> None:
    """Say what annotators changed: %OG added, %RG removed, %SL equal answers of one sense."""
    languages = chosen_languages(folder, language)
    rows = read_rows(folder, languages)
    found = [annotation_statistics(rows, name) for name in languages]
    if as_json:
        print_json({"schema": 1, "languages": {each.language: _as_json(each) for each in found}})
        return
    columns = ("language", "items ", "%OG ", "%RG ", "%SL ", "pairs ")
    print_table("", columns, [_statistics_row(each) for each in found])


def _inventory_files(pairs: list[str]) -> dict[str, Path]:
    files: dict[str, Path] = {}
    for pair in pairs:
        code, separator, path = pair.partition("=")
        if not separator or not code.isalpha() or not path:
            raise UsageError(f"--inventory {pair!r}: expected language=file, as in de=wn-deu.tab")
        if code in files:
            raise UsageError(f"--inventory {code} stands twice")
        files[code] = Path(path)
    return files


def _tell_built(built: Built, out: Path, *, as_json: bool) -> None:
    reasons = dict(sorted(built.n_discarded.items()))
    n_items = len(built.items)
    if as_json:
        place = str(out) if n_items else None
        print_json({"schema": 1, "folder": place, "n_items": n_items, "n_discarded": reasons})
        return
    for reason, n in reasons.items():
        say(f"discarded: {n} × {reason}")
    say(f"{out}: {n_items} items" if n_items else f"no item was made; {out} was not written")


def _as_json(found: AnnotationStatistics) -> dict[str, float | int | None]:
    return {
        "n_items": found.n_items,
        "added_share": found.added_share,
        "removed_share": found.removed_share,
        "same_set_share": found.same_set_share,
        "n_pairs": found.n_pairs,
    }


def _statistics_row(found: AnnotationStatistics) -> tuple[str, ...]:
    shares = (found.added_share, found.removed_share, found.same_set_share)
    written = ("–" if share is None else number(100 * share) for share in shares)
    return found.language, str(found.n_items), *written, str(found.n_pairs)
