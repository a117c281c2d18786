"""How a call may end without an answer, and how one end keeps other calls from being made."""

import asyncio

from orchestrator.clock import Clock
from orchestrator.errors import OrchestratorError


class NotNowError(OrchestratorError):
    """A call that may be made again later."""

    def __init__(
        self,
        message: str,
        *,
        retry_after_s: float | None = None,
        is_too_fast: bool = False,
        is_maybe_billed: bool = False,
    ) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s
        self.is_too_fast = is_too_fast
        """Whether it was one call too many, and no trouble of the server's."""
        self.is_maybe_billed = is_maybe_billed
        """Whether the provider may have done its work though no answer came."""


class HaltedError(OrchestratorError):
    """A call that was not made, because another one of the same questions failed for good."""


class Halt:
    """Keeps the calls of one batch from being made after one has failed."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def set(self) -> None:
        """Let no more calls be made."""
        self._event.set()

    def check(self) -> None:
        """Raise where no call may be made any more.

        Raises:
            HaltedError: None may.
        """
        if self._event.is_set():
            raise HaltedError("not asked: another question of this batch failed for good")

    async def sleep(self, clock: Clock, seconds: float) -> None:
        """Wait for a while, or until no more calls may be made."""
        waits = {
            asyncio.ensure_future(clock.sleep(seconds)),
            asyncio.ensure_future(self._event.wait()),
        }
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
            await asyncio.gather(*waits, return_exceptions=True)
