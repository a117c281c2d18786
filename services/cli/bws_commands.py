"""Commands about SemRel2024's annotations: bws FILE, bws tuples.

`bws FILE` is short for `bws score FILE`.
"""

import csv
import io
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from benchmarks.semrel.data import read_pairs
from benchmarks.semrel.tuples import SIZE, n_repeated_meetings, propose_tuples
from metrics.bws import bws_report
from metrics.bws_disagreement import disagreement_report
from services.cli.exits import UsageError
from services.cli.options import JsonOption
from services.cli.outputs import ForceOption, check_outputs, json_lines, write_text
from services.cli.printing import number, print_json, print_table, say

TUPLE_COLUMNS = ("Pair1", "Pair2", "Pair3", "Pair4", "Best", "Worst")
N_SHOWN = 5
"""Pairs shown from either end of the scores."""
N_DISPUTED = 10
"""Tuples, and pairs, that are shown as disputed."""
MAX_SHOWN, MAX_DISPUTED = 56, 40
"""Characters of a pair in the table of scores, and of disagreement."""


SeedOption = Annotated[int, typer.Option(min=0, help="Where halves or tuples are drawn from.")]


class ScoreUnlessNamed(TyperGroup):
    """A group whose first word may be a file: then it is scored."""

    default = "score"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401  # typer's own
        """Put the command's name where only a file is given."""
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h"):
            args = [self.default, *args]
        return super().parse_args(ctx, args)


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    group = typer.Typer(name="bws", cls=ScoreUnlessNamed, no_args_is_help=True)
    group.callback()(_keep_as_group)
    group.command()(score)
    group.command()(tuples)
    app.add_typer(group)


def _keep_as_group() -> None:
    """Best-Worst Scaling: `bws FILE` scores annotations, `bws tuples` proposes what to annotate."""


def tuples(
    file: Annotated[Path, typer.Argument(metavar="PAIRS", help="CSV: PairID, Text.")],
    out: Annotated[Path, typer.Option("--out", help="The CSV for annotators.")],
    seed: SeedOption = 0,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write 2N tuples of four of N pairs, each pair in eight, hardly two of them together twice."""
    _propose(file, out, seed, force=force, as_json=as_json)


def score(
    file: Annotated[Path, typer.Argument(help="CSV: four pairs, the most and the least related.")],
    seed: SeedOption = 0,
    to: Annotated[
        Path | None,
        typer.Option("--tuples", help="FILE is pairs: as `bws tuples FILE --out …`."),
    ] = None,
    disputed: Annotated[
        Path | None,
        typer.Option("--disagreement", help="Write every tuple's and pair's disagreement (JSONL)."),
    ] = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Score Best-Worst annotations and say how reliable they are."""
    if to is not None:
        _propose(file, to, seed, force=force, as_json=as_json)
        return
    if disputed is not None:
        check_outputs([disputed], force=force)
    found = bws_report(file, seed)
    disagreement = disagreement_report(file)
    if disputed is not None:
        write_text(disputed, json_lines([*disagreement["tuples"], *disagreement["pairs"]]))
    if as_json:
        print_json({**found, "disagreement": disagreement})
        return
    _print_scores(found, {row["pair"]: row["n_annotations"] for row in disagreement["pairs"]})
    _print_disagreement(disagreement)
    say("`--json` gives every score, `--disagreement FILE` what annotators dispute")


def _print_scores(found: Mapping[str, Any], n_by_pair: Mapping[str, int]) -> None:
    reliability = found["split_half_reliability"]
    sys.stdout.write(
        f"pairs: {found['n_pairs']}, tuples: {found['n_tuples']},"
        f" annotations: {found['n_annotations']}, rows left out: {found['n_dropped']}\n"
        "split-half reliability: "
        + ("– (no tuple has two annotations)" if reliability is None else number(reliability))
        + "\n"
    )
    for reason, n_rows in found["dropped"].items():
        sys.stdout.write(f"left out: {n_rows} × {reason}\n")
    print_table("", ("score ", "n ", "pair"), _both_ends(found["scores"], n_by_pair))


def _print_disagreement(found: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Print the most disputed tuples and pairs; tuples go by their first pair."""
    for title, name in (("most disputed tuples", "tuples"), ("most disputed pairs", "pairs")):
        shown = [row for row in found[name] if row["best"] is not None][:N_DISPUTED]
        rows = [
            (number(row["best"]), number(row["worst"]), str(row["n_annotations"]), _name(row))
            for row in shown
        ]
        if rows:
            print_table(title, ("best ", "worst ", "n ", name[:-1]), rows)


def _name(row: Mapping[str, Any]) -> str:
    return _shorten(row["pair"] if "pair" in row else row["pairs"][0], MAX_DISPUTED)


def _propose(file: Path, out: Path, seed: int, *, force: bool, as_json: bool) -> None:
    """Write tuples of a file's pairs, in the layout that `bws` reads once they are annotated."""
    check_outputs([out], force=force)
    pairs = list(read_pairs(file))
    if len(pairs) < SIZE:
        raise UsageError(f"{file}: {len(pairs)} pairs; a tuple needs {SIZE}")
    proposed = propose_tuples(len(pairs), seed)
    cells = [str([pair.text_a, pair.text_b]) for pair in pairs]
    sheet = io.StringIO(newline="")
    rows = csv.writer(sheet)
    rows.writerow(TUPLE_COLUMNS)
    rows.writerows([*(cells[number] for number in numbers), "", ""] for numbers in proposed)
    write_text(out, sheet.getvalue())
    n_repeated = n_repeated_meetings(proposed)
    facts = {"n_pairs": len(pairs), "n_tuples": len(proposed), "n_repeated_meetings": n_repeated}
    if as_json:
        print_json({"file": str(out), **facts})
        return
    sys.stdout.write(
        f"{len(proposed)} tuples of {len(pairs)} pairs; {n_repeated} meetings of two pairs that"
        " met before\n"
    )


def _both_ends(
    scores: Mapping[str, float], n_by_pair: Mapping[str, int]
) -> list[tuple[str, str, str]]:
    """Return the most and the least related pairs, a line of dots between them."""
    ranked = sorted(scores.items(), key=lambda entry: (-entry[1], entry[0]))
    rows = [(f"{score:.2f}", str(n_by_pair[pair]), _shorten(pair)) for pair, score in ranked]
    if len(rows) <= 2 * N_SHOWN:
        return rows
    return [*rows[:N_SHOWN], ("…", "", "…"), *rows[-N_SHOWN:]]


def _shorten(pair: str, most: int = MAX_SHOWN) -> str:
    half = most // 2
    first, _, second = pair.partition("\n")
    return " | ".join(
        text if len(text) <= half else text[: half - 1] + "…" for text in (first, second)
    )
