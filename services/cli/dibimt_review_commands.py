"""Commands about the review of DiBiMT's answer sets: dibimt review export, import."""

import shutil
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.dibimt.data import ITEMS, SENSES, chosen_languages, languages_of, read_rows
from benchmarks.dibimt.records import ItemRecord
from benchmarks.dibimt.review import Review, apply_reviews, read_reviews, review_lines
from services.cli.exits import UsageError
from services.cli.options import JsonOption, LanguageOption
from services.cli.outputs import ForceOption, check_outputs, json_lines, make_folder, write_text
from services.cli.printing import print_json, say

FolderArgument = Annotated[Path, typer.Argument(metavar="FOLDER", help="A DiBiMT data folder.")]


def add_review(group: typer.Typer) -> None:
    """Add this room's commands to the group `dibimt`."""
    review = typer.Typer(name="review", no_args_is_help=True)
    review.callback()(_review)
    review.command(name="export")(export_review)
    review.command(name="import")(import_review)
    group.add_typer(review)


def _review() -> None:
    """Let annotators add and remove lemmas of the answer sets."""


def export_review(
    folder: FolderArgument,
    out: Annotated[Path, typer.Option("--out", help="The JSON lines to write.")],
    language: LanguageOption = [],  # noqa: B006  # typer copies it
    only_open: Annotated[
        bool, typer.Option("--only-open", help="Items tagged DISCUSS and no others.")
    ] = False,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write a line an item and language, with what there is, for annotators to fill in."""
    check_outputs([out], force=force)
    rows = read_rows(folder, chosen_languages(folder, language))
    items = [row.record for row in rows if row.record.tags or not only_open]
    lines = review_lines(items)
    write_text(out, json_lines(line.model_dump() for line in lines))
    facts = {"n_items": len(items), "n_lines": len(lines)}
    _tell(out, facts, as_json=as_json)


def import_review(
    folder: FolderArgument,
    reviews: Annotated[
        list[Path], typer.Argument(metavar="REVIEW...", help="Filled in; a language each, or more.")
    ],
    out: Annotated[Path, typer.Option("--out", help="The folder with the reviewed items.")],
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Apply reviews: a new data folder with added, removed and discussed lemmas."""
    given: dict[tuple[str, str], Review] = {}
    for path in reviews:
        for name, review in read_reviews(path).items():
            if name in given:
                raise UsageError(f"{review.place} was given already: {given[name].place}")
            given[name] = review
    before = [row.record for row in read_rows(folder, languages_of(folder))]
    after = apply_reviews(before, given)
    if out.resolve() == folder.resolve():
        raise UsageError(f"--out {out}: the items that were reviewed stand there; name a new one")
    make_folder(out, (ITEMS, SENSES), force=force)
    write_text(out / ITEMS, json_lines(item.model_dump() for item in after))
    shutil.copyfile(folder / SENSES, out / SENSES)
    _tell(out, _facts(before, after, len(given)), as_json=as_json)


def _facts(before: list[ItemRecord], after: list[ItemRecord], n_reviews: int) -> dict[str, Any]:
    changed = sum(old != new for old, new in zip(before, after, strict=True))
    return {
        "n_reviews": n_reviews,
        "n_items": len(after),
        "n_changed": changed,
        "n_open": sum(bool(item.tags) for item in after),
    }


def _tell(out: Path, facts: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json({"schema": 1, "file": str(out), **facts})
        return
    say(f"{out}: {', '.join(f'{name[2:]} {n}' for name, n in facts.items())}")
