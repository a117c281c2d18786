"""Ask a paid question once, whoever wants it: runs and processes that race for it share a call."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from ulid import ULID

from storage import claims
from storage.database import Database
from storage.errors import StorageError

LEASE_S = 30.0
BEATS_A_LEASE = 3
POLL_S = 0.25


@dataclass
class Claims:
    """The questions that one process is asking."""

    database: Database
    lease_s: float = LEASE_S
    name: str = field(default_factory=lambda: str(ULID()))

    @asynccontextmanager
    async def claim(self, keys: Iterable[bytes]) -> AsyncIterator[set[bytes]]:
        """Claim what nobody else asks just now, for as long as the block lasts; yield those keys.

        Look into the store again within the block: who had a key before has left its answer there.
        """
        mine = await claims.take(self.database, self.name, keys, self.lease_s)
        renewing = asyncio.create_task(self._renew(mine)) if mine else None
        try:
            yield mine
        finally:
            if renewing is not None:
                renewing.cancel()
                await asyncio.gather(renewing, return_exceptions=True)
                with suppress(StorageError):  # then the lease runs out
                    await claims.give_back(self.database, self.name, mine)

    async def wait(self) -> None:
        """Wait for others' answers to be stored."""
        await asyncio.sleep(POLL_S)

    async def _renew(self, keys: set[bytes]) -> None:
        while True:
            await asyncio.sleep(self.lease_s / BEATS_A_LEASE)
            with suppress(StorageError):
                await claims.take(self.database, self.name, keys, self.lease_s)
