"""When is a scorer's silence a death, and when is its answer no answer?"""

import asyncio
import math
import time
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from benchmarks.responses import LogProbResponse, ValueResponse, VectorResponse
from orchestrator.errors import ProviderRefusedError, ProviderUnavailableError
from orchestrator.providers.provider import Answer, Unanswered
from scorer.client import ScorerClient
from scorer.errors import BackendError

PROBE_EVERY_S = 5.0
PROBE_TIMEOUT_S = 10.0
MAX_NONSENSE_CALLS = 8
"""In a row: by then it is the scorer, not the question."""
Result = TypeVar("Result")


async def while_alive(
    client: ScorerClient, call: Coroutine[Any, Any, Result], silence_s: float
) -> Result:
    """Wait for an answer, however long it takes, as long as the scorer says that it lives.

    Raises:
        ProviderUnavailableError: Its health check has not answered for `silence_s`.
    """
    answering = asyncio.create_task(call)
    alive_at = time.monotonic()
    try:
        while True:
            done, _ = await asyncio.wait({answering}, timeout=min(PROBE_EVERY_S, silence_s))
            if done:
                return answering.result()
            if await _is_alive(client, min(PROBE_TIMEOUT_S, silence_s)):
                alive_at = time.monotonic()
            elif time.monotonic() - alive_at >= silence_s:
                silent_s = time.monotonic() - alive_at
                raise ProviderUnavailableError(
                    f"scorer not ready: {client.url} has shown no sign of life for {silent_s:.0f} s"
                )
    finally:
        answering.cancel()
        await asyncio.gather(answering, return_exceptions=True)


class Trust:
    """Tells answers from nonsense, and stops believing a scorer that talks nothing else."""

    def __init__(self) -> None:
        self._n_nonsense = 0

    def check(self, answers: Sequence[Answer]) -> list[Answer]:
        """Return the answers if all of them can be meant.

        Raises:
            BackendError: One holds a number that is none.
        """
        for answer in answers:
            if not all(math.isfinite(number) for number in _numbers(answer)):
                raise BackendError("the scorer answered with a number that is not finite")
        self._n_nonsense = 0
        return list(answers)

    def unanswered(self, n_requests: int, error: BackendError) -> list[Answer]:
        """Return what stands for the answers to a call that brought none.

        Raises:
            ProviderRefusedError: So did all the calls before.
        """
        self._n_nonsense += 1
        if self._n_nonsense >= MAX_NONSENSE_CALLS:
            raise ProviderRefusedError(
                f"{self._n_nonsense} calls in a row brought no answer: {error}"
            ) from error
        return [Unanswered(type(error).__name__, str(error))] * n_requests


async def _is_alive(client: ScorerClient, timeout_s: float) -> bool:
    try:
        async with asyncio.timeout(timeout_s):
            return await client.is_ready()
    except TimeoutError:
        return False


def _numbers(answer: Answer) -> Sequence[float]:
    match answer:
        case LogProbResponse():
            return answer.sums or ()
        case ValueResponse():
            return (answer.value,)
        case VectorResponse():
            return answer.vector
        case _:
            return ()
