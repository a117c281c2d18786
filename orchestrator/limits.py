"""Rate, concurrency, retries and budget of each provider key: every call to a paid model goes here.

Processes share the pace through the database; how many calls a key bears at once each process
finds out by itself.
"""

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from orchestrator.budget import Purse
from orchestrator.clock import Clock, SystemClock
from orchestrator.concurrency import Breaker, Concurrency
from orchestrator.errors import (
    BudgetReachedError,
    OrchestratorError,
    ProviderRefusedError,
    ProviderUnavailableError,
)
from orchestrator.halting import Halt, NotNowError
from orchestrator.retrying import pause_s
from storage import paces
from storage.database import Database

Reply = TypeVar("Reply")
DEADLINE_S = 600.0
MAX_ATTEMPTS = 8
MAX_RETRY_AFTER_S = 300.0
MAX_PACE_WAIT_S = 60.0


@dataclass(frozen=True)
class Call(Generic[Reply]):
    """One HTTP call and the most that it may take."""

    send: Callable[[], Awaitable[Reply]]
    n_tokens: int = 0
    n_characters: int = 0
    money: float | None = None
    """None where no price is known."""


@dataclass(frozen=True)
class Settled(Generic[Reply]):
    """An answer and the money that is still held for it."""

    reply: Reply
    held: float


@dataclass(frozen=True)
class LaneSettings:
    """What a user may say of a key; None sets no limit."""

    max_concurrency: int = 16
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    characters_per_minute: float | None = None


@dataclass
class Lane:
    """One key of one provider, as one process uses it."""

    name: str
    """Of the provider, as people read it."""
    key_name: str
    """The same for all replicas; made of the key's hash, never of the key."""
    settings: LaneSettings = field(default_factory=LaneSettings)
    clock: Clock = field(default_factory=SystemClock)
    chance: random.Random = field(default_factory=lambda: random.Random(0))
    _breaker: Breaker = field(default_factory=Breaker)
    _quiet_until: float = -float("inf")

    def __post_init__(self) -> None:
        self.concurrency = Concurrency(self.settings.max_concurrency)

    async def call(
        self,
        call: Call[Reply],
        halt: Halt,
        database: Database | None = None,
        purse: Purse | None = None,
        max_attempts: int = MAX_ATTEMPTS,
    ) -> Settled[Reply]:
        """Make a call when it may be made, and again where that helps.

        Raises:
            ProviderUnavailableError: It was made too often, or would have to wait for too long.
            BudgetReachedError: The run may spend no more.
            HaltedError: Another call of the same batch failed meanwhile.
            Exception: What `send` raises, unless it is a `NotNowError`.
        """
        deadline: float | None = None
        for attempt in range(1, max_attempts + 1):
            try:
                async with self.concurrency.slot():
                    deadline = deadline or self.clock.seconds() + DEADLINE_S
                    await self._wait_for_turn(call, halt, deadline, database)
                    return await self._try_or_halt(call, halt, purse)
            except NotNowError as error:
                wait_s = self._wait_after(error, attempt)
                is_late = deadline is not None and self.clock.seconds() + wait_s > deadline
                if attempt == max_attempts or is_late or wait_s > MAX_RETRY_AFTER_S:
                    raise ProviderUnavailableError(self._reason(error, attempt)) from error
                await halt.sleep(self.clock, wait_s)
        raise AssertionError("the loop above always returns or raises")

    async def _try_or_halt(
        self, call: Call[Reply], halt: Halt, purse: Purse | None
    ) -> Settled[Reply]:
        try:
            return await self._try(call, purse)
        except (ProviderRefusedError, BudgetReachedError):
            halt.set()  # while the place is still taken: nobody else gets it
            raise

    async def _try(self, call: Call[Reply], purse: Purse | None) -> Settled[Reply]:
        held = 0.0 if purse is None else await purse.hold(call.money)
        is_free = False  # cancelled or broken in the middle: nobody knows
        try:
            reply = await call.send()
        except NotNowError as error:
            is_free = not error.is_maybe_billed
            self._note_failure(error)
            raise
        except OrchestratorError:
            is_free = True  # it was refused: nothing was done, nothing is billed
            raise
        finally:
            if purse is not None:
                purse.see_end()
                if is_free:
                    await purse.release(held)
        self.concurrency.succeed(self.clock.seconds())
        self._breaker.succeed()
        return Settled(reply, held)

    def _note_failure(self, error: NotNowError) -> None:
        now_s = self.clock.seconds()
        if error.is_too_fast:
            self.concurrency.cut(now_s)
        else:
            self.concurrency.stay(now_s)
            self._breaker.fail(now_s)
        if error.retry_after_s is not None and error.retry_after_s <= MAX_RETRY_AFTER_S:
            self._quiet_until = max(self._quiet_until, now_s + error.retry_after_s)

    def _wait_after(self, error: NotNowError, attempt: int) -> float:
        return max(error.retry_after_s or 0.0, pause_s(attempt, self.chance))

    def _reason(self, error: NotNowError, attempt: int) -> str:
        if error.retry_after_s is not None and error.retry_after_s > MAX_RETRY_AFTER_S:
            return f"{error}; it asks to be left alone for {error.retry_after_s:.0f} s"
        return f"{error} (asked {attempt} times)"

    async def _wait_for_turn(
        self, call: Call[Reply], halt: Halt, deadline: float, database: Database | None
    ) -> None:
        """Wait while the key is to be left alone, the breaker is open or the pace is used up."""
        while True:
            halt.check()
            now_s = self.clock.seconds()
            wait_s = self._quiet_until - now_s
            if wait_s <= 0.0:
                wait_s = self._breaker.wait_s(now_s)
            if wait_s <= 0.0:
                break
            if now_s + wait_s > deadline:
                raise ProviderUnavailableError(f"{self.name} has failed for too long")
            await halt.sleep(self.clock, wait_s)
        if database is not None:
            await self._wait_for_pace(call, halt, database)

    async def _wait_for_pace(self, call: Call[Reply], halt: Halt, database: Database) -> None:
        units = (
            ("requests", 1, self.settings.requests_per_minute),
            ("tokens", call.n_tokens, self.settings.tokens_per_minute),
            ("characters", call.n_characters, self.settings.characters_per_minute),
        )
        for what, n_units, n_per_minute in units:
            while n_per_minute and n_units:
                halt.check()
                wait_s = await paces.take(
                    database,
                    f"{self.key_name}/{what}",
                    n_units,
                    n_per_minute,
                    max_wait_s=MAX_PACE_WAIT_S,
                )
                await halt.sleep(self.clock, MAX_PACE_WAIT_S / 2 if wait_s is None else wait_s)
                if wait_s is not None:
                    break
        halt.check()


class Lanes:
    """The lanes of one process: runs that use one key share one."""

    def __init__(self, clock: Clock | None = None) -> None:
        """Take a clock for all of them; without one, the machine's."""
        self._clock = clock or SystemClock()
        self._lanes: dict[str, Lane] = {}

    def lane(self, name: str, key_name: str, settings: LaneSettings) -> Lane:
        """Return the lane of a key; new limits make a new lane."""
        place = f"{key_name} {settings}"
        if place not in self._lanes:
            self._lanes[place] = Lane(name, key_name, settings, self._clock)
        return self._lanes[place]
