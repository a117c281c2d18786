"""Violins of the gold scores of each language: how relatedness is spread in the data.

Source: Ousidhoum et al. 2024 (arXiv:2402.08638), figure of the score distributions.
"""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from metrics.errors import FigureError
from metrics.figures.figure import Figure, FigureRun
from metrics.figures.options import chosen
from metrics.figures.style import caption, finished
from metrics.semrel import gold_scores

KIND = "semrel-violins"
OPTIONS: Mapping[str, Sequence[str]] = {}
BANDWIDTH = 0.05
"""In units of relatedness: wide enough to hide that scores have two decimals."""
STEPS = 80
WIDTH = 54
HEIGHT = 260
Row = dict[str, Any]


def draw(runs: Sequence[FigureRun], options: Mapping[str, str]) -> Figure:
    """Draw a violin a language, each as wide at its fullest; the tick is the median."""
    chosen(options, OPTIONS, KIND)
    golds = widest_gold(runs)
    if not golds:
        raise FigureError(f"figure {KIND!r}: the runs have no gold score; an answered run has them")
    n = sum(len(values) for values in golds.values())
    words = caption(
        "A violin over the whole height is better: pairs of every relatedness are in the data;"
        " ticks are medians, each violin is drawn as wide as another",
        f"{n:,} pairs in {len(golds)} languages",
        "Ousidhoum et al. 2024 (arXiv:2402.08638); Gaussian kernel of width 0.05",
    )
    title = "SemRel2024: gold relatedness by language"
    return finished(KIND, title, words, _finding(golds), _body(golds))


def widest_gold(runs: Sequence[FigureRun]) -> dict[str, list[float]]:
    """Return the gold scores of each language, from the run that has most of them."""
    found: dict[str, list[float]] = {}
    for run in runs:
        for language, golds in gold_scores(run.rows).items():
            if len(golds) > len(found.get(language, [])):
                found[language] = golds
    return dict(sorted(found.items()))


def _body(golds: Mapping[str, Sequence[float]]) -> Row:
    rows = [
        {"language": f"{language} ({len(values):,})", "gold": value}
        for language, values in golds.items()
        for value in values
    ]
    y = {"field": "gold", "type": "quantitative", "title": "relatedness",
         "scale": {"domain": [0, 1]}}  # fmt: skip
    per_language = {"groupby": ["language"]}
    density = {
        "transform": [
            {"density": "gold", "extent": [0, 1], "bandwidth": BANDWIDTH, "steps": STEPS,
             "as": ["gold", "density"], **per_language},
            {"joinaggregate": [{"op": "max", "field": "density", "as": "most"}], **per_language},
            {"calculate": "datum.density / datum.most", "as": "share"},
        ],
        "mark": {"type": "area", "orient": "horizontal", "fillOpacity": 0.65},
        "encoding": {
            "y": y,
            "x": {"field": "share", "type": "quantitative", "stack": "center", "axis": None,
                  "scale": {"domain": [-0.1, 1.1]}},
        },
    }  # fmt: skip
    middle = {
        "transform": [
            {"aggregate": [{"op": "median", "field": "gold", "as": "gold"}], **per_language}
        ],
        "mark": {"type": "tick", "style": "interval", "orient": "horizontal", "thickness": 3,
                 "size": 22},
        "encoding": {"y": y, "x": {"datum": 0.5, "type": "quantitative"}},
    }  # fmt: skip
    return {
        "data": {"values": rows},
        "facet": {"column": {"field": "language", "type": "nominal", "title": None,
                             "header": {"labelOrient": "bottom", "labelFontWeight": "normal",
                                        "labelFontSize": 10}}},
        "spacing": 2,
        "spec": {"width": WIDTH, "height": HEIGHT, "layer": [density, middle],
                 "view": {"stroke": None}},
    }  # fmt: skip


def _finding(golds: Mapping[str, Sequence[float]]) -> str:
    parts = [
        f"{language} {median(values):.2f} ({values[0]:.2f} to {values[-1]:.2f})"
        for language, values in golds.items()
    ]
    return f"Gold relatedness, median (least to greatest): {'; '.join(parts)}."
