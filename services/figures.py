"""From stored runs to a figure, and from a figure to a file's bytes; for commands and routes."""

import json
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from html import escape
from itertools import count
from typing import Any

import vl_convert

from metrics.figures.catalog import draw_figure, figure_kind, require_benchmark
from metrics.figures.figure import Figure, FigureRun
from metrics.figures.style import VEGA_LITE_VERSION, themed
from storage import outcomes, runs, scores
from storage.database import Database

PIXELS_PER_UNIT = 2.0
"""Of PNG files: sharp on dense screens."""
OFFLINE: list[str] = []
"""No address may be loaded while a figure is drawn."""


class FigureFormat(StrEnum):
    """How a figure is sent or written."""

    JSON = "json"
    SVG = "svg"
    PNG = "png"
    PDF = "pdf"


async def draw_stored(
    database: Database, kind: str, run_ids: Sequence[str], options: Mapping[str, str]
) -> Figure:
    """Draw stored runs, by their latest scores.

    Raises:
        FigureError: There is no such kind, or these runs cannot be drawn as it.
        UnknownRunError: There is no run with one of these ids.
    """
    found = figure_kind(kind)
    stored = [await runs.get(database, run_id) for run_id in dict.fromkeys(run_ids)]
    require_benchmark(kind, [run.benchmark for run in stored])
    drawn = [
        FigureRun(
            run_id=run.id,
            benchmark=run.benchmark,
            model=run.model,
            settings=run.settings,
            scores=await scores.read(database, run.id),
            rows=await outcomes.rows(database, run.id) if found.needs_rows else (),
            seed=run.seed,
        )
        for run in stored
    ]
    return draw_figure(kind, drawn, options)


def render_figure(
    figure: Figure, form: FigureFormat, *, is_dark: bool = False, with_caption: bool = True
) -> bytes:
    """Return a figure as a file's content; the same figure always gives the same SVG and JSON.

    Args:
        figure: As drawn.
        form: The JSON form is the Vega-Lite specification, its caption among `usermeta`.
        is_dark: For a dark page.
        with_caption: Whether pictures hold the caption.
    """
    if form is FigureFormat.JSON:
        document = themed(figure, is_dark=is_dark)
        return (json.dumps(document, ensure_ascii=True, indent=1) + "\n").encode()
    specification = themed(figure, is_dark=is_dark, with_caption=with_caption)
    given: dict[str, Any] = {"vl_version": VEGA_LITE_VERSION, "allowed_base_urls": OFFLINE}
    if form is FigureFormat.PNG:
        return bytes(vl_convert.vegalite_to_png(specification, scale=PIXELS_PER_UNIT, **given))
    if form is FigureFormat.PDF:
        return bytes(vl_convert.vegalite_to_pdf(specification, **given))
    return _finish_svg(vl_convert.vegalite_to_svg(specification, **given), figure).encode()


def _finish_svg(svg: str, figure: Figure) -> str:
    """Count the ids from 0 (the renderer goes on counting) and say what is seen."""
    numbers = count()
    new_by_old: dict[str, str] = {}
    for old in re.findall(r'\bid="([^"]+)"', svg):
        new_by_old.setdefault(old, f"part{next(numbers)}")
    svg = re.sub(
        r'(\bid="|url\(#|href="#)([^")]+)',
        lambda found: found[1] + new_by_old.get(found[2], found[2]),
        svg,
    )
    words = f"<title>{escape(figure.title)}</title><desc>{escape(figure.alt)}</desc>"
    return re.sub(
        r"^<svg([^>]*)>",
        lambda found: f'<svg{found[1]} role="img" aria-label="{escape(figure.alt)}">{words}',
        svg,
        count=1,
    )
