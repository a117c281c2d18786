"""Ask a model, through the cache: what is stored is not asked, what is in flight is waited for."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.requests import Request
from benchmarks.responses import parse_response
from orchestrator.cache import cache_key
from orchestrator.providers.provider import Answer, Provider, Unanswered
from storage import responses
from storage.database import Database
from storage.records import StoredResponse


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
    _in_flight: dict[bytes, asyncio.Future[Answer]] = field(default_factory=dict)

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
            if missing:
                found = await self.provider.answer(list(missing.values()))
                new = dict(zip(missing, found, strict=True))
                await self._store(missing, new)
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

    async def _store(
        self, requests: Mapping[bytes, Request], answers: Mapping[bytes, Answer]
    ) -> None:
        rows = [
            _row(key, requests[key], answer, self.provider)
            for key, answer in answers.items()
            if not isinstance(answer, Unanswered)
        ]
        if rows:
            await responses.put(self.database, rows)


def _for_others(error: BaseException) -> BaseException:
    """Turn one caller's cancellation into an error that the others can retry on."""
    if isinstance(error, Exception):
        return error
    return ConnectionAbortedError("the call that asked this was cancelled")


def _row(key: bytes, request: Request, answer: Answer, provider: Provider) -> StoredResponse:
    if isinstance(answer, Unanswered):
        raise TypeError("an unanswered request has no response to store")
    identity = provider.identity(request.kind)
    return StoredResponse(
        key=key,
        kind=str(request.kind),
        provider=identity["provider"],
        model=identity["model"],
        request=dict(request.content()),
        response=answer.model_dump(mode="json", exclude_none=True),
        usage={},
    )
