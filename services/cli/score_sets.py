"""Which of a run's score sets is meant? By its name, or by its number in the order of storing."""

from collections.abc import Sequence
from typing import Annotated

import typer

from services.cli.exits import UsageError

ScoreSetOption = Annotated[
    str | None,
    typer.Option("--set", help="A score set's name or number; else the one stored last."),
]


def choose_set(sets: Sequence[str], wanted: str | None) -> str | None:
    """Return the name of a score set.

    Args:
        sets: The run's, the one stored last first.
        wanted: A name, or a number: 1 is the one stored first; None is the one stored last.

    Raises:
        UsageError: The run has no such set.
    """
    if wanted is None:
        return next(iter(sets), None)
    if wanted in sets:
        return wanted
    oldest_first = sets[::-1]
    if wanted.isdecimal() and 0 < int(wanted) <= len(sets):
        return oldest_first[int(wanted) - 1]
    allowed = ", ".join(_numbered(sets)) or "none: the run has no scores yet"
    raise UsageError(f"--set {wanted}: the run has no such score set; allowed: {allowed}")


def sets_line(sets: Sequence[str], shown: str | None) -> str:
    """Return a line that names the sets and the one that is shown; empty where there is one."""
    if len(sets) < 2:
        return ""
    return f"score sets: {' · '.join(_numbered(sets))}; shown: {shown}\n"


def _numbered(sets: Sequence[str]) -> list[str]:
    return [f"{number} {name}" for number, name in enumerate(sets[::-1], start=1)]
