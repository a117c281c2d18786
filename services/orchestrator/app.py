"""The orchestrator as a service: put together from its parts."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from dataclasses import replace

from fastapi import FastAPI

from benchmarks.errors import BenchmarkError
from orchestrator.errors import (
    OrchestratorError,
    ProviderRefusedError,
    ProviderUnavailableError,
    RunStateError,
)
from services.home import Home, open_home
from services.orchestrator.routes import router
from services.orchestrator.settings import OrchestratorSettings
from services.processes import resources_of
from services.web.app import ServiceApp, make_app
from services.web.errors import answer_errors
from services.web.serve import serve
from services.web.settings import SettingsError
from storage.database import Database
from storage.errors import (
    DatabaseUnreachableError,
    StorageError,
    UnknownRunError,
)
from storage.migrate import migrate

STATUSES: dict[type[Exception], int] = {
    BenchmarkError: 422,
    OrchestratorError: 422,
    RunStateError: 409,
    ProviderRefusedError: 502,
    ProviderUnavailableError: 503,
    UnknownRunError: 404,
    DatabaseUnreachableError: 503,
    StorageError: 500,
}


def make_orchestrator(settings: OrchestratorSettings, home: Home) -> ServiceApp:
    """Return the app; its database is opened when it starts."""

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        url = await asyncio.to_thread(home.database_url)
        await asyncio.to_thread(migrate, url)
        async with Database.open(url) as database:
            app.state.database = database
            app.state.home = home
            # What comes over the network may not send this machine just anywhere.
            hosts = frozenset(host.lower() for host in home.settings.provider_hosts)
            app.state.resources = replace(resources_of(home), provider_hosts=hosts)
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
        "polysense orchestrator",
        "Makes runs: plans what must be asked, queues it, and says how far it is.",
        settings,
        lifespan=lifespan,
        readiness=readiness,
    )
    app.include_router(router)
    answer_errors(app, STATUSES)
    return app


def main() -> None:
    """Serve until told to stop."""
    try:
        settings = OrchestratorSettings.read()
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
    start_errors: dict[type[Exception], int] = {StorageError: 3}
    serve(make_orchestrator(settings, open_home()), settings, start_errors=start_errors)
