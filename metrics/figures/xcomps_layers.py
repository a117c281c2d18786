"""In which layers does a model know concepts? F1 of the probes by layer, with bands.

Source: He et al. 2025 (arXiv:2502.19737), Figures 5 and 13. The control task and selectivity are
Hewitt & Liang 2019 (arXiv:1909.03368).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.xcomps.records import NEGATIVE_TYPES
from metrics.errors import FigureError
from metrics.figures.figure import Figure, FigureRun
from metrics.figures.options import chosen
from metrics.figures.panels import ONCE, reference_line
from metrics.figures.run_names import run_names
from metrics.figures.style import Specification, by_label, caption, finished
from metrics.figures.xcomps_cells import ALL_TYPES, SOURCE, counts_text, languages_of
from metrics.score import Score

KIND = "xcomps-layers"
OPTIONS = {
    "show": ("f1", "selectivity"),
    "lines": ("none", "control", "words", "all"),
    "type": (ALL_TYPES, *NEGATIVE_TYPES),
}
MEAN = "mean of languages"
NO_VALUE = ": no value"
"""Ends the label of a run without layers, which has no line."""
CHANCE = 0.5
N_COLUMNS = 3
LINE_SYMBOL = {
    "symbolType": "stroke",
    "symbolOpacity": 1,
    "symbolStrokeWidth": 2,
    "symbolSize": 300,
}
"""A line's symbol in the legend, although bands share it."""


def draw(runs: Sequence[FigureRun], options: Mapping[str, str]) -> Figure:
    """Draw a panel a language, and one of their mean; a line a run.

    Args:
        runs: At least one that was probed.
        options: `show=f1|selectivity`; `lines=control|words|all` adds the control task's F1 (with
            its layers) and that of a bag of words (one number) to F1; `type=` a negative type.

    Raises:
        FigureError: No run was probed, or an option is not allowed.
    """
    picked = chosen(options, OPTIONS, KIND)
    if picked["show"] == "selectivity" and picked["lines"] != "none":
        raise FigureError(f"figure {KIND!r}: lines={picked['lines']} stands beside show=f1 only")
    languages = languages_of(runs, ("neuro",))
    places: list[str | None] = [*languages, *([None] if len(languages) > 1 else [])]
    names = [
        name
        if any(_is_layer(score, picked["show"]) for score in run.scores)
        else f"{name}{NO_VALUE}"
        for name, run in zip(run_names(runs), runs, strict=True)
    ]
    subset = None if picked["type"] == ALL_TYPES else picked["type"]
    values = [
        row
        for name, run in zip(names, runs, strict=True)
        for language in places
        for row in _curve(name, run, language, subset, picked)
    ]
    if not values:
        raise FigureError("no run has a score by layer: only the Neuro task has layers")
    asked = [MEAN if language is None else language for language in places]
    empty = sorted(set(asked) - {each["language"] for each in values if each["value"] is not None})
    values += [{"language": language, "is_empty": True} for language in empty]
    body = {
        "data": {"values": values},
        "facet": {"field": "language", "sort": asked, "title": None},
        "columns": N_COLUMNS,
        "spec": {"width": 200, "height": 130, "layer": _layers(names, picked)},
    }
    what = {"f1": "F1 of the probes", "selectivity": "F1 less the control task's"}[picked["show"]]
    chance = "dashed: chance" if picked["show"] == "f1" else "dashed: what a probe memorises alone"
    words = caption(
        f"Higher is better, and earlier means that less depth is needed; {what}, {picked['type']},"
        f" with 95 % bands; layer 0 is the embeddings; {chance}{_lines_text(picked['lines'])}",
        counts_text(runs),
        f"{SOURCE}, Figures 5 and 13",
    )
    title = f"XCOMPS by layer: {'F1' if picked['show'] == 'f1' else 'selectivity'}"
    return finished(KIND, title, words, _finding(values, names), body)


