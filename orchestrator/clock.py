"""Time as limits see it: tests bring a clock of their own."""

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """What limits need of time."""

    def seconds(self) -> float:
        """Return seconds that only ever grow."""
        ...

    def date(self) -> datetime:
        """Return the time of day, with its zone."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class SystemClock:
    """The machine's clock."""

    def seconds(self) -> float:
        """Return seconds since some moment in the past."""
        return time.monotonic()

    def date(self) -> datetime:
        """Return the time of day."""
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        """Wait without keeping anybody else from working."""
        await asyncio.sleep(seconds)
