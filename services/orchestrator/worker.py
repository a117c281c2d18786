"""A worker process: takes jobs of every run and works on them until told to stop."""

import asyncio
import sys
from dataclasses import replace

from orchestrator.contexts import RunContexts
from orchestrator.worker import WorkerOptions, work
from services.home import Home, open_home
from services.orchestrator.settings import WorkerSettings
from services.orchestrator.webhooks import teller
from services.processes import resources_of
from services.web.logs import log_json
from services.web.settings import SettingsError
from storage.database import Database
from storage.errors import StorageError
from storage.migrate import migrate


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
    resources = replace(resources_of(home), silence_s=settings.silence_s)
    async with Database.open(url) as database:
        contexts = RunContexts(database, resources)
        options = WorkerOptions(
            concurrency=settings.concurrency,
            has_signals=True,
            lease_s=settings.lease_s,
            on_beat=teller(database, home.settings),
        )
        try:
            await work(url, contexts, options)
        finally:
            await contexts.close()


if __name__ == "__main__":
    main()
