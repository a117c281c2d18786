"""The metrics service: put together from its parts."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator

from fastapi import FastAPI

from metrics.errors import MetricsError
from services.home import Home, open_home
from services.metrics.compare_routes import compare_router
from services.metrics.figure_routes import figure_router
from services.metrics.page_routes import page_router
from services.metrics.routes import router
from services.metrics.settings import MetricsSettings
from services.web.app import ServiceApp, make_app
from services.web.auth import PageAccess
from services.web.errors import answer_errors
from services.web.serve import serve
from services.web.settings import SettingsError
from storage.database import Database
from storage.errors import DatabaseUnreachableError, StorageError, UnknownRunError
from storage.migrate import migrate

STATUSES: dict[type[Exception], int] = {
    UnknownRunError: 404,
    DatabaseUnreachableError: 503,
    StorageError: 500,
    MetricsError: 422,
}

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)


def make_metrics(settings: MetricsSettings, home: Home) -> ServiceApp:
    """Return the app; its database is opened when it starts."""

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        url = await asyncio.to_thread(home.database_url)
        await asyncio.to_thread(migrate, url)
        async with Database.open(url) as database:
            app.state.database = database
            yield

    async def readiness() -> str | None:
        database: Database | None = getattr(app.state, "database", None)
        if database is None:
            return "the database is not open yet"
        try:
            await database.ping()
        except StorageError as error:
            return str(error)
        return None

    app = make_app(
        "polysense metrics",
        "Shows what runs measured: scores with their intervals, and every item behind them.",
        settings,
        lifespan=lifespan,
        readiness=readiness,
        pages=PageAccess(content_security_policy=CONTENT_SECURITY_POLICY),
    )
    app.state.api_key = settings.api_key
    app.include_router(router)
    app.include_router(compare_router)
    app.include_router(figure_router)
    app.include_router(page_router)
    answer_errors(app, STATUSES)
    return app


def main() -> None:
    """Serve until told to stop."""
    try:
        settings = MetricsSettings.read()
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
    start_errors: dict[type[Exception], int] = {StorageError: 3}
    serve(make_metrics(settings, open_home()), settings, start_errors=start_errors)
