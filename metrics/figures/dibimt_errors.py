"""Does polysemy hurt? GOOD and BAD by how common a sense is (μ) and how many a word has (δ).

Source: Campolungo et al. 2022 (DiBiMT), Figure 3.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from metrics.dibimt_groups import By, groups
from metrics.dibimt_verdicts import is_good, is_scored
from metrics.errors import FigureError
from metrics.figures.dibimt_cells import PARTS_OF_SPEECH, SOURCE, languages_of
from metrics.figures.figure import Figure, FigureRun
from metrics.figures.options import chosen
from metrics.figures.panels import panel_title
from metrics.figures.run_names import run_names
from metrics.figures.style import Specification, by_label, caption, finished, interval_layers
from metrics.statistics.intervals import proportion
from metrics.table import OutcomeRow

KIND = "dibimt-errors"
ALL = "all"
AXES: Mapping[By, str] = {
    "mu": "μ: rank of the sense by frequency",
    "delta": "δ: number of senses of the word",
}
STEP = 17
MIN_WIDTH = 140
RATE = "error rate"
COLOUR = by_label("verdict", ("GOOD", "BAD", RATE))["color"]
WHOLE = {"tickMinStep": 1, "format": "d"}


def draw(runs: Sequence[FigureRun], options: Mapping[str, str]) -> Figure:
    """Draw two panels a run, by μ and by δ; groups are never merged.

    Args:
        runs: At least one with translations, with rows.
        options: `by=both|mu|delta`; `language=` a code, or `all` for the items of all languages
            together; `pos=all|NOUN|VERB`.

    Raises:
        FigureError: No run has a GOOD or BAD item, or an option is not allowed.
    """
    languages = languages_of(runs)
    allowed = {
        "by": ("both", *AXES),
        "language": (ALL, *languages),
        "pos": (ALL, *PARTS_OF_SPEECH),
    }
    picked = chosen(options, allowed, KIND)
    names = run_names(runs)
    axes = [by for by in AXES if picked["by"] in ("both", by)]
    found = {
        by: {
            name: group_rows(chosen_rows(run, picked["language"], picked["pos"]), by, run.seed)
            for name, run in zip(names, runs, strict=True)
        }
        for by in axes
    }
    if not any(rows for by_name in found.values() for rows in by_name.values()):
        raise FigureError("no run has a GOOD or BAD translation of what was chosen")
    body = {
        "vconcat": [
            {
                "title": panel_title(name),
                "hconcat": [
                    group_view(found[by][name], by, _indexes(found[by].values())) for by in axes
                ],
            }
            for name in names
        ],
        "spacing": 26,
    }
    where = "all languages together" if picked["language"] == ALL else picked["language"]
    which = "" if picked["pos"] == ALL else f", {picked['pos']} only"
    words = caption(
        "Low and level is good; a line that rises shows that rare senses (μ) or words of many"
        " senses (δ) are translated wrong more often; over each bar the n of its group, small ones"
        " say little; 95 % intervals resample lemmas",
        f"{_count(runs, picked)} GOOD or BAD translations a run, {where}{which}",
        f"{SOURCE}, Figure 3; error rate = BAD/(GOOD+BAD) of the group",
    )
    title = f"DiBiMT: errors by {' and '.join({'mu': 'μ', 'delta': 'δ'}[by] for by in axes)}"
    return finished(KIND, title, words, _finding(found), body)


def chosen_rows(run: FigureRun, language: str, pos: str) -> list[OutcomeRow]:
    """Return the GOOD and BAD translations of a run."""
    return [
        row
        for row in run.rows
        if row.task == "translate"
        and not row.variant
        and language in (ALL, row.language)
        and pos in (ALL, row.subset)
        and is_scored(row)
    ]


def group_rows(rows: Sequence[OutcomeRow], by: By, seed: int) -> list[dict[str, Any]]:
    """Return one row a group: its counts and its error rate, with a 95 % interval over lemmas."""
    found = []
    for group in groups(rows, by):
        own = [row for row in rows if row.detail[by] == group.index]
        right = proportion(
            [is_good(row) for row in own],
            [row.unit for row in own],
            [str(row.subset) for row in own],
            seed,
        )
        found.append(
            {
                "index": group.index,
                "good": group.n_good,
                "bad": group.n_bad,
                "n": group.n,
                "value": group.error_rate,
                "low": None if right.ci_high is None else 1 - right.ci_high,
                "high": None if right.ci_low is None else 1 - right.ci_low,
            }
        )
    return found


def group_view(rows: Sequence[Mapping[str, Any]], by: By, indexes: Sequence[int]) -> Specification:
    """Return the bars of a run's groups and, over them, the line of their error rate.

    Args:
        rows: From `group_rows`.
        by: What the groups are made by.
        indexes: Every μ (δ) on the axis.
    """
    scale = {"domain": list(indexes)}
    x = {"field": "index", "type": "ordinal", "scale": scale, "title": None, "axis": None}
    under = {**x, "title": AXES[by], "axis": {"labelAngle": 0, "labelOverlap": True}}
    width = max(MIN_WIDTH, STEP * len(indexes))
    rate = {
        "field": "value",
        "type": "quantitative",
        "title": RATE,
        "scale": {"domain": [0, 1]},
    }
    colour = {key: COLOUR[key] for key in ("type", "scale", "legend")}
    line = {
        "width": width,
        "height": 90,
        "layer": [
            *interval_layers("low", "high", axis="y", other={"x": x}, title=RATE, cap=4),
            {
                "mark": {"type": "line", "strokeWidth": 1.5},
                "encoding": {"x": x, "y": rate, "color": {"datum": RATE, **colour}},
            },
            {
                "mark": {"type": "point", "size": 28},
                "encoding": {
                    "x": x,
                    "y": rate,
                    "color": {"datum": RATE, **colour},
                    "tooltip": [{"field": field} for field in ("index", "value", "n")],
                },
            },
            *([] if rows else [_no_value()]),
        ],
    }
    bars = {"width": width, "height": 90, "layer": _bars(under)}
    return {"data": {"values": list(rows)}, "vconcat": [line, bars], "spacing": 6}


def _bars(x: Mapping[str, Any]) -> list[Specification]:
    return [
        {
            "transform": [
                {"fold": ["good", "bad"], "as": ["kind", "items"]},
                {"calculate": "upper(datum.kind)", "as": "verdict"},
            ],
            "mark": {"type": "bar"},
            "encoding": {
                "x": x,
                "y": {
                    "field": "items",
                    "type": "quantitative",
                    "title": "items",
                    "stack": True,
                    "axis": WHOLE,
                },
                "color": COLOUR,
                "order": {"field": "verdict", "sort": "descending"},
            },
        },
        {
            "mark": {"type": "text", "dy": -6, "fontSize": 8},
            "encoding": {
                "x": x,
                "y": {"field": "n", "type": "quantitative", "title": "items"},
                "text": {"field": "n"},
            },
        },
    ]


def _no_value() -> Specification:
    return {
        "data": {"values": [{}]},
        "mark": {"type": "text", "style": "missing", "text": "no value"},
        "encoding": {"y": {"datum": 0.5}},
    }


def _indexes(found: Iterable[Sequence[Mapping[str, Any]]]) -> list[int]:
    return sorted({each["index"] for rows in found for each in rows})


def _count(runs: Sequence[FigureRun], picked: Mapping[str, str]) -> str:
    found = [len(chosen_rows(run, picked["language"], picked["pos"])) for run in runs]
    least, most = min(found), max(found)
    return f"{most:,}" if least == most else f"{least:,} to {most:,}"


def _finding(found: Mapping[By, Mapping[str, Sequence[Mapping[str, Any]]]]) -> str:
    words = []
    for by, by_name in found.items():
        for name, rows in by_name.items():
            symbol = AXES[by][0]
            if not rows:
                words.append(f"{name}: no value by {symbol}.")
                continue
            cells = [
                f"{symbol} {each['index']} {each['value']:.0%} of {each['n']}"
                for each in (rows[0], rows[len(rows) // 2], rows[-1])
            ]
            words.append(f"{name}, errors: {', '.join(dict.fromkeys(cells))}.")
    return " ".join(words)
