"""Ask a model, through the cache: what is stored is not asked, what is in flight is waited for."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from benchmarks.requests import Request
from benchmarks.responses import Response, parse_response
from orchestrator.budget import Purse
from orchestrator.cache import cache_key
from orchestrator.claiming import Claims
from orchestrator.providers.metering import Metered, MeteringProvider, stream_of
from orchestrator.providers.provider import Answer, Provider, Unanswered
from storage import responses
from storage.database import Database
from storage.records import StoredResponse, Usage


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer and the key under which its response is stored."""

    answer: Answer
    cache_key: bytes


@dataclass
class Asker:
    """One model as seen by one run in one process."""

    database: Database
    provider: Provider
    salt: str = ""
    """Keeps a run's responses to itself; empty where they are shared."""
    purse: Purse | None = None
    """Counts what the run takes and saves; None outside a run."""
    _claims: Claims | None = field(init=False)
    """Of a provider that is paid by use; None for one's own models, which may answer twice."""
    _in_flight: dict[bytes, asyncio.Future[Answer]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        is_paid = isinstance(self.provider, MeteringProvider)
        self._claims = Claims(self.database) if is_paid else None

    async def ask(self, requests: Sequence[Request]) -> dict[str, Answered]:
        """Return an answer for the key of every request.

        Raises:
            ProviderUnavailableError: The model cannot be reached.
            ProviderRefusedError: The model refuses for good.
        """
        keys = {request.key: cache_key(self.provider, request, self.salt) for request in requests}
        mine, others = self._claim({keys[request.key]: request for request in requests})
        answers = await self._answer(mine)
        for key, waiting in others.items():
            answers[key] = await asyncio.shield(waiting)
        if others:
            await self._count_saved(len(others))
        return {
            request.key: Answered(answers[keys[request.key]], keys[request.key])
            for request in requests
        }

    async def _stored(self, requests: Mapping[bytes, Request]) -> dict[bytes, Answer]:
        found = await responses.find(self.database, list(requests))
        return {key: parse_response(requests[key], payload) for key, payload in found.items()}

    def _claim(
        self, requests: Mapping[bytes, Request]
    ) -> tuple[dict[bytes, Request], dict[bytes, asyncio.Future[Answer]]]:
        """Split into what this call asks and what another call of this process is asking now.

        This comes before the look into the store: whoever claims a key finds there what the last
        one to hold it has stored, so that no answer can slip through between the two.
        """
        others = {key: self._in_flight[key] for key in requests if key in self._in_flight}
        mine = {key: request for key, request in requests.items() if key not in others}
        loop = asyncio.get_running_loop()
        for key in mine:
            self._in_flight[key] = loop.create_future()
        return mine, others

    async def _answer(self, requests: Mapping[bytes, Request]) -> dict[bytes, Answer]:
        try:
            answers = await self._stored(requests)
            missing = {key: requests[key] for key in requests if key not in answers}
            if missing and self._claims is None:
                new = await self._ask(missing)
            else:
                new, late = await self._ask_unless_others_do(missing)
                answers |= late
            if answers:
                await self._count_saved(len(answers))
            answers |= new
        except BaseException as error:
            for key in requests:
                waiting = self._in_flight.pop(key)
                waiting.set_exception(_for_others(error))
                waiting.exception()  # marks it as seen where nobody waits
            raise
        for key, answer in answers.items():
            self._in_flight.pop(key).set_result(answer)
        return answers

    async def _ask_unless_others_do(
        self, missing: Mapping[bytes, Request]
    ) -> tuple[dict[bytes, Answer], dict[bytes, Answer]]:
        """Ask what no other process asks just now; return that, and what others have asked."""
        new: dict[bytes, Answer] = {}
        late: dict[bytes, Answer] = {}
        while self._claims is not None and missing:
            async with self._claims.claim(missing) as mine:
                late |= await self._stored(missing)
                to_ask = {key: missing[key] for key in mine if key not in late}
                if to_ask:
                    new |= await self._ask(to_ask)
            missing = {
                key: request
                for key, request in missing.items()
                if key not in new and key not in late
            }
            if missing:
                await self._claims.wait()
        return new, late

    async def _ask(self, requests: Mapping[bytes, Request]) -> dict[bytes, Answer]:
        """Ask, and store each answer when it comes: what is paid for is not lost with others."""
        keys = list(requests)
        answers: dict[bytes, Answer] = {}
        async with aclosing(stream_of(self.provider, list(requests.values()))) as stream:
            async for found in stream:
                new = {keys[each.number]: each for each in found}
                await self._store(requests, new)
                answers |= {key: each.answer for key, each in new.items()}
        if len(answers) != len(requests):
            raise RuntimeError(f"{len(answers)} answers to {len(requests)} requests")
        return answers

    async def _store(
        self, requests: Mapping[bytes, Request], found: Mapping[bytes, Metered]
    ) -> None:
        rows = [
            _row(key, requests[key], each.answer, each.usage, self.provider)
            for key, each in found.items()
            if not isinstance(each.answer, Unanswered)
        ]
        async with self.database.begin() as connection:
            await responses.put(connection, rows)
            if self.purse is not None:
                await self.purse.count(connection, list(found.values()))

    async def _count_saved(self, n_saved: int) -> None:
        if self.purse is not None:
            await self.purse.count_saved(n_saved)


def _for_others(error: BaseException) -> BaseException:
    """Turn one caller's cancellation into an error that the others can retry on."""
    if isinstance(error, Exception):
        return error
    return ConnectionAbortedError("the call that asked this was cancelled")


def _row(
    key: bytes, request: Request, response: Response, usage: Usage, provider: Provider
) -> StoredResponse:
    identity = provider.identity(request.kind)
    return StoredResponse(
        key=key,
        kind=str(request.kind),
        provider=identity["provider"],
        model=identity["model"],
        request=dict(request.content()),
        response=response.model_dump(mode="json", exclude_none=True),
        usage=usage.as_json(),
    )
