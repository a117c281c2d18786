"""A run's money: held back in the database before each call, so that replicas never overrun it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sqlalchemy.ext.asyncio import AsyncConnection

from orchestrator.clock import Clock, SystemClock
from orchestrator.errors import BudgetReachedError
from storage import spending
from storage.database import Database
from storage.records import Spending, Usage, sum_of

POLL_S = 0.25
PATIENCE_S = 5.0
"""How long other replicas' calls, which may turn out cheaper than feared, are waited for."""


class Taken(Protocol):
    """What one answer took."""

    @property
    def usage(self) -> Usage:
        """Tokens, characters and money."""
        ...

    @property
    def held(self) -> float:
        """Money that is held for it, to be settled now."""
        ...


@dataclass
class Purse:
    """What one run may spend, as one process sees it."""

    database: Database
    run_id: str
    clock: Clock = field(default_factory=SystemClock)
    _n_in_flight: int = 0

    async def hold(self, money: float | None) -> float:
        """Hold back the most that a call may cost; returns what was held.

        Where the budget lacks it, calls in flight are waited for: they may cost less than feared.

        Raises:
            BudgetReachedError: It lacks it even so.
        """
        if not money:
            self._n_in_flight += 1
            return 0.0
        patient_until = self.clock.seconds() + PATIENCE_S
        seen: Spending | None = None
        while not await spending.hold(self.database, self.run_id, money):
            now = await spending.of_run(self.database, self.run_id)
            if now is not None and now != seen and not now.held:
                seen = now  # settled since it was asked: the budget may have it now
                continue
            if self._n_in_flight or now != seen:
                patient_until = self.clock.seconds() + PATIENCE_S
            seen = now
            if now is None or not now.held or self.clock.seconds() >= patient_until:
                raise BudgetReachedError(_reason(now, money))
            await self.clock.sleep(POLL_S)
        self._n_in_flight += 1
        return money

    def see_end(self) -> None:
        """Note that a call has come to its end, whichever it was."""
        self._n_in_flight -= 1

    async def release(self, money: float) -> None:
        """Give back what was held for a call that costs nothing."""
        if money:
            await spending.release(self.database, self.run_id, money)

    async def count(self, connection: AsyncConnection, taken: Sequence[Taken]) -> None:
        """Count what answers took, in the transaction that stores them."""
        usage = sum_of([each.usage for each in taken])
        held = sum(each.held for each in taken)
        await spending.add(connection, self.run_id, usage, n_asked=len(taken), released=held)

    async def count_saved(self, n_saved: int) -> None:
        """Count requests that were not asked because their answer was there."""
        await spending.add(self.database, self.run_id, Usage(), n_saved=n_saved)


def _reason(found: Spending | None, money: float) -> str:
    if found is None or found.budget is None:
        return f"the budget lacks the {money:.6f} that the next call may cost"
    currency = found.currency or ""
    held = f" and {found.held:.6f} held for calls in flight or lost" if found.held else ""
    return (
        f"the budget of {found.budget:g} {currency} is reached: {found.money:.6f} spent{held},"
        f" the next call may cost {money:.6f}"
    )
