"""Is a kind of languages harder than others? Unweighted means over the languages of a class.

Source: He et al. 2025 (arXiv:2502.19737), Figure 4.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from metrics.figures.figure import Figure, FigureRun
from metrics.figures.options import chosen
from metrics.figures.panels import point_layers
from metrics.figures.run_names import run_names
from metrics.figures.style import caption, finished
from metrics.figures.xcomps_cells import (
    METHODS,
    SOURCE,
    Method,
    counts_text,
    languages_of,
    method_score,
    methods_of,
    type_name,
    types_of,
)
from metrics.figures.xcomps_groups import (
    COLUMN_SOURCES,
    COLUMNS,
    group_label,
    group_mean,
    grouped,
)

KIND = "xcomps-typology"
OPTIONS = {"by": COLUMNS, "neuro": ("mean", "best"), "types": ("each", "all")}
CHANCE = 0.5
MAX_NAMED = 4
"""Of more classes, the text names the highest and the lowest."""


def draw(runs: Sequence[FigureRun], options: Mapping[str, str]) -> Figure:
    """Draw a panel a method and negative type, a point a class and run.

    Args:
        runs: At least one.
        options: `by=typology|family|resource`, `neuro=mean|best`, `types=each|all`.

    Raises:
        FigureError: No language is in a class, or an option is not allowed.
    """
    picked = chosen(options, OPTIONS, KIND)
    groups = grouped(languages_of(runs, [method.task for method in METHODS]), picked["by"])
    methods = methods_of(runs)
    names = run_names(runs)
    subsets = types_of(picked["types"])
    values = [
        {
            "label": name,
            "method": method.name,
            "type": type_name(subset),
            "group": group_label(group, members),
            **_mean(run, method, subset, members, picked["neuro"]),
        }
        for name, run in zip(names, runs, strict=True)
        for method in methods
        for subset in subsets
        for group, members in groups.items()
    ]
    labels = [group_label(group, members) for group, members in groups.items()]
    place = {
        "x": {
            "field": "group",
            "type": "nominal",
            "sort": labels,
            "title": None,
            "axis": {"labelAngle": -30},
        },
        "xOffset": {"field": "label", "type": "nominal", "sort": names},
    }
    body = {
        "data": {"values": values},
        "facet": {
            "column": {
                "field": "method",
                "sort": [method.name for method in methods],
                "title": None,
            },
            "row": {"field": "type", "sort": list(map(type_name, subsets)), "title": None},
        },
        "spec": {
            "width": max(190, len(labels) * (14 + 10 * len(runs))),
            "height": 110,
            "layer": point_layers(
                place, names, along="y", title="mean score", domain=(0, 1), reference=CHANCE
            ),
        },
    }
    words = caption(
        "Higher is better, and classes at one height mean that none is harder; each point is the"
        " unweighted mean of its languages' accuracy or F1, dashed: chance",
        f"{counts_text(runs)} (in brackets: of each class; a run that"
        " was not asked in all of them has the mean of its own)",
        f"{SOURCE}, Figure 4; {COLUMN_SOURCES[picked['by']]}",
    )
    title = f"XCOMPS by {picked['by']}"
    return finished(KIND, title, words, _finding(values, names, methods), body)


def _mean(
    run: FigureRun, method: Method, subset: str | None, members: Sequence[str], summary: str
) -> dict[str, Any]:
    found = [method_score(run, method, language, subset, summary) for language in members]
    mean = group_mean([score for score in found if score is not None])
    return {
        "value": None if mean is None else mean.value,
        "low": None if mean is None else mean.ci_low,
        "high": None if mean is None else mean.ci_high,
        "n": 0 if mean is None else mean.n,
    }


def _finding(
    values: Sequence[Mapping[str, Any]], names: Sequence[str], methods: Sequence[Method]
) -> str:
    found = []
    for name in names:
        for method in methods:
            known = [
                each
                for each in values
                if (each["label"], each["method"], each["type"])
                == (name, method.name, type_name(None))
                and each["value"] is not None
            ]
            ordered = sorted(known, key=lambda each: -float(each["value"]))
            shown = ordered if len(ordered) <= MAX_NAMED else [ordered[0], ordered[-1]]
            cells = ", ".join(f"{each['group']} {each['value']:.2f}" for each in shown)
            found.append(f"{name}, {method.name}: {cells or 'no value'}.")
    return " ".join(found)
