"""Runs of the toy benchmark in a real database."""

from pathlib import Path

import pytest
from ulid import ULID

from orchestrator.ask import Asker
from orchestrator.plan import cells
from orchestrator.spec import RunSpec
from orchestrator.work import RunContext
from storage import items, runs
from storage.records import NewRun
from tests.orchestrator.toy import Toy


@pytest.fixture
def start_toy(database):
    """Return a function that stores a run of the toy and returns its context."""

    async def start(provider=None, *, tasks=("pick",), seed=0, baseline="", salt=""):
        toy = Toy()
        found = list(toy.items(Path(), RunSpec(benchmark="toy", model="fake")))
        await items.put(database, "toy-items", found)
        run = await runs.create(
            database,
            NewRun(
                id=str(ULID()),
                benchmark="toy",
                model="fake",
                spec=RunSpec(benchmark="toy", model="fake").model_dump(mode="json"),
                manifest={},
                item_set="toy-items",
                n_items=len(found),
                cells=cells(toy, tasks, seed),
                settings={},
                seed=0,
            ),
        )
        asker = None if provider is None else Asker(database, provider, salt)
        return RunContext(database, run, toy, asker, baseline)

    return start
