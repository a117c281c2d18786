"""What does tuning change? Each other run less the first, on the same pairs of sentences.

Source: He et al. 2025 (arXiv:2502.19737), Figure 9: Instruct less Base, Distill less Base.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from metrics.errors import FigureError
from metrics.figures.figure import Figure, FigureRun
from metrics.figures.options import chosen
from metrics.figures.panels import point_layers
from metrics.figures.run_names import run_names
from metrics.figures.style import caption, finished
from metrics.figures.xcomps_cells import METHODS, SOURCE, type_name, types_of
from metrics.statistics.intervals import undefined
from metrics.xcomps_differences import Difference, paired_differences

KIND = "xcomps-differences"
OPTIONS = {"types": ("each", "all"), "neuro": ("mean", "best"), "folds": ("sentence", "group")}
MEAN = "mean"
NAMES = {method.task: method.name for method in METHODS}


def draw(runs: Sequence[FigureRun], options: Mapping[str, str]) -> Figure:
    """Draw a panel a method and negative type; a line a language, a point a run.

    Args:
        runs: The first is the one that is subtracted; all with rows.
        options: `types=each|all`, `neuro=mean|best`, `folds=sentence|group`.

    Raises:
        FigureError: There is one run only, or two share no pair of sentences.
    """
    picked = chosen(options, OPTIONS, KIND)
    if len(runs) < 2:
        raise FigureError(
            f"figure {KIND!r} needs a first run and one to compare with it; met 1 run"
        )
    names = run_names(runs)
    settings = {"folds": picked["folds"], "neuro_summary": picked["neuro"]}
    found = {
        name: paired_differences(runs[0].rows, run.rows, settings, runs[0].seed)
        for name, run in zip(names[1:], runs[1:], strict=True)
    }
    for name, differences in found.items():
        if not differences:
            raise FigureError(f"{name} and {names[0]} share no pair of sentences")
    subsets = types_of(picked["types"])
    cells = {
        (name, each.task, each.language, each.subset): each
        for name, differences in found.items()
        for each in differences
    }
    asked = [task for task in NAMES if any(task == key[1] for key in cells)]
    tasks = [NAMES[task] for task in asked]
    languages = sorted({str(key[2]) for key in cells if key[2] is not None})
    values = [
        _row(name, cells.get(key) or Difference(*key[1:], undefined("not asked in both runs")))
        for name in names[1:]
        for key in product((name,), asked, (*languages, None), subsets)
    ]
    place = {
        "y": {"field": "language", "type": "nominal", "sort": [*languages, MEAN], "title": None},
        "yOffset": {"field": "label", "type": "nominal", "sort": names[1:]},
    }
    reach = _reach(values)
    body = {
        "data": {"values": values},
        "facet": {
            "column": {"field": "method", "sort": tasks, "title": None},
            "row": {"field": "type", "sort": list(map(type_name, subsets)), "title": None},
        },
        "spec": {
            "width": 190,
            "height": (len(languages) + 1) * (6 + 10 * (len(runs) - 1)),
            "layer": point_layers(
                place,
                names[1:],
                along="x",
                title="difference",
                domain=(-reach, reach),
                reference=0,
            ),
        },
    }
    words = caption(
        f"Right of the line is better than {names[0]}; where nothing differs, 5 % of the intervals"
        " leave the line out by chance; accuracy (Meta, Direct) and F1 (Neuro) on the pairs that"
        " both runs answered",
        _counts(values),
        f"{SOURCE}, Figure 9; paired bootstrap over groups of pairs, the mean over languages"
        " unweighted",
    )
    title = f"XCOMPS: difference from {names[0]}"
    return finished(KIND, title, words, _finding(values, names, tasks), body)


def _row(name: str, each: Difference) -> dict[str, Any]:
    return {
        "label": name,
        "method": NAMES[each.task],
        "language": MEAN if each.language is None else each.language,
        "type": type_name(each.subset),
        "value": each.estimate.value,
        "low": each.estimate.ci_low,
        "high": each.estimate.ci_high,
        "n": each.estimate.n,
        "reason": each.estimate.reason,
    }


def _reach(values: Sequence[Mapping[str, Any]]) -> float:
    """Return how far the axis goes to either side."""
    ends = [abs(each[end]) for each in values for end in ("value", "low", "high") if each[end]]
    return min(1.0, 1.05 * max(ends, default=0.95))


def _counts(values: Sequence[Mapping[str, Any]]) -> str:
    found = [
        each["n"] // 2 if each["method"] == NAMES["neuro"] else each["n"]
        for each in values
        if each["language"] != MEAN and each["type"] == type_name(None) and each["n"]
    ]
    least, most = min(found, default=0), max(found, default=0)
    pairs = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    n_languages = len({each["language"] for each in values} - {MEAN})
    return f"{pairs} pairs of sentences a language, {n_languages} languages"


def _finding(
    values: Sequence[Mapping[str, Any]], names: Sequence[str], tasks: Sequence[str]
) -> str:
    found = []
    for name in names[1:]:
        for task in tasks:
            own = [each for each in values if (each["label"], each["method"]) == (name, task)]
            (mean,) = (e for e in own if (e["language"], e["type"]) == (MEAN, type_name(None)))
            if mean["value"] is None:
                found.append(f"{name}, {task}: no value ({mean['reason']}).")
                continue
            is_known = mean["low"] is not None
            interval = f" ({mean['low']:+.3f} to {mean['high']:+.3f})" if is_known else ""
            above = sum(e["low"] is not None and e["low"] > 0 for e in own)
            below = sum(e["high"] is not None and e["high"] < 0 for e in own)
            found.append(
                f"{name}, {task}: {mean['value']:+.3f}{interval} on the mean of languages; of"
                f" {len(own)} cells the interval lies above 0 in {above}, below in {below}."
            )
    return " ".join(found)
