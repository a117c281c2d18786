"""Paid providers opened before fakes: with a key, and a clock that does not wait."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import SecretStr

from orchestrator.limits import Lanes
from orchestrator.providers.catalog import open_provider
from orchestrator.providers.opening import Opening
from orchestrator.resources import Resources

CANARY = "canary-7f3e9b21-do-not-tell"
NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


class FakeClock:
    """Goes on by what is slept, and by nothing else."""

    def __init__(self) -> None:
        self.now_s = 1000.0
        self.slept: list[float] = []

    def seconds(self) -> float:
        return self.now_s

    def date(self) -> datetime:
        return NOON + timedelta(seconds=self.now_s - 1000.0)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now_s += seconds
        await asyncio.sleep(0)


def paid_resources(**changes) -> Resources:
    """Return resources that know one key under every name."""
    given = {
        "find_scorers": dict,
        "artefacts": Path(),
        "find_secret": lambda name: SecretStr(CANARY),
        "lanes": Lanes(FakeClock()),
    }
    return Resources(**{**given, **changes})


async def open_paid(model: str, url: str, resources: Resources | None = None, **settings):
    """Open a paid model at an address."""
    opening = Opening(settings={"base_url": url, **settings})
    return await open_provider(model, resources or paid_resources(), opening)
