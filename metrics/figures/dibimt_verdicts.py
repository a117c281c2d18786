"""What becomes of the ambiguous words? Shares of GOOD, BAD, MISS and AMBIGUOUS translations.

Source: Campolungo et al. 2022 (DiBiMT), Figure 2. AMBIGUOUS is a class of our own.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from metrics.figures.dibimt_cells import (
    SOURCE,
    VERDICTS,
    counts_text,
    languages_of,
    verdict_counts,
)
from metrics.figures.figure import Figure, FigureRun
from metrics.figures.heat_map import contrast
from metrics.figures.options import chosen
from metrics.figures.run_names import run_names
from metrics.figures.style import Specification, by_label, caption, finished

KIND = "dibimt-verdicts"
OPTIONS = {"show": ("shares", "items")}
COLOURS = ("GOOD", "BAD", "AMBIGUOUS", "MISS")
"""The order in which colours are given away."""
N_COLUMNS = 3
MIN_SHARE = 0.1
"""Shorter pieces have no number in them."""


def draw(runs: Sequence[FigureRun], options: Mapping[str, str]) -> Figure:
    """Draw a panel a language and a bar a run.

    Args:
        runs: At least one with translations.
        options: `show=shares|items`.

    Raises:
        FigureError: No run has translations, or an option is not allowed.
    """
    show = chosen(options, OPTIONS, KIND)["show"]
    languages, names = languages_of(runs), run_names(runs)
    values = [
        {"label": name, "language": language, **piece}
        for name, run in zip(names, runs, strict=True)
        for language in languages
        for piece in pieces(verdict_counts(run, language), show)
    ]
    y = {"field": "label", "type": "nominal", "sort": names, "title": None}
    body = {
        "data": {"values": values},
        "facet": {"field": "language", "sort": languages, "title": None},
        "columns": min(N_COLUMNS, len(languages)),
        "spec": {"width": 190, "height": {"step": 24}, "layer": piece_layers(y, show)},
    }
    words = caption(
        "Much GOOD and little BAD is good; MISS is neither and tells of the answer sets as well as"
        " of the system; AMBIGUOUS has both kinds of words and is outside N",
        counts_text(runs),
        f"{SOURCE}, Figure 2",
    )
    finding = _finding(runs, names, languages)
    return finished(KIND, "DiBiMT: what becomes of ambiguous words", words, finding, body)


def pieces(counts: Mapping[str, int] | None, show: str) -> list[dict[str, Any]]:
    """Return the pieces of one bar, one row a class; one empty row where there is no value."""
    if counts is None or not sum(counts.values()):
        return [{"verdict": None, "start": None, "end": None}]
    total = sum(counts.values())
    whole = total if show == "shares" else 1
    found, before = [], 0
    for verdict in VERDICTS:
        n = counts[verdict]
        found.append(
            {
                "verdict": verdict,
                "start": before / whole,
                "end": (before + n) / whole,
                "middle": (before + n / 2) / whole,
                "items": n,
                "share": n / total,
            }
        )
        before += n
    return found


def piece_layers(y: Mapping[str, Any], show: str, scale: str = "color") -> list[Specification]:
    """Return bars in pieces, with their numbers.

    Args:
        y: The encoding of a bar's place.
        show: `shares` or `items`.
        scale: What the drawn scale of colours is called.
    """
    axis = {"format": "%"} if show == "shares" else {}
    x = {"field": "start", "type": "quantitative", "title": show, "axis": axis}
    colour = by_label("verdict", COLOURS)["color"]
    colour["legend"] = {
        **colour["legend"],
        "values": list(VERDICTS),
        "columns": 4,
        "symbolOpacity": 1,
    }
    known = {"filter": "isValid(datum.start)"}
    number = {"field": "share", "type": "quantitative", "format": ".0%"}
    count = {"field": "items", "type": "quantitative"}
    tooltip = [{"field": field} for field in ("label", "language", "verdict", "items")]
    return [
        {
            "transform": [known, {"filter": "datum.items > 0"}],
            "mark": {"type": "rect", "height": {"band": 0.86}},
            "encoding": {
                "y": y, "x": x, "x2": {"field": "end"}, "color": colour,
                "tooltip": [*tooltip, number],
            },
        },
        {
            "transform": [known, {"filter": f"datum.share >= {MIN_SHARE}"}],
            "mark": {"type": "text", "fontSize": 10},
            "encoding": {
                "y": y,
                "x": {"field": "middle", "type": "quantitative", "title": show},
                "text": number if show == "shares" else count,
                "color": contrast("verdict", scale),
            },
        },
        {
            "transform": [{"filter": "!isValid(datum.start)"}],
            "mark": {
                "type": "text", "style": "missing", "text": "no value", "align": "left", "dx": 4
            },
            "encoding": {"y": y, "x": {"datum": 0, "type": "quantitative"}},
        },
    ]  # fmt: skip


def _finding(runs: Sequence[FigureRun], names: Sequence[str], languages: Sequence[str]) -> str:
    found = []
    for name, run in zip(names, runs, strict=True):
        cells = []
        for language in languages:
            counts = verdict_counts(run, language)
            total = sum(counts.values()) if counts else 0
            if counts is None or not total:
                cells.append(f"{language} no value")
            else:
                shares = (f"{counts[verdict] / total:.0%} {verdict}" for verdict in VERDICTS)
                cells.append(f"{language} {', '.join(shares)}")
        found.append(f"{name}: {'; '.join(cells)}.")
    return " ".join(found)
