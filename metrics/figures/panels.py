"""What do the panels of several figures share: titles, and points with intervals?"""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from metrics.figures.style import Specification, by_label, interval_layers

TITLE_CHARACTERS = 84
ONCE = ({"aggregate": [{"op": "count", "as": "n_rows"}]},)
"""The transform of a mark that stands once in a panel, not once a row."""


def panel_title(name: str) -> Specification:
    """Return the title of a panel: the name whole, on as many lines as it takes."""
    lines = textwrap.wrap(name, TITLE_CHARACTERS, break_long_words=True) or [name]
    return {"text": lines, "fontSize": 12, "offset": 8}


def point_layers(
    place: Mapping[str, Any],
    labels: Sequence[str],
    *,
    along: str,
    title: str,
    domain: Sequence[float],
    reference: float | None = None,
) -> list[Specification]:
    """Return points with their intervals, and `no value` where there is none.

    Data have the fields `label`, `value`, `low`, `high` (null where unknown) and whatever `place`
    and the tooltips name.

    Args:
        place: The encoding of the other position, offsets included.
        labels: What colours and shapes tell apart.
        along: `x` or `y`, along which values run.
        title: Of that axis.
        domain: Of that axis.
        reference: Where a dashed line stands, such as chance.
    """
    scale = {"domain": list(domain), "nice": False}
    axis = {"grid": True, "tickCount": 3}
    value = {
        "field": "value",
        "type": "quantitative",
        "title": title,
        "scale": scale,
        "axis": axis,
    }
    middle = sum(domain) / 2 if reference is None else reference
    word = {"type": "text", "style": "missing", "text": "no value"}
    turned = (
        {"angle": 270, "align": "left", "dx": 4} if along == "y" else {"align": "left", "dx": 4}
    )
    return [
        *([] if reference is None else [reference_line(reference, along, title)]),
        *interval_layers("low", "high", axis=along, other=place, title=title),
        {
            "transform": [{"filter": "isValid(datum.value)"}],
            "mark": "point",
            "encoding": {
                **place,
                along: value,
                **by_label("label", labels, shape=True),
                "tooltip": [
                    {"field": "label"},
                    {"field": "value", "type": "quantitative", "format": ".3f"},
                    {"field": "low", "type": "quantitative", "format": ".3f"},
                    {"field": "high", "type": "quantitative", "format": ".3f"},
                    {"field": "n"},
                ],
            },
        },
        {
            "transform": [{"filter": "!isValid(datum.value)"}],
            "mark": {**word, **turned},
            "encoding": {**place, along: {"datum": middle, "type": "quantitative"}},
        },
    ]


def reference_line(value: float, along: str, title: str) -> Specification:
    """Return a dashed line across a panel, drawn once however many rows there are."""
    return {
        "transform": list(ONCE),
        "mark": {"type": "rule", "style": "reference"},
        "encoding": {along: {"datum": value, "type": "quantitative", "title": title}},
    }


def chosen_domain(values: Sequence[float | None], margin: float = 0.05) -> list[float]:
    """Return the part of [0, 1] that holds all values; [0, 1] where there is none."""
    known = [value for value in values if value is not None]
    if not known:
        return [0.0, 1.0]
    return [max(0.0, min(known) - margin), min(1.0, max(known) + margin)]
