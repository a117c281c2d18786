"""How many calls one key bears at once, found out by trying; and when to leave it in peace."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

FIRST_LIMIT = 2.0
CALM_S = 5.0
"""After a server error nothing grows for so long."""
CUT_INTERVAL_S = 1.0
"""Refusals that come together are one sign, not many."""
MAX_FAILURES = 8
FIRST_BREAK_S = 5.0
LONGEST_BREAK_S = 60.0


class Concurrency:
    """Calls in flight: doubles from a slow start, halves on "too many", then grows one by one."""

    def __init__(self, maximum: int) -> None:
        """Begin with two, or with fewer where that is the maximum."""
        self._maximum = float(maximum)
        self._limit = min(FIRST_LIMIT, self._maximum)
        self._threshold = self._maximum
        self._calm_until = self._cut_at = -float("inf")
        self._n_in_flight = 0
        self._changed = asyncio.Condition()

    @property
    def limit(self) -> int:
        """How many calls may be in flight now."""
        return max(1, int(self._limit))

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait until one more call may be in flight, and hold its place."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._n_in_flight < self.limit)
            self._n_in_flight += 1
        try:
            yield
        finally:
            self._n_in_flight -= 1
            async with self._changed:
                self._changed.notify_all()

    def succeed(self, now_s: float) -> None:
        """Note an answer: below the threshold one more is allowed, above it a fraction of one."""
        if now_s < self._calm_until:
            return
        step = 1.0 if self._limit < self._threshold else 1.0 / self._limit
        self._limit = min(self._maximum, self._limit + step)

    def cut(self, now_s: float) -> None:
        """Note "too many": half as many from now on."""
        if now_s - self._cut_at < CUT_INTERVAL_S:
            return
        self._cut_at = now_s
        self._limit = self._threshold = max(1.0, self._limit / 2.0)

    def stay(self, now_s: float) -> None:
        """Note a server error, which says nothing about how many: grow no more for a while."""
        self._calm_until = now_s + CALM_S


class Breaker:
    """Opens after failures in a row; then one call at a time may try whether it is over."""

    def __init__(self) -> None:
        """Begin closed."""
        self._n_failures = 0
        self._break_s = FIRST_BREAK_S
        self._open_until: float | None = None

    def wait_s(self, now_s: float) -> float:
        """Return how long a call must wait; 0 lets it go, and is said to one trial only."""
        if self._open_until is None:
            return 0.0
        if now_s < self._open_until:
            return self._open_until - now_s
        self._open_until = now_s + self._break_s  # the others wait for this trial
        return 0.0

    def succeed(self) -> None:
        """Close."""
        self._n_failures, self._break_s, self._open_until = 0, FIRST_BREAK_S, None

    def fail(self, now_s: float) -> None:
        """Note a failure; one too many opens, a failed trial opens for twice as long."""
        self._n_failures += 1
        if self._n_failures < MAX_FAILURES:
            return
        if self._n_failures > MAX_FAILURES:
            self._break_s = min(LONGEST_BREAK_S, self._break_s * 2.0)
        self._open_until = now_s + self._break_s
