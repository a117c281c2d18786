"""Cognate comprehension of every run and pair.

Source: Cahyawijaya et al. 2024 (arXiv:2410.21573), Figures 5 (all tasks), 11 and 12 (by task).
"""

from collections.abc import Mapping, Sequence

from metrics.figures.figure import Figure, FigureRun
from metrics.figures.missing import MissingNotes
from metrics.figures.options import chosen
from metrics.figures.run_names import run_names
from metrics.figures.stingray_grid import FULL, TASKS, Row, extremes, grid, grid_rows
from metrics.figures.style import caption, finished

KIND = "stingray-comprehension"
OPTIONS = {"task": TASKS}
TITLES = {"all": "", "semantic": ", semantic task", "usage": ", usage task"}


def draw(runs: Sequence[FigureRun], options: Mapping[str, str]) -> Figure:
    """Draw a point with its interval for each run, pair and subset."""
    task = chosen(options, OPTIONS, KIND)["task"]
    names = run_names(runs)
    notes = MissingNotes()
    rows = [_percent(row) for row in grid_rows(runs, "cognate_comprehension", task, notes)]
    words = caption(
        "Further right is better, up to 100; whiskers are 95 % intervals, the grey tick is random"
        " answers",
        f"up to {max(row['n'] for row in rows):,} answers a point" if rows else "0",
        "Cahyawijaya et al. 2024 (arXiv:2410.21573), section 3.3",
    )
    axis = {"field": "value", "type": "quantitative", "title": "comprehension",
            "scale": {"domain": [0, FULL]}}  # fmt: skip
    return finished(
        KIND,
        f"StingrayBench: cognate comprehension by pair{TITLES[task]}",
        words + notes.sentence(),
        extremes(rows, "Cognate comprehension, 0 to 100, higher is better"),
        grid(rows, names, {"type": "point"}, axis),
    )


def _percent(row: Row) -> Row:
    scaled = {
        name: None if row[name] is None else FULL * row[name]
        for name in ("value", "low", "high", "chance")
    }
    return {**row, **scaled}
