"""Where is a model weak? Every language, method and negative type of a run in one map.

Source: He et al. 2025 (arXiv:2502.19737), Figure 2.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.xcomps.records import NEGATIVE_TYPES
from metrics.figures.figure import Figure, FigureRun
from metrics.figures.heat_map import CELL, heat_layers
from metrics.figures.options import chosen
from metrics.figures.panels import panel_title
from metrics.figures.run_names import run_names
from metrics.figures.style import Specification, caption, finished
from metrics.figures.xcomps_cells import (
    METHODS,
    SOURCE,
    Method,
    counts_text,
    languages_of,
    method_score,
    methods_of,
)

KIND = "xcomps-heat-map"
OPTIONS = {"neuro": ("mean", "best")}


def draw(runs: Sequence[FigureRun], options: Mapping[str, str]) -> Figure:
    """Draw one map a run.

    Args:
        runs: At least one.
        options: `neuro=mean|best`: which number stands for all layers.

    Raises:
        FigureError: No run has a score by language, or an option is not allowed.
    """
    summary = chosen(options, OPTIONS, KIND)["neuro"]
    languages = languages_of(runs, [method.task for method in METHODS])
    methods = methods_of(runs)
    names = run_names(runs)
    maps = [
        (
            name,
            [
                _cell(run, m, lang, t, summary)
                for m in methods
                for lang in languages
                for t in NEGATIVE_TYPES
            ],
        )
        for name, run in zip(names, runs, strict=True)
    ]
    body = {"vconcat": [_map(name, values, methods) for name, values in maps]}
    words = caption(
        "Blue is good: accuracy (Meta, Direct) and F1 (Neuro, the "
        + {"mean": "mean over layers", "best": "best layer"}[summary]
        + "), 1 is the most; orange is worse than chance (.5)",
        counts_text(runs),
        f"{SOURCE}, Figure 2",
    )
    title = "XCOMPS by language, method and negative type"
    return finished(KIND, title, words, " ".join(_finding(*each) for each in maps), body)


def _cell(
    run: FigureRun, method: Method, language: str, subset: str, summary: str
) -> dict[str, Any]:
    score = method_score(run, method, language, subset, summary)
    return {
        "language": language,
        "method": method.name,
        "type": subset,
        "value": None if score is None else score.value,
        "low": None if score is None else score.ci_low,
        "high": None if score is None else score.ci_high,
        "n": 0 if score is None else score.n,
        "reason": "not asked" if score is None else score.reason,
    }


def _map(
    name: str, values: Sequence[Mapping[str, Any]], methods: Sequence[Method]
) -> Specification:
    position = {
        "x": {
            "field": "type",
            "type": "nominal",
            "sort": list(NEGATIVE_TYPES),
            "title": None,
            "axis": {"labelAngle": -35, "domain": False, "ticks": False},
        },
        "y": {
            "field": "language",
            "type": "nominal",
            "title": None,
            "axis": {"domain": False, "ticks": False},
        },
        "tooltip": [{"field": field} for field in values[0]],
    }
    return {
        "title": panel_title(name),
        "data": {"values": list(values)},
        "facet": {
            "column": {
                "field": "method",
                "title": None,
                "sort": [method.name for method in methods],
            }
        },
        "spacing": 10,
        "spec": {
            "width": {"step": 2 * CELL},
            "height": {"step": CELL - 6},
            "encoding": position,
            "layer": heat_layers("value", "accuracy or F1", (0, 1), scheme="diverging"),
        },
    }


def _finding(name: str, values: Sequence[Mapping[str, Any]]) -> str:
    known = [cell for cell in values if cell["value"] is not None]
    if not known:
        return f"{name}: no value."
    best = max(known, key=lambda cell: float(cell["value"]))
    worst = min(known, key=lambda cell: float(cell["value"]))
    n_missing = len(values) - len(known)
    missing = f" {n_missing} of {len(values)} cells have no value." if n_missing else ""
    return f"{name}: highest {_place(best)}; lowest {_place(worst)}.{missing}"


def _place(cell: Mapping[str, Any]) -> str:
    return f"{cell['value']:.2f} ({cell['method']}, {cell['language']}, {cell['type']})"
