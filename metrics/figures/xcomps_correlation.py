"""Do languages that a model knows inside also score well outside? Direct against Neuro.

Source: He et al. 2025 (arXiv:2502.19737), Figure 3.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from metrics.figures.figure import Figure, FigureRun
from metrics.figures.options import chosen
from metrics.figures.panels import chosen_domain, panel_title, point_layers
from metrics.figures.run_names import run_names
from metrics.figures.style import (
    Specification,
    caption,
    finished,
    missing_text,
)
from metrics.figures.xcomps_cells import (
    METHODS,
    SOURCE,
    counts_text,
    languages_of,
    method_score,
    own_summary,
    type_name,
    types_of,
)
from metrics.score import Score

KIND = "xcomps-correlation"
OPTIONS = {"coefficient": ("pearson", "spearman"), "neuro": ("mean", "best")}
NAMES = {"pearson": "Pearson's r", "spearman": "Spearman's ρ"}
TYPES = types_of("each")
_, DIRECT, NEURO = METHODS
_BOTH = "isValid(datum.direct) && isValid(datum.neuro)"


def draw(runs: Sequence[FigureRun], options: Mapping[str, str]) -> Figure:
    """Draw the coefficients of all runs, and under them the languages of each.

    Args:
        runs: At least one with both tasks.
        options: `coefficient=pearson|spearman`, `neuro=mean|best`.

    Raises:
        FigureError: No run has a score by language, or an option is not allowed.
    """
    picked = chosen(options, OPTIONS, KIND)
    languages = languages_of(runs, (DIRECT.task, NEURO.task))
    names = run_names(runs)
    coefficients = [
        _coefficient(name, run, subset, picked)
        for name, run in zip(names, runs, strict=True)
        for subset in TYPES
    ]
    scatters = [
        _scatter(name, names, _points(run, languages, picked["neuro"]))
        for name, run in zip(names, runs, strict=True)
    ]
    label = NAMES[picked["coefficient"]]
    body = {
        "vconcat": [_coefficients(coefficients, names, label), *scatters],
        "spacing": 26,
        "resolve": {"scale": {"color": "independent", "shape": "independent"}},
    }
    words = caption(
        f"{label} over languages of Direct accuracy and Neuro F1 ({_summary_name(picked)}): near 1,"
        " what a model knows inside it also says; a point below is a language",
        counts_text(runs),
        f"{SOURCE}, Figure 3; intervals by Fisher's z",
    )
    title = "XCOMPS: Direct against Neuro across languages"
    return finished(KIND, title, words, _finding(coefficients, label), body)


def _summary_name(picked: Mapping[str, str]) -> str:
    return "mean over layers" if picked["neuro"] == "mean" else "best layer"


def _coefficient(
    name: str, run: FigureRun, subset: str | None, picked: Mapping[str, str]
) -> dict[str, Any]:
    score = _relation(run, subset, picked)
    return {
        "label": name,
        "type": type_name(subset),
        "value": None if score is None else score.value,
        "low": None if score is None else score.ci_low,
        "high": None if score is None else score.ci_high,
        "n": 0 if score is None else score.n,
        "text": missing_text("needs Direct and Neuro" if score is None else score.reason),
    }


def _relation(run: FigureRun, subset: str | None, picked: Mapping[str, str]) -> Score | None:
    summary = picked["neuro"]
    setting = None if summary == own_summary(run) else f"layers={summary}"
    for score in run.scores:
        if (
            score.metric == picked["coefficient"]
            and score.subset == subset
            and score.setting == setting
        ):
            return score
    return None


def _points(run: FigureRun, languages: Sequence[str], summary: str) -> list[dict[str, Any]]:
    found = []
    for subset in TYPES:
        for language in languages:
            direct = method_score(run, DIRECT, language, subset, summary)
            neuro = method_score(run, NEURO, language, subset, summary)
            found.append(
                {
                    "language": language,
                    "type": type_name(subset),
                    "direct": None if direct is None else direct.value,
                    "neuro": None if neuro is None else neuro.value,
                }
            )
    return found


def _coefficients(values: Sequence[Any], names: Sequence[str], label: str) -> Specification:
    place: Specification = {
        "x": {
            "field": "type",
            "type": "nominal",
            "sort": [type_name(subset) for subset in TYPES],
            "title": None,
            "axis": {"labelAngle": 0},
        },
        "xOffset": {"field": "label", "type": "nominal", "sort": list(names)},
    }
    layers = point_layers(place, names, along="y", title=label, domain=(-1, 1), reference=0)
    return {"data": {"values": list(values)}, "width": 640, "height": 170, "layer": layers}


def _scatter(name: str, names: Sequence[str], values: Sequence[Mapping[str, Any]]) -> Specification:
    known = [{"filter": _BOTH}]
    place: Specification = {
        "x": _axis("direct", "Direct accuracy", values),
        "y": _axis("neuro", "Neuro F1", values),
    }
    middle = {axis: {"datum": sum(place[axis]["scale"]["domain"]) / 2} for axis in ("x", "y")}
    own = {"datum": name, "type": "nominal", "scale": {"domain": list(names)}, "legend": None}
    return {
        "title": panel_title(name),
        "data": {"values": list(values)},
        "facet": {
            "column": {
                "field": "type",
                "title": None,
                "sort": [type_name(subset) for subset in TYPES],
            }
        },
        "spacing": 12,
        "spec": {
            "width": 150,
            "height": 150,
            "layer": [
                {
                    "transform": known,
                    "mark": {"type": "point", "size": 24},
                    "encoding": {**place, "color": own},
                },
                {
                    "transform": known,
                    "mark": {"type": "text", "dy": -8, "fontSize": 9},
                    "encoding": {**place, "text": {"field": "language"}},
                },
                {
                    "transform": [
                        {"calculate": _BOTH, "as": "is_known"},
                        {
                            "joinaggregate": [
                                {"op": "max", "field": "is_known", "as": "any_known"}
                            ],
                            "groupby": ["type"],
                        },
                        {"filter": "!datum.any_known"},
                        {"aggregate": [{"op": "count", "as": "n"}], "groupby": ["type"]},
                    ],
                    "mark": {"type": "text", "style": "missing", "text": "no value"},
                    "encoding": middle,
                },
            ],
        },
    }


def _axis(field: str, title: str, values: Sequence[Mapping[str, Any]]) -> Specification:
    """Return an axis that holds all panels' values."""
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": {"domain": chosen_domain([each[field] for each in values]), "nice": False},
        "axis": {"tickCount": 4, "format": ".1f"},
    }


def _finding(values: Sequence[Mapping[str, Any]], label: str) -> str:
    found = []
    for cell in values:
        if cell["type"] != type_name(None):
            continue
        if cell["value"] is None:
            found.append(f"{cell['label']}: {cell['text']}.")
            continue
        interval = (
            f" (95 % interval {cell['low']:.2f} to {cell['high']:.2f})"
            if cell["low"] is not None
            else ""
        )
        found.append(
            f"{cell['label']}: {label} of Direct and Neuro is {cell['value']:.2f}{interval} over"
            f" {cell['n']} languages, all types together."
        )
    return " ".join(found)
