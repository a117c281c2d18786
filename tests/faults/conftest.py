"""One house a session; each test begins with all of it well and no worker."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from storage.database import Database
from tests.faults.house import House, ended

SEED = int(os.environ.get("POLYSENSE_FAULT_SEED", "0"))


@pytest.fixture(scope="session")
def built_house():
    folder = Path(tempfile.mkdtemp(prefix="polysense-faults-"))
    built = House(folder, SEED)
    yield built
    built.close()
    shutil.rmtree(folder)


@pytest.fixture
def house(built_house):
    built_house.proxy.behave()
    yield built_house
    built_house.kill_workers()


@pytest.fixture
async def store(house):
    async with Database.open(house.url) as opened:
        yield opened


@pytest.fixture
def undisturbed(house, store):
    """Return a function that runs the same without any harm, once a session."""

    async def run(**changes):
        name = repr(sorted(changes.items()))
        if name not in house.truths:
            worker = house.start_worker()
            made = await house.submit(store, **changes)
            house.truths[name] = await ended(store, made.id)
            house.kill(worker)
        return house.truths[name]

    return run
