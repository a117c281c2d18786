"""Comprehension, or bias, against the number of parameters, a line a family.

Source: Cahyawijaya et al. 2024 (arXiv:2410.21573), the analysis of scale.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from metrics.errors import FigureError
from metrics.figures.figure import Figure, FigureRun
from metrics.figures.missing import MissingNotes
from metrics.figures.options import chosen
from metrics.figures.stingray_families import family_of, parameters_of, read_sizes
from metrics.figures.stingray_grid import TASKS, grid_rows
from metrics.figures.stingray_words import SUBSETS
from metrics.figures.style import by_label, caption, finished, interval_layers

KIND = "stingray-parameters"
OPTIONS = {"score": ("comprehension", "bias"), "task": TASKS}
DOMAINS = {"comprehension": [0, 1], "bias": [-1, 1]}
GOOD = {"comprehension": "Higher is better", "bias": "Nearer to 0 is better"}
PANEL = 150
Row = dict[str, Any]


def draw(runs: Sequence[FigureRun], options: Mapping[str, str]) -> Figure:
    """Draw a panel for each subset and pair; runs whose size is unknown are named below it."""
    sizes = read_sizes(options.get("sizes", ""))
    choice = chosen({k: v for k, v in options.items() if k != "sizes"}, OPTIONS, KIND)
    notes = MissingNotes()
    found = list(grid_rows(runs, f"cognate_{choice['score']}", choice["task"], notes))
    n_each = len(found) // len(runs)
    rows = [
        {**row, "family": family_of(run.model), "parameters": parameters_of(run.model, sizes)}
        for number, run in enumerate(runs)
        for row in found[number * n_each : (number + 1) * n_each]
    ]
    unknown = list(dict.fromkeys(row["run"] for row in rows if row["parameters"] is None))
    placed = [row for row in rows if row["parameters"] is not None]
    if not placed:
        raise FigureError(
            f"figure {KIND!r}: no size in the models' names; give option sizes=name:number"
        )
    words = caption(
        f"{GOOD[choice['score']]}; lines join the sizes of a family, whiskers are 95 % intervals",
        f"{len(runs) - len(unknown)} runs with a size, up to {max(r['n'] for r in rows):,} answers"
        " a point",
        "Cahyawijaya et al. 2024 (arXiv:2410.21573)",
    )
    left_out = f" Without a known size: {', '.join(unknown)}." if unknown else ""
    title = f"StingrayBench: {choice['score']} against the number of parameters"
    body = _body(placed, choice["score"])
    return finished(KIND, title, words + notes.sentence() + left_out, _finding(placed), body)


def _body(rows: Sequence[Row], score: str) -> Row:
    families = sorted({row["family"] for row in rows})
    pairs = list(dict.fromkeys(row["pair"] for row in rows))
    x = {"field": "parameters", "type": "quantitative", "title": "parameters (thousand million)",
         "scale": {"type": "log"},
         "axis": {"tickCount": 4, "format": "~r", "grid": False}}  # fmt: skip
    y = {"field": "value", "type": "quantitative", "title": score,
         "scale": {"domain": DOMAINS[score]}}  # fmt: skip
    both = {"x": x, "y": y}
    dashed = by_label("family", families, dash=True)
    dashed["strokeDash"] = {**dashed["strokeDash"], "legend": None}
    return {
        "data": {"values": list(rows)},
        "facet": {
            "row": {"field": "subset", "title": None, "type": "nominal",
                    "sort": list(SUBSETS.values()),
                    "header": {"labelAngle": 0, "labelAlign": "left"}},
            "column": {"field": "pair", "title": None, "type": "nominal", "sort": pairs},
        },
        "spec": {
            "width": PANEL,
            "height": PANEL,
            "layer": [
                *interval_layers("low", "high", axis="y", other={"x": x}, title=score, cap=4),
                {"mark": {"type": "line"},
                 "encoding": both | dashed},
                {"mark": {"type": "point"},
                 "encoding": both | by_label("family", families, shape=True)},
            ],
        },
    }  # fmt: skip


def _finding(rows: Sequence[Row]) -> str:
    sentences = []
    for family in sorted({row["family"] for row in rows}):
        sizes = sorted({row["parameters"] for row in rows if row["family"] == family})
        if len(sizes) < 2:
            continue
        parts = [_change(rows, family, sizes, subset) for subset in SUBSETS.values()]
        sentences.append(f"{family}, from {sizes[0]:g} to {sizes[-1]:g}: {'; '.join(parts)}.")
    lead = "Score against the number of parameters (thousand million). "
    return lead + (" ".join(sentences) or "No family has two sizes.")


def _change(rows: Sequence[Row], family: str, sizes: Sequence[float], subset: str) -> str:
    """Say how the mean over pairs goes from the smallest to the largest size."""
    means = []
    for size in (sizes[0], sizes[-1]):
        values = [
            row["value"]
            for row in rows
            if (row["family"], row["parameters"], row["subset"]) == (family, size, subset)
            and row["value"] is not None
        ]
        if not values:
            return f"{subset} without a value"
        means.append(sum(values) / len(values))
    return f"{subset} {means[0]:.2f} to {means[1]:.2f}"
