"""The metrics service on a database of its own, with one run that has everything in it."""

import httpx
import pytest
from pydantic import SecretStr

from benchmarks.benchmark import Item, Outcome
from metrics.score import Score
from services.home import Home, HomeSettings
from services.metrics.app import make_metrics
from services.metrics.settings import MetricsSettings
from storage import failures, items, outcomes, responses, runs, scores
from storage.records import Failure, NewRun, StoredOutcome, StoredResponse

RUN = "01RUN000000000000000000001"
EVIL = "<script>alert('x')</script>"
ODD = "\x00 \ud800 end"
KEY = (7).to_bytes(32)

ITEMS = [
    Item("0", "ar", "hard", "bank", {"source": "I went to the bank", "target": "ذهبت إلى البنك"}),
    Item("1", "fa", None, "bank", {"source": EVIL, "target": "کنار رودخانه", "label": None}),
    Item("2", "he", None, "shot", {"source": ODD, "variations": ["ירייה", "כוסית"]}),
    Item("3", "de", None, "shot", {"source": "A shot", "target": "Ein Schuss"}),
]


def new_run(**changes):
    given = {
        "id": RUN, "benchmark": "dtails", "model": "hf:some/model",
        "spec": {"benchmark": "dtails", "model": "hf:some/model", "data": "/data/a b", "limit": 4,
                 "languages": ["ar", "fa"], "settings": {"rules": "none"}, "seed": None},
        "manifest": {"data": {"source": "/data/a b", "files": [{"name": EVIL, "sha256": "ab"}]}},
        "item_set": "set", "n_items": 4, "cells": (("select", "seed1"), ("select", "seed2")),
        "settings": {}, "seed": 0,
    }  # fmt: skip
    return NewRun(**{**given, **changes})


def outcome(number, variant, value, **more):
    item = ITEMS[number]
    keys = (KEY,) if number == 0 else ()
    judged = Outcome(value=value, detail={"predicted": EVIL, "said": ODD}, **more)
    return StoredOutcome(
        number, "select", variant, item.language, item.subset, item.unit, judged, keys
    )


def score(**changes):
    given = {
        "benchmark": "dtails", "model": "hf:some/model", "metric": "accuracy", "task": "select",
        "value": 0.5, "ci_low": 0.25, "ci_high": 0.75, "n": 4,
        "n_units": 2, "unit": "concept", "coverage": 0.999, "baselines": {"chance": 0.5},
    }  # fmt: skip
    return Score(**{**given, **changes})


SCORES = [
    score(language="ar"),
    score(language="fa", value=None, ci_low=None, ci_high=None, reason=f"no valid {EVIL}"),
    score(language=None, value=0.4),
    score(language="ar", subset="hard", value=1.0, ci_low=None, ci_high=None),
    score(metric="cognate_bias", language="ar", value=-0.5, ci_low=-1.0, ci_high=0.0),
]


@pytest.fixture
async def run(database):
    """Store a finished run of four items; two cases failed, two have no outcome at all."""
    await items.put(database, "set", ITEMS)
    stored = await runs.create(database, new_run())
    request = {"kind": "generate", "messages": [{"role": "user", "content": f"Pick {EVIL}"}]}
    await responses.put(
        database, [StoredResponse(KEY, "generate", "scorer", "m", request, {"text": f"كلمة {ODD}"})]
    )
    await outcomes.put(
        database,
        RUN,
        [
            outcome(0, "seed1", 1.0, baselines={"chance": 0.5}),
            outcome(0, "seed2", 0.0),
            outcome(1, "seed1", None, is_valid=False),
            outcome(2, "seed1", 1.0),
        ],
    )
    await failures.put(
        database,
        RUN,
        [Failure(3, "select", s, "TooSlowError", EVIL, f"dtails/{s}", 2) for s in ("a", "seed1")],
    )
    await scores.replace(database, RUN, "judge-1", SCORES)
    await runs.set_status(database, RUN, "running", allowed_from=["queued"])
    await runs.set_status(database, RUN, "finished", allowed_from=["running"])
    return stored


def make_app(database_url, tmp_path, **settings):
    home = HomeSettings(POLYSENSE_HOME=tmp_path, DATABASE_URL=SecretStr(database_url))
    return make_metrics(MetricsSettings(**settings), Home(home))


@pytest.fixture
def open_client(database_url, tmp_path):
    """Return a function that opens a client of the service; a key can be configured."""

    def client(**settings):
        app = make_app(database_url, tmp_path, **settings)
        return RunningClient(app)

    return client


class RunningClient:
    """A client whose app has been started."""

    def __init__(self, app):
        self._lifespan = app.router.lifespan_context(app)
        transport = httpx.ASGITransport(app)
        self._client = httpx.AsyncClient(transport=transport, base_url="http://metrics")

    async def __aenter__(self):
        await self._lifespan.__aenter__()
        return self._client

    async def __aexit__(self, *error):
        await self._client.aclose()
        await self._lifespan.__aexit__(*error)


@pytest.fixture
async def client(open_client):
    """Return a client of the service without a key."""
    async with open_client() as opened:
        yield opened


@pytest.fixture
async def other_run(database):
    """Store a run that nobody has begun yet."""
    await items.put(database, "set", ITEMS)
    return await runs.create(database, new_run(id=RUN[:-1] + "2", manifest={}))
