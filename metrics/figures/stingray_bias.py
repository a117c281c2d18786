"""Cognate bias of every run and pair: which language a model leans to, or only how far.

Source: Cahyawijaya et al. 2024 (arXiv:2410.21573), Figures 6 (all tasks), 13 and 14 (by task).
"""

from collections.abc import Mapping, Sequence

from metrics.figures.figure import Figure, FigureRun
from metrics.figures.missing import MissingNotes
from metrics.figures.options import chosen
from metrics.figures.run_names import run_names
from metrics.figures.stingray_comprehension import TITLES
from metrics.figures.stingray_grid import TASKS, Row, extremes, grid, grid_rows
from metrics.figures.style import caption, finished

KIND = "stingray-bias"
OPTIONS = {"value": ("signed", "absolute"), "task": TASKS}
GOOD = {
    "signed": "Nearer to 0 is better; bars to the left lean to L1 (the first language of the pair),"
    " to the right to L2",
    "absolute": "Shorter bars are better: 0 is even, 1 is one language only",
}
AXES: Mapping[str, Row] = {
    "signed": {"title": "bias (← L1 · L2 →)", "scale": {"domain": [-1, 1]}},
    "absolute": {"title": "|bias|", "scale": {"domain": [0, 1]}},
}


def draw(runs: Sequence[FigureRun], options: Mapping[str, str]) -> Figure:
    """Draw a bar with its interval for each run, pair and subset."""
    choice = chosen(options, OPTIONS, KIND)
    names = run_names(runs)
    notes = MissingNotes()
    rows = [
        {**(row if choice["value"] == "signed" else absolute(row)), "chance": None}
        for row in grid_rows(runs, "cognate_bias", choice["task"], notes)
    ]
    words = caption(
        f"{GOOD[choice['value']]}; whiskers are 95 % intervals",
        f"up to {max(row['n'] for row in rows):,} answers a bar" if rows else "0",
        "Cahyawijaya et al. 2024 (arXiv:2410.21573), section 3.3",
    )
    axis = {"field": "value", "type": "quantitative", **AXES[choice["value"]]}
    return finished(
        KIND,
        f"StingrayBench: {choice['value']} cognate bias by pair{TITLES[choice['task']]}",
        words + notes.sentence(),
        extremes(rows, "Cognate bias; 0 is even"),
        grid(rows, names, {"type": "bar", "height": {"band": 0.6}}, axis),
    )


def absolute(row: Row) -> Row:
    """Return a row of |bias|; an interval that holds 0 begins at 0."""
    low, high, value = row["low"], row["high"], row["value"]
    if low is not None and high is not None:
        ends = sorted((abs(low), abs(high)))
        low, high = (0.0 if low <= 0 <= high else ends[0]), ends[1]
    return {**row, "value": None if value is None else abs(value), "low": low, "high": high}
