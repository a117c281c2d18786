"""Commands about what DTAiLS' annotators answer: agreement."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.dtails.annotation import read_annotations
from metrics.dtails_agreement import agreement_report
from services.cli.options import JsonOption
from services.cli.printing import number, print_json, print_table

ROWS = (
    ("rules", "variations", "precision", "variations that mean the concept"),
    ("rules", "completeness", "recall", "concepts that miss no variation"),
    ("rules", "rules", "accuracy", "rules that are correct"),
    ("sentences", "choices", None, "variation chosen for a sentence"),
)
"""Study, key in the report, its share beside the agreement, and what is asked in words."""


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command()(agreement)


def agreement(
    file: Annotated[Path, typer.Argument(help="JSON lines with what annotators answered.")],
    as_json: JsonOption = False,
) -> None:
    """Say how far annotators agree, and what they think of variations and rules."""
    found = agreement_report(read_annotations(file))
    if as_json:
        print_json(found)
        return
    for language, report in found["languages"].items():
        _print_language(language, report)


def _print_language(language: str, report: dict[str, Any]) -> None:
    rows = [
        (words, str(cell["n"]), *_agreement(cell), _share(cell, share))
        for _, key, share, words in ROWS
        if (cell := report.get(key)) is not None
    ]
    print_table(language, ("asked", "n ", "TA ", "kappa ", "PABAK ", "share "), rows)
    for _, key, _, words in ROWS:
        if (reason := report.get(key, {}).get("reason")) is not None:
            sys.stdout.write(f"– {words}: {reason}\n")
    context = report.get("sufficient_context")
    if context is not None:
        told = context["reason"] or f"{context['n_kept']} of {context['n_annotated']}"
        sys.stdout.write(f"sentences with enough context: {told}\n")


def _agreement(cell: dict[str, Any]) -> tuple[str, str, str]:
    first, second, third = (cell[name] for name in ("total_agreement", "fleiss_kappa", "pabak"))
    return _number(first), _number(second), _number(third)


def _share(cell: dict[str, Any], name: str | None) -> str:
    return "" if name is None else f"{name} {_number(cell[name])}"


def _number(value: float | None) -> str:
    return "–" if value is None else number(value)
