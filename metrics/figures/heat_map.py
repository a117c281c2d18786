"""How does a heat map print its numbers so that they can be read on every colour?"""

from collections.abc import Sequence
from typing import Any

from metrics.figures.style import Specification

ON_DARK, ON_LIGHT = "#FFFFFF", "#1B1F24"
"""What is printed on a coloured cell; the cell decides, not the page."""
IS_DARK = "isValid(datum['{field}']) && luminance(scale('{scale}', datum['{field}'])) < 0.21"
"""Where white has more contrast than the dark ink, by relative luminance (WCAG 2).

The scale is the drawn one, so that both themes are served. It is called `color`, or after the name
of the view (`<name>_color`) where views do not share their colours.
"""
CELL = 26


def heat_layers(
    field: str,
    title: str,
    domain: Sequence[float],
    *,
    scheme: str,
    text: str = ".2f",
    scale: str = "color",
) -> list[Specification]:
    """Return the layers of a heat map: cells, their numbers, and `no value` where there is none.

    Positions and tooltips are the caller's; data must have the field, null where there is no value.

    Args:
        field: Of the value.
        title: Of the legend.
        domain: What the ends of the colours stand for.
        scheme: `ramp`, or `diverging` where the middle of the domain means something.
        text: How numbers are printed.
        scale: What the drawn scale is called.
    """
    colour = {
        "field": field,
        "type": "quantitative",
        "scale": {"domain": list(domain), "range": scheme, "interpolate": "rgb"},
        "legend": legend(title),
    }
    known = [{"filter": f"isValid(datum['{field}'])"}]
    unknown = [{"filter": f"!isValid(datum['{field}'])"}]
    number = {"field": field, "type": "quantitative", "format": text}
    return [
        {"transform": known, "mark": {"type": "rect"}, "encoding": {"color": colour}},
        {
            "transform": known,
            "mark": {"type": "text", "fontSize": 10},
            "encoding": {"text": number, "color": contrast(field, scale)},
        },
        {
            "transform": unknown,
            "mark": {"type": "text", "style": "missing", "fontSize": 8, "text": "no value"},
        },
    ]


def contrast(field: str, scale: str = "color") -> dict[str, Any]:
    """Return the colour channel of text on a cell that is coloured by a field."""
    return {
        "condition": {"test": IS_DARK.format(field=field, scale=scale), "value": ON_DARK},
        "value": ON_LIGHT,
    }


def legend(title: str) -> Specification:
    """Return a flat legend of a colour gradient."""
    return {
        "title": title,
        "orient": "bottom",
        "direction": "horizontal",
        "gradientLength": 220,
        "gradientThickness": 10,
        "titleLimit": 400,
    }
