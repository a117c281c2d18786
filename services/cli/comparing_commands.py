"""Commands that hold one run against another: compare, gate."""

import sys
from typing import Annotated

import typer

from metrics.comparison import Compared, Dimensions
from metrics.comparison_verdict import gate as decide
from metrics.comparison_verdict import gated
from services.cli.exits import DONE, WORSE, UsageError
from services.cli.options import JsonOption, LanguageOption, TaskOption
from services.cli.printing import console, number, print_json, print_table, say
from services.cli.store import find_run, open_store, wait_for
from services.comparing import StoredComparison, compare_stored, document, read_dimensions, told
from services.home import Home, open_home

FirstArgument = Annotated[str, typer.Argument(metavar="A", help="A run's id, or `last`.")]
SecondArgument = Annotated[str, typer.Argument(metavar="B", help="Another run's id, or `last`.")]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Compare although data or metric version differ.")
]
SIGNIFICANT = 0.05


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command()(compare)
    app.command()(gate)


def compare(
    first: FirstArgument,
    second: SecondArgument,
    by: Annotated[
        str, typer.Option("--by", help="Dimensions to keep apart; also layer, setting.")
    ] = "task,language,subset",
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Say where run B differs from run A, on the items that both answered."""
    dimensions = read_dimensions([word.strip() for word in by.split(",") if word.strip()])
    found = wait_for(_compare(open_home(), first, second, dimensions, force=force))
    for line in told(found):
        say(line)
    if as_json:
        print_json(document(found, dimensions))
        return
    columns = columns_for(console().width)
    for metric in dict.fromkeys(row.metric for row in found.comparison.rows):
        rows = [row for row in found.comparison.rows if row.metric == metric]
        print_table(metric, columns, [_cells(row)[: len(columns)] for row in rows])
        sys.stdout.write("\n")
    sys.stdout.write("* p < .05 after Holm; mde: the least difference found four times in five\n")
    sys.stdout.write(found.verdict + "\n")


COLUMNS = ("task", "language", "of", "A ", "B ", "B-A ", "95% interval ", "Holm ", "mde ")
WIDE = 90


def columns_for(width: int) -> tuple[str, ...]:
    """Return the columns that a terminal of this width has room for."""
    return COLUMNS if width >= WIDE else COLUMNS[:-1]


def gate(  # noqa: PLR0913  # one parameter an option
    first: FirstArgument,
    second: SecondArgument,
    margin: Annotated[float, typer.Option("--margin", help="How much worse is still allowed.")],
    metric: Annotated[
        list[str], typer.Option("--metric", help="Default: the headline metric; repeatable.")
    ] = [],  # noqa: B006  # typer copies it
    task: TaskOption = [],  # noqa: B006
    language: LanguageOption = [],  # noqa: B006
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """End with 1 where run B is worse than run A by more than a margin, with confidence."""
    if not 0 <= margin < 1:
        raise UsageError(f"--margin {margin:g}: allowed is 0 or more, and less than 1")
    dimensions = read_dimensions(["task", "language", "subset"])
    found = wait_for(_compare(open_home(), first, second, dimensions, force=force))
    rows = gated(found.comparison.rows, metric, task, language)
    decision = decide(rows, margin)
    for warning in found.warnings:
        say(f"warning: {warning}")
    if as_json:
        print_json({"is_worse": decision.is_worse, "margin": margin, "sentence": decision.sentence})
    else:
        sys.stdout.write(decision.sentence + "\n")
    return WORSE if decision.is_worse else DONE


async def _compare(
    home: Home, first: str, second: str, dimensions: Dimensions, *, force: bool
) -> StoredComparison:
    async with open_store(home) as database:
        a, b = await find_run(database, first), await find_run(database, second)
        return await compare_stored(database, a, b, dimensions=dimensions, force=force)


def _cells(row: Compared) -> tuple[str, ...]:
    layer = None if row.layer is None else f"layer={row.layer}"
    return (
        row.task or "all",
        row.language or "mean",
        " ".join(part for part in (row.subset, layer, row.setting) if part),
        _number(row.a),
        _number(row.b),
        _number(row.difference),
        "–" if row.ci_low is None else f"{_number(row.ci_low)} {_number(row.ci_high)}",
        "–" if row.p_holm is None else f"{row.p_holm:.3f}{_star(row.p_holm)}",
        _number(row.minimum_detectable),
    )


def _star(p_value: float) -> str:
    return "*" if p_value <= SIGNIFICANT else " "


def _number(value: float | None) -> str:
    return "–" if value is None else number(value)
