"""The stingray plot: accuracy on L1 against accuracy on L2, a point a run.

Source: Cahyawijaya et al. 2024 (arXiv:2410.21573), Figures 4 (all), 7 and 8 (by task), 9 and 10
(by task and pair).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from metrics.errors import FigureError
from metrics.figures.figure import Figure, FigureRun
from metrics.figures.options import chosen
from metrics.figures.run_names import run_names
from metrics.figures.stingray_contours import FULL, arcs, rays
from metrics.figures.stingray_points import Group, PlotPoint, plot_points
from metrics.figures.stingray_words import SUBSETS, plot_finding
from metrics.figures.style import by_label, caption, finished, missing_text

KIND = "stingray-plot"
BY: Mapping[str, tuple[str, ...]] = {
    "all": (), "task": ("task",), "task,language": ("task", "language"), "language": ("language",),
}  # fmt: skip
OPTIONS = {"by": tuple(BY), "sides": ("gold", "acceptance")}
SIZE_BY_PANELS = {2: 320, 4: 250}
SMALL = 170
RANDOM = "random answers"
Row = dict[str, Any]


def draw(runs: Sequence[FigureRun], options: Mapping[str, str]) -> Figure:
    """Draw a panel for each group and subset: left true cognates, right false friends."""
    choice = chosen(options, OPTIONS, KIND)
    names = run_names(runs)
    points = [
        (name, point)
        for run, name in zip(runs, names, strict=True)
        for point in plot_points(run, choice["sides"], BY[choice["by"]])
    ]
    if not points:
        raise FigureError(f"figure {KIND!r}: the runs have no case")
    words = caption(
        "Up and to the right is better (comprehension, the arcs, to 100); the diagonal is even"
        " (1 - |bias|, the rays, is 1 there), right of it leans to L1, above it to L2. Crosses are"
        f" 95 % intervals, open circles are {RANDOM}",
        _counts(points, runs),
        "Cahyawijaya et al. 2024 (arXiv:2410.21573), section 3.3",
    )
    title = "StingrayBench: accuracy on the sentences of either language"
    alt = plot_finding(points)
    return finished(KIND, title, words, alt, _body(points, names))


def _counts(points: Sequence[tuple[str, PlotPoint]], runs: Sequence[FigureRun]) -> str:
    items = max(len({row.number for row in run.rows}) for run in runs)
    cases = max(len(run.rows) for run in runs)
    cells = {
        name: sorted({c for n, p in points if n == name for c in p.cells}) for name, _ in points
    }
    uneven = len({tuple(each) for each in cells.values()}) > 1
    note = "; the runs differ in pairs or tasks" if uneven else ""
    return f"{items:,} items, {cases:,} answers a run{note}"


def _body(points: Sequence[tuple[str, PlotPoint]], names: Sequence[str]) -> Row:
    groups = list(dict.fromkeys(point.group for _, point in points))
    groups.sort(key=lambda group: (group[0] or "", group[1] or ""))
    wide = any(group[0] is not None for group in groups) and any(group[1] for group in groups)
    n_columns = 4 if wide else 2
    size = SMALL if wide else SIZE_BY_PANELS.get(len(groups) * 2, 210)
    panels = [
        _panel([(n, p) for n, p in points if p.group == group and p.subset == subset],
               names, (group, subset), size)
        for group in groups
        for subset in SUBSETS
    ]  # fmt: skip
    return {"concat": panels, "columns": n_columns, "spacing": 24}


def _panel(
    points: Sequence[tuple[str, PlotPoint]],
    names: Sequence[str],
    place: tuple[Group, str],
    size: int,
) -> Row:
    rows = [_row(name, point) for name, point in points]
    x = _position("x", "accuracy on L1, %")
    y = _position("y", "accuracy on L2, %")
    known = [row for row in rows if row["missing"] is None]
    gaps = [f"{row['run']}: {row['missing']}" for row in rows if row["missing"]]
    return {
        "title": {"text": _panel_title(*place), "subtitle": gaps, "fontSize": 12, "offset": 8,
                  "frame": "group"},
        "data": {"values": known},
        "width": size,
        "height": size,
        "layer": [
            *_contour_layers(x, y),
            _random_layer(points, x, y),
            *_cross_layers(x, y, names),
            {"mark": {"type": "point", "tooltip": True},
             "encoding": {"x": x, "y": y, **by_label("run", names, shape=True)}},
        ],
    }  # fmt: skip


def _row(name: str, point: PlotPoint) -> Row:
    l1, l2 = point.l1, point.l2
    has_place = l1.value is not None and l2.value is not None
    return {
        "run": name,
        "x": _percent(l1.value),
        "x_low": _percent(l1.ci_low),
        "x_high": _percent(l1.ci_high),
        "y": _percent(l2.value),
        "y_low": _percent(l2.ci_low),
        "y_high": _percent(l2.ci_high),
        "missing": None if has_place else missing_text(l1.reason or l2.reason),
    }


def _percent(share: float | None) -> float | None:
    return None if share is None else FULL * share


def _position(field: str, title: str) -> Row:
    axis = {"grid": False, "values": [0, 20, 40, 60, 80, 100]}
    return {"field": field, "type": "quantitative", "title": title, "axis": axis,
            "scale": {"domain": [0, FULL]}}  # fmt: skip


def _contour_layers(x: Row, y: Row) -> list[Row]:
    """Return the contours; arcs are labelled left of the diagonal, where random answers stand."""
    position = {"x": x, "y": y}
    labels = [
        ([row for row in rays() if row["label"]], {"align": "left", "dx": 2}),
        ([row for row in arcs() if row["label"]], {"align": "right", "dx": -8, "dy": -3}),
    ]
    return [
        {"data": {"values": [*rays(), *arcs()]},
         "mark": {"type": "line", "style": "contour", "strokeWidth": 1},
         "encoding": {**position, "detail": {"field": "line"}, "order": {"field": "order"}}},
        *(
            {"data": {"values": rows},
             "mark": {"type": "text", "style": "contour-label", "baseline": "bottom", **place},
             "encoding": {**position, "text": {"field": "label"}}}
            for rows, place in labels
        ),
    ]  # fmt: skip


def _cross_layers(x: Row, y: Row, names: Sequence[str]) -> list[Row]:
    """Return the intervals along both axes, thin and in the run's colour."""
    mark = {"type": "rule", "strokeWidth": 1.25, "opacity": 0.75}
    colour = by_label("run", names)
    return [
        {
            "transform": [{"filter": f"isValid(datum.{axis}_low)"}],
            "mark": mark,
            "encoding": {"x": x, "y": y, **colour}
            | {axis: {**{"x": x, "y": y}[axis], "field": f"{axis}_low"},
               f"{axis}2": {"field": f"{axis}_high"}},
        }
        for axis in ("x", "y")
    ]  # fmt: skip


def _random_layer(points: Sequence[tuple[str, PlotPoint]], x: Row, y: Row) -> Row:
    places = {
        (round(FULL * point.chance[0], 2), round(FULL * point.chance[1], 2))
        for _, point in points
        if point.chance is not None
    }
    return {
        "data": {"values": [{"x": place[0], "y": place[1]} for place in sorted(places)]},
        "mark": {"type": "point", "style": "reference-mark", "filled": False, "size": 110},
        "encoding": {"x": x, "y": y},
    }


def _panel_title(group: Group, subset: str) -> str:
    return " · ".join(word for word in (group[0], group[1], SUBSETS[subset]) if word)
