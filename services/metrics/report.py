"""One self-contained HTML file about runs: it opens offline and loads nothing."""

from collections.abc import Sequence
from importlib.metadata import version
from importlib.resources import files

from services.metrics.pages.environment import render
from services.metrics.pages.views import run_view
from storage.database import Database


async def render_report(database: Database, run_ids: Sequence[str]) -> str:
    """Return the report of some runs: scores, failures, manifests, the commands to repeat them.

    Raises:
        UnknownRunError: There is no run with one of these ids.
    """
    views = [await run_view(database, run_id) for run_id in run_ids]
    style = (files("services.metrics.pages") / "style.css").read_text()
    return render("report.html", views=views, style=style, version=version("polysense"))
