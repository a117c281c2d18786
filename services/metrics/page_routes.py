"""The pages: plain HTML, without a script."""

from importlib.resources import files
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Query, Request
from pydantic import SecretStr
from starlette.responses import HTMLResponse, RedirectResponse, Response

from services.metrics.pages.environment import render
from services.metrics.pages.views import item_view, items_view, run_lines, run_view
from services.metrics.routes import DatabaseParameter, PlaceParameter
from services.metrics.schemas import parse_place, place_text
from services.web.auth import SESSION_COOKIE, is_right_key, session_token
from storage import runs
from storage.errors import UnknownRunError
from storage.records import OutcomeFilter, OutcomeStatus

page_router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

RUNS_A_PAGE = 25
CASES_A_PAGE = 50
STATIC = files("services.metrics.pages")
STATUSES: tuple[OutcomeStatus, ...] = ("right", "wrong", "valid", "invalid", "unanswered")
SESSION_S = 30 * 24 * 3600


def get_page_filter(
    language: str = "", subset: str = "", task: str = "", variant: str = "", status: str = ""
) -> OutcomeFilter:
    """Return which cases a page's form wants; an empty choice is none."""
    chosen: OutcomeStatus | None = next((each for each in STATUSES if each == status), None)
    return OutcomeFilter(language or None, subset or None, task or None, variant or None, chosen)


@page_router.get("/")
async def show_runs(
    database: DatabaseParameter, before: Annotated[str | None, Query(max_length=26)] = None
) -> HTMLResponse:
    """Show the list of runs."""
    lines = await run_lines(database, RUNS_A_PAGE + 1, before)
    more = lines[RUNS_A_PAGE - 1].run.id if len(lines) > RUNS_A_PAGE else None
    page = render("runs.html", lines=lines[:RUNS_A_PAGE], more=more, is_first=before is None)
    return HTMLResponse(page)


@page_router.get("/runs/{run_id}")
async def show_run(
    run_id: str,
    database: DatabaseParameter,
    score_set: Annotated[str | None, Query(alias="set")] = None,
) -> HTMLResponse:
    """Show a run's scores."""
    try:
        view = await run_view(database, run_id, score_set)
    except UnknownRunError as error:
        return _problem(404, str(error))
    return HTMLResponse(render("run.html", view=view))


@page_router.get("/runs/{run_id}/items")
async def show_items(
    run_id: str,
    database: DatabaseParameter,
    wanted: Annotated[OutcomeFilter, Depends(get_page_filter)],
    after: PlaceParameter = None,
) -> HTMLResponse:
    """Show what came of a run's items."""
    try:
        view = await items_view(database, run_id, wanted, parse_place(after), CASES_A_PAGE)
    except UnknownRunError as error:
        return _problem(404, str(error))
    return HTMLResponse(
        render(
            "items.html",
            view=view,
            wanted=wanted,
            statuses=STATUSES,
            next=place_text(view.next_after),
            is_first=after is None,
        )
    )


@page_router.get("/runs/{run_id}/items/{number}")
async def show_item(run_id: str, number: int, database: DatabaseParameter) -> HTMLResponse:
    """Show one item: what was asked, what came back, how it was judged."""
    try:
        view = await item_view(database, run_id, number)
    except UnknownRunError as error:
        return _problem(404, str(error))
    if view is None:
        run = await runs.get(database, run_id)
        return _problem(404, f"no item {number} in run {run_id}; it has 0 to {run.n_items - 1}")
    return HTMLResponse(render("item.html", view=view))


def expected_key(request: Request) -> SecretStr | None:
    """Return the key of this service, if it has one."""
    key: SecretStr | None = request.app.state.api_key
    return key


@page_router.get("/login")
async def show_login(request: Request) -> Response:
    """Ask for the key."""
    if expected_key(request) is None:
        return RedirectResponse("/", status_code=303)
    return HTMLResponse(render("login.html", is_wrong=False))


@page_router.post("/login")
async def log_in(request: Request, key: Annotated[str, Form(max_length=4096)]) -> Response:
    """Take the key and remember the browser by a cookie."""
    expected = expected_key(request)
    if expected is not None and not is_right_key(key.strip(), expected):
        return HTMLResponse(render("login.html", is_wrong=True), status_code=401)
    answer = RedirectResponse("/", status_code=303)
    if expected is not None:
        answer.set_cookie(
            SESSION_COOKIE,
            session_token(expected),
            max_age=SESSION_S,
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="strict",
        )
    return answer


@page_router.get("/static/style.css")
async def send_style() -> Response:
    """Send the one style sheet."""
    return Response((STATIC / "style.css").read_text(), media_type="text/css")


@page_router.get("/favicon.ico")
async def send_icon() -> Response:
    """Send the icon."""
    return Response((STATIC / "icon.svg").read_text(), media_type="image/svg+xml")


def _problem(status: int, sentence: str) -> HTMLResponse:
    return HTMLResponse(render("problem.html", sentence=sentence), status_code=status)
