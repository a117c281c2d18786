"""Answers with what they took, one after the other as they come, so that none is lost with others.

A provider that is paid by use gives its answers this way; all others as they always did.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from benchmarks.requests import Request
from orchestrator.halting import Halt, HaltedError
from orchestrator.prices import Price
from orchestrator.providers.provider import Answer, Provider
from storage.records import Usage

NOTHING = Usage()


@dataclass(frozen=True, slots=True)
class Metered:
    """One answer."""

    number: int
    """Of its request among those that were asked together, from 0."""
    answer: Answer
    usage: Usage = NOTHING
    held: float = 0.0
    """Money that is held back for it until it is stored."""


@dataclass(frozen=True, slots=True)
class Size:
    """What one request will take, before it is asked."""

    input_tokens: int = 0
    """About so many."""
    most_input_tokens: int = 0
    """Never more."""
    most_output_tokens: int = 0
    characters: int = 0
    requests_per_call: int = 1
    """How many such requests go in one call."""


@runtime_checkable
class MeteringProvider(Protocol):
    """What a provider that counts has beside the rest."""

    price: Price | None
    """None: nobody knows it."""

    def size(self, request: Request) -> Size:
        """Return what a request will take."""
        ...

    def stream(self, requests: Sequence[Request]) -> AsyncGenerator[list[Metered]]:
        """Yield answers as they come, in any order; raises what `answer` raises, at the end."""
        ...


Work = Callable[[Halt], Awaitable[list[Metered]]]
"""One call: the answers to one request or to several."""


async def stream_of(
    provider: Provider, requests: Sequence[Request]
) -> AsyncGenerator[list[Metered]]:
    """Yield the answers of any provider."""
    if isinstance(provider, MeteringProvider):
        async for found in provider.stream(requests):
            yield found
        return
    answers = await provider.answer(requests)
    yield [Metered(number, answer) for number, answer in enumerate(answers)]


async def all_of(stream: AsyncGenerator[list[Metered]], n_requests: int) -> list[Answer]:
    """Return every answer of a stream in the order of the requests."""
    found: dict[int, Answer] = {}
    async for metered in stream:
        found.update({each.number: each.answer for each in metered})
    return [found[number] for number in range(n_requests)]


async def as_they_come(works: Sequence[Work]) -> AsyncGenerator[list[Metered]]:
    """Do several calls at once and yield their answers.

    After a failure no call is begun any more; those in flight are waited for, because they are
    paid for. Then the failure is raised.
    """
    halt = Halt()
    pending = {asyncio.ensure_future(work(halt)) for work in works}
    failure: BaseException | None = None
    try:
        while pending:
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            ready: list[Metered] = []
            for task in done:
                error = task.exception()
                if error is None:
                    ready += task.result()
                    continue
                halt.set()
                if failure is None or isinstance(failure, HaltedError):
                    failure = error
            if ready:
                yield ready
    finally:
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
    if failure is not None:
        raise failure
