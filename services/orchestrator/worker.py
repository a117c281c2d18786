"""A worker process: takes jobs of every run and works on them until told to stop."""

import asyncio
import sys

from orchestrator.contexts import RunContexts
from orchestrator.jobs import add_tasks, run_worker
from services.home import Home, open_home
from services.orchestrator.settings import WorkerSettings
from services.processes import resources_of
from services.web.logs import log_json
from services.web.settings import SettingsError
from storage.database import Database
from storage.errors import StorageError
from storage.migrate import migrate
from storage.queue import open_queue


def main() -> None:
    """Work until told to stop; jobs in hand are finished first."""
    try:
        settings = WorkerSettings.read()
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
    log_json("polysense worker", settings.log_level)
    try:
        asyncio.run(_work(open_home(), settings))
    except StorageError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(3)


async def _work(home: Home, settings: WorkerSettings) -> None:
    url = await asyncio.to_thread(home.database_url)
    await asyncio.to_thread(migrate, url)
    resources = resources_of(home)
    async with Database.open(url) as database:
        contexts = RunContexts(database, resources)
        app = add_tasks(open_queue(url), contexts)
        async with app.open_async():
            try:
                await run_worker(app, [], settings.concurrency, signals=True)
            finally:
                await contexts.close()
