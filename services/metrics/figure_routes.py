"""The route that draws figures of stored runs."""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from metrics.errors import FigureError
from services.figures import FigureFormat, draw_stored, render_figure
from services.metrics.routes import DatabaseParameter

figure_router = APIRouter()

MEDIA_TYPES: Mapping[FigureFormat, str] = {
    FigureFormat.JSON: "application/json",
    FigureFormat.SVG: "image/svg+xml",
    FigureFormat.PNG: "image/png",
    FigureFormat.PDF: "application/pdf",
}
CONTENT: Mapping[str, Mapping[str, str]] = {media_type: {} for media_type in MEDIA_TYPES.values()}
MAX_RUNS = 100


@figure_router.get(
    "/v1/figures/{kind}",
    response_class=Response,
    responses={200: {"description": "The figure.", "content": CONTENT}},
)
async def send_figure(  # noqa: PLR0913  # one parameter an option
    kind: Annotated[str, Path(max_length=100)],
    database: DatabaseParameter,
    run: Annotated[list[str], Query(min_length=1, max_length=MAX_RUNS)],
    form: Annotated[FigureFormat, Query(alias="format")] = FigureFormat.JSON,
    option: Annotated[list[str] | None, Query(description="A choice of the kind: k=v.")] = None,
    theme: Literal["light", "dark"] = "light",
    caption: Annotated[bool, Query(description="Whether pictures hold the caption.")] = True,
) -> Response:
    """Draw runs as a picture, or as a Vega-Lite specification with its caption in `usermeta`."""
    figure = await draw_stored(database, kind, run, _pairs(option or []))
    content = await asyncio.to_thread(
        render_figure, figure, form, is_dark=theme == "dark", with_caption=caption
    )
    return Response(content, media_type=MEDIA_TYPES[form])


def _pairs(texts: list[str]) -> dict[str, str]:
    for text in texts:
        if "=" not in text[1:]:
            raise FigureError(f"option {text!r}: expected name=value")
    return {name: value for name, _, value in (text.partition("=") for text in texts)}
