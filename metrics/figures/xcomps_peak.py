"""How deep does a model have to go? The layer of the greatest F1, by class of languages.

Source: He et al. 2025 (arXiv:2502.19737), Figure 6.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from metrics.errors import FigureError
from metrics.figures.figure import Figure, FigureRun
from metrics.figures.options import chosen
from metrics.figures.panels import panel_title
from metrics.figures.run_names import run_names
from metrics.figures.style import Specification, by_label, caption, finished
from metrics.figures.xcomps_cells import SOURCE, counts_text, languages_of, type_name, types_of
from metrics.figures.xcomps_groups import COLUMN_SOURCES, COLUMNS, group_label, grouped

KIND = "xcomps-peak"
MAX_WIDTH = 420
OPTIONS = {"by": COLUMNS, "depth": ("layer", "share"), "types": ("each", "all")}


def draw(runs: Sequence[FigureRun], options: Mapping[str, str]) -> Figure:
    """Draw a panel a negative type and run: languages as their codes, a bar at each class's mean.

    Args:
        runs: At least one that was probed.
        options: `by=typology|family|resource`; `depth=share` divides by the number of layers above
            the embeddings, to compare models of different depth; `types=each|all`.

    Raises:
        FigureError: No run was probed, or an option is not allowed.
    """
    picked = chosen(options, OPTIONS, KIND)
    languages = languages_of(runs, ("neuro",))
    groups = grouped(languages, picked["by"])
    names = run_names(runs)
    subsets = types_of(picked["types"])
    values = [
        {
            "label": name,
            "language": language,
            "type": type_name(subset),
            "group": group_label(group, members),
            "value": _layer(run, language, subset, picked["depth"]),
        }
        for name, run in zip(names, runs, strict=True)
        for subset in subsets
        for group, members in groups.items()
        for language in members
    ]
    if all(each["value"] is None for each in values):
        raise FigureError("no run has a layer of the maximum: only the Neuro task has layers")
    labels = [group_label(group, members) for group, members in groups.items()]
    title = "layer" if picked["depth"] == "layer" else "share of the depth"
    most = max(float(each["value"]) for each in values if each["value"] is not None)
    domain = [0.0, 1.0] if picked["depth"] == "share" else [0.0, max(1.0, most)]
    width = max(150, *(len(labels) * 14 * len(row["language"].split()) for row in _codes(values)))
    spec = {"width": min(width, MAX_WIDTH), "height": 170}
    types = {"field": "type", "sort": list(map(type_name, subsets)), "title": None}
    body = {
        "vconcat": [
            {
                "title": panel_title(name),
                "data": {"values": [each for each in values if each["label"] == name]},
                "facet": {"column": types},
                "spacing": 12,
                "spec": {**spec, "layer": _layers(labels, names, title, domain)},
            }
            for name in names
        ]
    }
    words = caption(
        "Lower means that less depth is needed; a code is a language at the layer where its probe's"
        " F1 is greatest (the lowest of a tie, 0 the embeddings), a bar the unweighted mean of its"
        " class",
        counts_text(runs),
        f"{SOURCE}, Figure 6; {COLUMN_SOURCES[picked['by']]}",
    )
    finding = _finding(values, names, labels, title)
    return finished(KIND, f"XCOMPS: layer of the maximum by {picked['by']}", words, finding, body)


def _layer(run: FigureRun, language: str, subset: str | None, depth: str) -> float | None:
    own = [
        score
        for score in run.scores
        if score.task == "neuro" and score.language == language and score.setting is None
    ]
    last = max((score.layer for score in own if score.layer is not None), default=0)
    for score in own:
        if score.metric == "layer_of_maximum" and score.subset == subset:
            if score.value is None or depth == "layer":
                return score.value
            return score.value / last if last else None
    return None


def _codes(values: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Put the languages of one class at one layer into one text."""
    found: dict[tuple[Any, ...], list[str]] = {}
    fields = ("label", "type", "group", "value")
    for each in values:
        if each["value"] is not None:
            found.setdefault(tuple(each[name] for name in fields), []).append(each["language"])
    return [
        {**dict(zip(fields, key, strict=True)), "language": " ".join(codes)}
        for key, codes in found.items()
    ]


def _layers(
    labels: Sequence[str], names: Sequence[str], title: str, domain: Sequence[float]
) -> list[Specification]:
    known = {"filter": "isValid(datum.value)"}
    axis = {"labelAngle": -30}
    x = {"field": "group", "type": "nominal", "sort": list(labels), "title": None, "axis": axis}
    y = {
        "field": "value",
        "type": "quantitative",
        "title": title,
        "scale": {"domain": list(domain), "nice": False, "padding": 6},
        "axis": {"grid": True, "tickMinStep": 0.1 if title != "layer" else 1},
    }
    cell = ["label", "type", "group"]
    together = {"op": "values", "field": "language", "as": "rows"}
    codes = {"calculate": "join(pluck(datum.rows, 'language'), ' ')", "as": "codes"}
    return [
        {
            "transform": [known],
            "mark": {"type": "tick", "thickness": 4, "size": 40, "opacity": 0.55},
            "encoding": {
                "x": x,
                "y": {**y, "aggregate": "mean"},
                "color": {**by_label("label", names)["color"], "legend": None},
            },
        },
        {
            "transform": [known, {"aggregate": [together], "groupby": [*cell, "value"]}, codes],
            "mark": {"type": "text", "fontSize": 9},
            "encoding": {"x": x, "y": y, "text": {"field": "codes"}},
        },
        {
            "transform": [
                {
                    "joinaggregate": [{"op": "valid", "field": "value", "as": "n_known"}],
                    "groupby": cell,
                },
                {"filter": "datum.n_known == 0"},
                {"aggregate": [{"op": "count", "as": "n_rows"}], "groupby": ["group"]},
            ],
            "mark": {
                "type": "text",
                "style": "missing",
                "text": "no value",
                "angle": 270,
                "align": "left",
            },
            "encoding": {"x": x, "y": {"datum": 0, "type": "quantitative"}},
        },
    ]


def _finding(
    values: Sequence[Mapping[str, Any]], names: Sequence[str], labels: Sequence[str], title: str
) -> str:
    found = []
    for name in names:
        means = []
        for label in labels:
            known = [
                float(each["value"])
                for each in values
                if (each["label"], each["group"], each["type"]) == (name, label, type_name(None))
                and each["value"] is not None
            ]
            mean = f"{sum(known) / len(known):.2f}" if known else "no value"
            means.append(f"{label} {mean}")
        found.append(f"{name}, mean {title} of the maximum: {', '.join(means)}.")
    return " ".join(found)
