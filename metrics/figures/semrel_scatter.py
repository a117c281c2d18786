"""Predicted against gold relatedness, a panel for each run and language.

Source: Ousidhoum et al. 2024 (arXiv:2402.08638): Spearman's correlation is what is compared.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from metrics.errors import FigureError
from metrics.figures.figure import Figure, FigureRun
from metrics.figures.missing import MissingNotes
from metrics.figures.options import chosen
from metrics.figures.run_names import run_names
from metrics.figures.semrel_spearman import headline_scores
from metrics.figures.style import by_label, caption, finished
from metrics.table import OutcomeRow

KIND = "semrel-scatter"
OPTIONS: Mapping[str, Sequence[str]] = {}
COLUMNS = 4
PANEL = 150
Row = dict[str, Any]


def draw(runs: Sequence[FigureRun], options: Mapping[str, str]) -> Figure:
    """Draw every answered pair once."""
    chosen(options, OPTIONS, KIND)
    names = run_names(runs)
    notes = MissingNotes()
    panels: list[Row] = []
    n = 0
    for run, name in zip(runs, names, strict=True):
        for language, score in sorted(headline_scores(run).items()):
            points = list(_points(run.rows, name, language))
            n += len(points)
            missing = notes.words(score)
            text = missing or f"ρ = {score.value:.2f}, n = {len(points):,}"
            panels.append(_panel(points, names, f"{language} · {name}" if names[1:] else language,
                                 text))  # fmt: skip
    if not panels:
        raise FigureError(f"figure {KIND!r}: the runs have no score")
    words = caption(
        "A rising cloud is better; only the order of the predictions counts (Spearman's ρ), not"
        " their values",
        f"{n:,} answered pairs",
        "Ousidhoum et al. 2024 (arXiv:2402.08638)",
    )
    return finished(
        KIND,
        "SemRel2024: predicted against gold relatedness",
        words + notes.sentence(),
        _finding(runs, names),
        {"concat": panels, "columns": COLUMNS, "spacing": 16},
    )


def _points(rows: Sequence[OutcomeRow], name: str, language: str) -> Iterator[Row]:
    first = next((row.variant for row in rows), "")
    for row in rows:
        gold = row.detail.get("gold")
        if row.language == language and row.variant == first and row.value is not None and (
            gold is not None
        ):  # fmt: skip
            yield {"run": name, "gold": gold, "predicted": row.value}


def _panel(points: Sequence[Row], names: Sequence[str], title: str, text: str) -> Row:
    colour = by_label("run", names)["color"]
    return {
        "title": {"text": title, "subtitle": text, "fontSize": 12, "offset": 6, "frame": "group",
                  "limit": PANEL + 30},
        "data": {"values": list(points)},
        "width": PANEL,
        "height": PANEL,
        "mark": {"type": "point", "size": 10, "opacity": 0.45},
        "encoding": {
            "x": {"field": "gold", "type": "quantitative", "title": "gold",
                  "scale": {"domain": [0, 1]}},
            "y": {"field": "predicted", "type": "quantitative", "title": "predicted",
                  "scale": {"zero": False}},
            "color": {**colour, "legend": colour["legend"] if len(names) > 1 else None},
        },
    }  # fmt: skip


def _finding(runs: Sequence[FigureRun], names: Sequence[str]) -> str:
    parts = []
    for run, name in zip(runs, names, strict=True):
        values = [
            f"{language} {'no value' if score.value is None else format(score.value, '.2f')}"
            for language, score in sorted(headline_scores(run).items())
        ]
        parts.append(f"{name}: {', '.join(values)}.")
    return "Spearman's correlation of predicted and gold relatedness. " + " ".join(parts)
