"""Does a model prefer a place in the list? Shares of positions for two and three variations.

Source: Barua et al. 2024 (arXiv:2411.05781), position bias.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from metrics.errors import FigureError
from metrics.figures.figure import Figure, FigureRun
from metrics.figures.missing import MissingNotes, missing_layer
from metrics.figures.options import chosen
from metrics.figures.run_names import run_names
from metrics.figures.style import by_label, caption, finished, interval_layers
from metrics.score import Score

KIND = "dtails-positions"
OPTIONS: Mapping[str, Sequence[str]] = {}
COLUMNS = 4
WIDTH, STEP = 160, 14
GOLD = "gold"
Row = dict[str, Any]


def draw(runs: Sequence[FigureRun], options: Mapping[str, str]) -> Figure:
    """Draw a bar for each run, position and language; the tick is the gold's share."""
    chosen(options, OPTIONS, KIND)
    names = run_names(runs)
    notes = MissingNotes()
    rows = [row for run, name in zip(runs, names, strict=True) for row in _rows(run, name, notes)]
    if not rows:
        raise FigureError(f"figure {KIND!r}: no run chose among 2 or 3 variations (task select)")
    words = caption(
        "Bars that end at the tick (the share of right answers at that place) are better: a model"
        " without a preference; whiskers are 95 % intervals",
        f"up to {max(row['n'] for row in rows):,} parsed answers a panel",
        "Barua et al. 2024 (arXiv:2411.05781); pooled as the paper pools",
    )
    title = "DTAiLS: which place in the list is chosen?"
    return finished(KIND, title, words + notes.sentence(), _finding(rows), _body(rows, names))


def _rows(run: FigureRun, name: str, notes: MissingNotes) -> Iterator[Row]:
    for score in run.scores:
        if score.metric == "position_share":
            setting = dict(part.split("=", 1) for part in (score.setting or "").split(";"))
            yield {
                "run": name,
                "panel": _panel_name(score, setting),
                "place": f"{setting['position']} of {setting['k']}",
                "value": score.value,
                "low": score.ci_low,
                "high": score.ci_high,
                "gold": score.baselines.get("gold"),
                "n": score.n,
                "missing": notes.words(score, 26),
            }


def _panel_name(score: Score, setting: Mapping[str, str]) -> str:
    return score.language or f"pooled ({setting.get('pool', 'all')})"


def _body(rows: Sequence[Row], names: Sequence[str]) -> Row:
    panels = sorted(
        dict.fromkeys(row["panel"] for row in rows), key=lambda name: ("(" in name, name)
    )
    places = sorted({row["place"] for row in rows}, key=lambda place: (place[-1], place))
    other = {
        "y": {"field": "place", "type": "nominal", "title": None, "sort": places},
        "yOffset": {"field": "run", "type": "nominal", "scale": {"domain": list(names)}},
    }
    x = {"field": "value", "type": "quantitative", "title": "share",
         "axis": {"format": "%", "tickCount": 4}, "scale": {"domain": [0, 1]}}  # fmt: skip
    gold = {
        "transform": [{"filter": "isValid(datum.gold)"}],
        "mark": {"type": "tick", "style": "reference", "thickness": 2.5, "strokeDash": [1, 0]},
        "encoding": other | {"x": {**x, "field": "gold"}},
    }
    bar = {"mark": {"type": "bar"}, "encoding": other | {"x": x} | by_label("run", names)}
    return {
        "data": {"values": list(rows)},
        "facet": {"field": "panel", "type": "nominal", "title": None, "sort": panels},
        "columns": COLUMNS,
        "spec": {
            "width": WIDTH,
            "height": {"step": STEP, "for": "offset"},
            "layer": [
                bar,
                *interval_layers("low", "high", axis="x", other=other, title="share", cap=5),
                gold,
                missing_layer("x", 0.0, other),
            ],
        },
    }  # fmt: skip


def _finding(rows: Sequence[Row]) -> str:
    sentences = []
    for run in dict.fromkeys(row["run"] for row in rows):
        known = [
            (abs(row["value"] - row["gold"]), row)
            for row in rows
            if row["run"] == run and row["value"] is not None and row["gold"] is not None
        ]
        if not known:
            sentences.append(f"{run}: no value.")
            continue
        _, row = max(known, key=lambda entry: entry[0])
        sentences.append(
            f"{run} is farthest from the gold in {row['panel']}: place {row['place']}"
            f" gets {100 * row['value']:.0f} %, gold {100 * row['gold']:.0f} %."
        )
    return "Shares of the places chosen. " + " ".join(sentences)
