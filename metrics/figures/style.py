"""How every figure looks: colours, shapes, sizes, and the words that belong to it.

A figure's specification names no colour: it uses the scales' ranges and the mark styles below, so
that `themed` can draw the same specification on white or on black. Colours are those of Okabe and
Ito (2008); each model also has a shape or a dash, so that a grey print still tells them apart.
"""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from metrics.figures.figure import Figure

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
"""A name of the format, not an address that is loaded."""
VEGA_LITE_VERSION = "5.21"
"""The version that figures are compiled with, on pages and in files."""

CAPTION_CHARACTERS = 108
LABEL_PIXELS = 320
"""How long a model's name may get before it is cut."""
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"

SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right",
          "triangle-left")  # fmt: skip
"""Eight shapes and seven colours: 56 models before a pair repeats."""
DASHES = ((1, 0), (6, 3), (2, 2), (8, 3, 2, 3), (4, 1), (1, 3), (10, 4), (3, 3, 1, 3))

LIGHT_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DARK_COLOURS = ("#56B4E9", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#F0E442", "#FFFFFF")

Specification = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Inks:
    """The colours of everything that is no data."""

    background: str
    text: str
    faint_text: str
    line: str
    grid: str
    reference: str
    """Of what is not measured: chance, baselines, published values."""
    colours: Sequence[str]
    ramp: Sequence[str]
    """From little to much."""
    diverging: Sequence[str]
    """From negative through none to positive."""


LIGHT = Inks(
    background="#FFFFFF", text="#1B1F24", faint_text="#57606A", line="#8C959F", grid="#E4E7EB",
    reference="#57606A", colours=LIGHT_COLOURS,
    ramp=("#F1F6FA", "#A9CDE4", "#4D97C6", "#0B629B", "#08304D"),
    diverging=("#B34E00", "#EBA775", "#F5F5F5", "#7FB6DA", "#005A8E"),
)  # fmt: skip
DARK = Inks(
    background="#14181D", text="#E6EDF3", faint_text="#A3ADB8", line="#6E7781", grid="#2A313A",
    reference="#A3ADB8", colours=DARK_COLOURS,
    ramp=("#16212B", "#12486D", "#1B7AB4", "#62B3E3", "#D3ECFB"),
    diverging=("#F28A3C", "#8A4A18", "#22282F", "#1F6491", "#6DC0F0"),
)  # fmt: skip


def finished(kind: str, title: str, caption: str, alt: str, body: Mapping[str, Any]) -> Figure:
    """Put a drawn body and its words together.

    Args:
        kind: The figure's name in the catalogue.
        title: Says what is shown, in one line.
        caption: See `caption`.
        alt: The finding, for those who do not see the picture.
        body: A Vega-Lite view without title, theme and schema.
    """
    specification = {
        "$schema": SCHEMA,
        "description": alt,
        "title": {"text": textwrap.wrap(title, CAPTION_CHARACTERS)},
        "usermeta": {"kind": kind, "caption": caption},
        "config": config(LIGHT),
        **body,
    }
    return Figure(kind, title, caption, alt, specification)


def caption(good: str, n: str, source: str) -> str:
    """Return what stands under a figure.

    Args:
        good: What good looks like, a sentence without its full stop.
        n: Of how many cases, such as `196 words, 1,176 answers`.
        source: Where the method was published.
    """
    return f"{good}. n = {n}. Method: {source}."


def themed(figure: Figure, *, is_dark: bool = False, with_caption: bool = False) -> Specification:
    """Return a figure's specification ready to be compiled.

    Args:
        figure: As drawn.
        is_dark: For a dark page.
        with_caption: Whether the caption stands in the picture; a page has it as text.
    """
    specification = {**figure.specification, "config": config(DARK if is_dark else LIGHT)}
    if with_caption:
        lines = textwrap.wrap(figure.caption, CAPTION_CHARACTERS)
        specification["title"] = {**specification["title"], "subtitle": lines}
    return specification


def config(inks: Inks) -> Specification:
    """Return the Vega-Lite configuration of a theme."""
    words = {"labelColor": inks.text, "titleColor": inks.text, "labelLimit": LABEL_PIXELS}
    sizes = {"labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal"}
    return {
        "font": FONT,
        "background": inks.background,
        "padding": 12,
        "view": {"stroke": inks.grid, "continuousWidth": 360, "continuousHeight": 260},
        "title": {"color": inks.text, "fontSize": 14, "fontWeight": "bold", "anchor": "start",
                  "frame": "bounds", "offset": 14, "subtitleColor": inks.faint_text,
                  "subtitleFontSize": 11, "subtitlePadding": 6, "subtitleLineHeight": 15},
        "axis": {**words, **sizes, "gridColor": inks.grid, "domainColor": inks.line,
                 "tickColor": inks.line, "titlePadding": 8},
        "header": {**words, "labelFontSize": 12, "labelFontWeight": "bold", "titleFontSize": 11},
        "legend": {**words, **sizes, "orient": "bottom", "direction": "horizontal", "columns": 2,
                   "symbolSize": 80, "offset": 14,
                   "layout": {"bottom": {"direction": "vertical", "anchor": "start"}}},
        "range": {"category": list(inks.colours), "symbol": list(SHAPES),
                  "ramp": list(inks.ramp), "heatmap": list(inks.ramp), "ordinal": list(inks.ramp),
                  "diverging": list(inks.diverging)},
        "mark": {"color": inks.colours[0]},
        "point": {"filled": True, "size": 70, "opacity": 1},
        "bar": {"fillOpacity": 0.65},
        "tick": {"opacity": 1},
        "line": {"strokeWidth": 2},
        "rule": {"color": inks.text},
        "text": {"color": inks.text, "fontSize": 11},
        "style": _styles(inks),
    }  # fmt: skip


def _styles(inks: Inks) -> Specification:
    return {
        "interval": {"color": inks.text, "stroke": inks.text, "strokeWidth": 1.25},
        "reference": {"color": inks.reference, "stroke": inks.reference, "strokeWidth": 1.25,
                      "strokeDash": [5, 3]},
        "reference-mark": {"color": inks.reference, "stroke": inks.reference, "fill": "transparent",
                           "strokeWidth": 1.5},
        "reference-label": {"color": inks.reference, "fill": inks.reference, "fontSize": 10},
        "contour": {"color": inks.grid, "stroke": inks.grid, "strokeWidth": 1},
        "contour-label": {"color": inks.faint_text, "fill": inks.faint_text, "fontSize": 9},
        "missing": {"color": inks.faint_text, "fill": inks.faint_text, "fontSize": 10,
                    "fontStyle": "italic"},
        "on-dark": {"color": "#FFFFFF", "fill": "#FFFFFF"},
        "on-light": {"color": "#1B1F24", "fill": "#1B1F24"},
    }  # fmt: skip


def by_label(
    field: str, labels: Sequence[str], *, shape: bool = False, dash: bool = False
) -> Specification:
    """Return the channels that tell labels (models, types, systems) apart, in one legend.

    Args:
        field: The data field that holds the label.
        labels: Every label, in the order of the legend.
        shape: For points.
        dash: For lines.
    """
    scale = {"domain": list(labels)}
    legend = {"title": None, "columns": 1 if max(map(len, labels), default=0) > 30 else 3}
    channel = {"field": field, "type": "nominal", "scale": scale, "legend": legend}
    channels: Specification = {"color": channel}
    if shape:
        channels["shape"] = channel
    if dash:
        patterns = [list(DASHES[index % len(DASHES)]) for index in range(len(labels))]
        channels["strokeDash"] = {**channel, "scale": {**scale, "range": patterns}}
    return channels


def interval_layers(
    low: str, high: str, *, axis: str, other: Mapping[str, Any], title: str, cap: int = 6
) -> list[Specification]:
    """Return the layers of a 95 % interval: a rule with a cap at either end.

    Args:
        low: The field of the lower limit; rows where it is null are left out.
        high: The field of the upper limit.
        axis: `x` or `y`, along which the interval runs.
        other: The encoding of the other position (and of offsets), as the points have it.
        title: The axis' title, as the points have it.
        cap: The caps' length in pixels.
    """
    known = [{"filter": f"isValid(datum['{low}']) && isValid(datum['{high}'])"}]

    def limit(field: str) -> Specification:
        return {"field": field, "type": "quantitative", "title": title}

    orient = "vertical" if axis == "x" else "horizontal"
    rule = {
        "transform": known,
        "mark": {"type": "rule", "style": "interval"},
        "encoding": dict(other) | {axis: limit(low), f"{axis}2": {"field": high}},
    }
    caps = [
        {
            "transform": known,
            "mark": {"type": "tick", "style": "interval", "orient": orient, "size": cap,
                     "thickness": 1.25},
            "encoding": dict(other) | {axis: limit(field)},
        }
        for field in (low, high)
    ]  # fmt: skip
    return [rule, *caps]


def missing_text(reason: str | None) -> str:
    """Return what is written where a value would stand."""
    return f"no value: {reason}" if reason else "no value"