def _lines_text(lines: str) -> str:
    control = "; short dashes: F1 of the control task"
    words = "; thin: F1 of a bag of words"
    return {"none": "", "control": control, "words": words, "all": control + words}[lines]


def _curve(
    name: str,
    run: FigureRun,
    language: str | None,
    subset: str | None,
    picked: Mapping[str, str],
) -> list[dict[str, Any]]:
    """Return a row a layer."""
    own = [
        score
        for score in run.scores
        if score.task == "neuro" and score.language == language and score.subset == subset
    ]
    selectivity = {score.layer: score for score in own if _is_layer(score, "selectivity")}
    words = [score.value for score in own if _is_words(score)]
    found = []
    for score in own:
        if not _is_layer(score, picked["show"]):
            continue
        less = selectivity.get(score.layer)
        row = {
            "label": name,
            "language": MEAN if language is None else language,
            "layer": score.layer,
            "value": score.value,
            "low": score.ci_low,
            "high": score.ci_high,
            "n": score.n,
        }
        if picked["lines"] in ("control", "all") and less is not None:
            row["control"] = _minus(score.value, less.value)
        if picked["lines"] in ("words", "all"):
            row["words"] = words[0] if words else None
        found.append(row)
    return found


def _is_layer(score: Score, metric: str) -> bool:
    return score.metric == metric and score.layer is not None and score.setting is None


def _is_words(score: Score) -> bool:
    return score.metric == "f1" and score.layer is None and score.setting == "features=words"


def _minus(value: float | None, other: float | None) -> float | None:
    return None if value is None or other is None else value - other


def _layers(names: Sequence[str], picked: Mapping[str, str]) -> list[Specification]:
    is_f1 = picked["show"] == "f1"
    title = "F1" if is_f1 else "selectivity"
    place: Specification = {
        "x": {
            "field": "layer",
            "type": "quantitative",
            "title": "layer",
            "axis": {"tickMinStep": 1},
        },
        "detail": {"field": "label"},
    }
    labels = by_label("label", names, dash=True)
    for channel in labels.values():
        channel["legend"] = {**channel["legend"], **LINE_SYMBOL}
    colour = {"color": labels["color"]}

    def line(field: str, mark: Specification, more: Specification) -> Specification:
        y = {"field": field, "type": "quantitative", "title": title}
        known = [{"filter": f"isValid(datum.{field})"}]
        return {"transform": known, "mark": mark, "encoding": {**place, "y": y, **more}}

    extra = {
        "control": {"type": "line", "strokeDash": [2, 3], "strokeWidth": 1.5},
        "words": {"type": "line", "strokeWidth": 0.75},
    }
    asked = [name for name in extra if picked["lines"] in (name, "all")]
    band = {"type": "area", "opacity": 0.18}
    return [
        reference_line(CHANCE if is_f1 else 0, "y", title),
        line("low", band, {"y2": {"field": "high"}, **colour}),
        line("value", {"type": "line"}, labels),
        *(line(name, extra[name], colour) for name in asked),
        {
            "transform": [{"filter": "datum.is_empty"}, *ONCE],
            "mark": {"type": "text", "style": "missing", "text": "no value"},
            "encoding": {"y": {"datum": CHANCE if is_f1 else 0}},
        },
    ]


def _finding(values: Sequence[Mapping[str, Any]], names: Sequence[str]) -> str:
    found = []
    for name in names:
        known = [each for each in values if each.get("label") == name and each["value"] is not None]
        rows = [each for each in known if each["language"] == MEAN] or known
        if not rows:
            found.append(f"{name.removesuffix(NO_VALUE)}{NO_VALUE}.")
            continue
        best = max(rows, key=lambda each: (float(each["value"]), -int(each["layer"])))
        first = min(rows, key=lambda each: int(each["layer"]))
        found.append(
            f"{name}, {best['language']}: from {first['value']:.2f} at layer {first['layer']} to"
            f" the most, {best['value']:.2f}, at layer {best['layer']}."
        )
    return " ".join(found)
