"""The database as a command sees it: started if it is the bundled one, migrated, opened."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine
from typing import Any, TypeVar

from services.home import Home
from storage import runs
from storage.database import Database
from storage.errors import UnknownRunError
from storage.migrate import migrate
from storage.records import Run

Result = TypeVar("Result")


@contextlib.asynccontextmanager
async def open_store(home: Home) -> AsyncIterator[Database]:
    """Open the home's database, up to date.

    Raises:
        DatabaseUnreachableError: It does not answer.
        SchemaNewerError: A newer polysense has changed it.
    """
    url = await asyncio.to_thread(home.database_url)
    await asyncio.to_thread(migrate, url)
    async with Database.open(url) as database:
        yield database


async def find_run(database: Database, name: str) -> Run:
    """Return a run by its id, or the newest one for `last`.

    Raises:
        UnknownRunError: There is none.
    """
    if name != "last":
        return await runs.get(database, name)
    run = await runs.latest(database)
    if run is None:
        raise UnknownRunError("there is no run yet; `polysense run` makes one")
    return run


def wait_for(work: Coroutine[Any, Any, Result]) -> Result:
    """Run one command's coroutine to its end."""
    return asyncio.run(work)
