"""A run with items, ready to take outcomes."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from benchmarks.benchmark import Item
from storage import items, runs
from storage.database import Database
from storage.records import NewRun, Run


def make_item(number: int, **changes: Any) -> Item:
    given = {
        "id": f"item-{number}",
        "language": "de" if number % 2 else "ar",
        "subset": "easy" if number % 3 else None,
        "unit": f"word-{number // 2}",
        "fields": {"text": f"Satz {number}", "label": 1},
    }
    return Item(**{**given, **changes})


def make_run(number: int = 1, **changes: Any) -> NewRun:
    given = {
        "id": f"01RUN{number:021d}",
        "benchmark": "semrel",
        "model": "fake",
        "spec": {"limit": None},
        "manifest": {"seed": 0},
        "item_set": "set",
        "n_items": 6,
        "cells": (("relatedness", ""),),
        "settings": {"track": "A"},
        "seed": 0,
    }
    return NewRun(**{**given, **changes})


@pytest.fixture
def new_item() -> Callable[..., Item]:
    """Return a function that makes an item from its number."""
    return make_item


@pytest.fixture
def new_run() -> Callable[..., NewRun]:
    """Return a function that makes a run of six items in the set `set`."""
    return make_run


@pytest.fixture
def stored_run(database: Database) -> Callable[..., Awaitable[Run]]:
    """Return a function that stores six items and a run on them."""

    async def store(number: int = 1, **changes: Any) -> Run:
        await items.put(database, "set", [make_item(n) for n in range(6)])
        return await runs.create(database, make_run(number, **changes))

    return store
