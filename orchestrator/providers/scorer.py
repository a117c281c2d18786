"""A model behind our own scorer: many requests in one call, tensors to the artefact folder."""

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.requests import (
    EmbedRequest,
    GenerateRequest,
    HiddenStatesRequest,
    LogProbRequest,
    Request,
    RequestKind,
    SimilarityRequest,
    TranslateRequest,
)
from orchestrator.errors import ProviderRefusedError, ProviderUnavailableError
from orchestrator.providers import scorer_calls
from orchestrator.providers.provider import Answer
from orchestrator.providers.scorer_trust import Trust, while_alive
from scorer.client import ScorerClient
from scorer.errors import BackendError, NotAllowedError, NotNowError, ScorerError
from scorer.schemas import Capabilities

MAX_ATTEMPTS = 6
FIRST_ATTEMPTS = 3
"""For the first question of all: a wrong address should be told soon."""
FIRST_PAUSE_S = 0.5
NONSENSE_ATTEMPTS = 3
"""For a scorer that breaks off or talks nonsense: the question itself may be why."""
SILENCE_S = 45.0
MAX_CALL_ITEMS = 2_000
Result = TypeVar("Result")
Call = Callable[[ScorerClient, Sequence[Any]], Coroutine[Any, Any, list[Answer]]]
CALLS: Mapping[type, Call] = {
    LogProbRequest: scorer_calls.log_probs,
    GenerateRequest: scorer_calls.generate,
    TranslateRequest: scorer_calls.translate,
    SimilarityRequest: scorer_calls.similarities,
    EmbedRequest: scorer_calls.embed,
}


class ScorerProvider:
    """Groups requests that share their parameters into one call."""

    answers_by_key = False

    def __init__(
        self,
        client: ScorerClient,
        capabilities: Capabilities,
        artefacts: Path,
        silence_s: float = SILENCE_S,
    ) -> None:
        """Take an open client and what its scorer says of itself; see `open_scorer`."""
        self._client = client
        self._silence_s = silence_s
        self._trust = Trust()
        self._artefacts = artefacts
        self.kinds = frozenset(RequestKind(kind) for kind in capabilities.kinds)
        self._identity = {
            "provider": "scorer",
            **{
                name: str(value)
                for name, value in capabilities.model_dump(mode="json").items()
                if name not in ("kinds", "refusals")
            },
        }

    def identity(self, kind: RequestKind) -> Mapping[str, str]:
        """Return what the scorer says of its model."""
        del kind
        return self._identity

    async def answer(self, requests: Sequence[Request]) -> list[Answer]:
        """Answer every request, in order."""
        groups: dict[Hashable, list[int]] = defaultdict(list)
        for number, request in enumerate(requests):
            groups[scorer_calls.parameters(request)].append(number)
        answers: dict[int, Answer] = {}
        for numbers in groups.values():
            for first in range(0, len(numbers), MAX_CALL_ITEMS):
                chunk = numbers[first : first + MAX_CALL_ITEMS]
                found = await self._answer_alike([requests[number] for number in chunk])
                answers.update(zip(chunk, found, strict=True))
        return [answers[number] for number in range(len(requests))]

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _answer_alike(self, requests: Sequence[Any]) -> list[Answer]:
        """Answer requests of one kind and one set of parameters."""
        first = requests[0]

        def ask() -> Coroutine[Any, Any, list[Answer]]:
            if isinstance(first, HiddenStatesRequest):
                return scorer_calls.hidden_states(self._client, requests, self._artefacts)
            return CALLS[type(first)](self._client, requests)

        try:
            answers = await _with_patience(
                lambda: while_alive(self._client, ask(), self._silence_s)
            )
            return self._trust.check(answers)
        except BackendError as error:
            return self._trust.unanswered(len(requests), error)


async def open_scorer(
    url: str, artefacts: Path, key: str | None = None, silence_s: float = SILENCE_S
) -> ScorerProvider:
    """Return a provider for a running scorer.

    Raises:
        ProviderUnavailableError: Nobody answers there, or the model is still loading.
        ProviderRefusedError: What answers there is no scorer.
    """
    client = ScorerClient(url, api_key=key)
    async with contextlib.AsyncExitStack() as undo:
        undo.push_async_callback(client.close)
        try:
            capabilities = await _with_patience(
                lambda: while_alive(client, client.capabilities(), silence_s), FIRST_ATTEMPTS
            )
        except BackendError as error:
            raise ProviderRefusedError(f"{type(error).__name__}: {error}") from error
        undo.pop_all()
    return ScorerProvider(client, capabilities, artefacts, silence_s)


async def _with_patience(
    ask: Callable[[], Awaitable[Result]], max_attempts: int = MAX_ATTEMPTS
) -> Result:
    """Ask again, ever more slowly, while the scorer says "not now"."""
    pause_s = FIRST_PAUSE_S
    for attempt in range(1, max_attempts + 1):
        try:
            return await ask()
        except NotNowError as error:
            if attempt == max_attempts:
                raise ProviderUnavailableError(f"scorer not ready: {error}") from error
        except BackendError:
            if attempt >= min(max_attempts, NONSENSE_ATTEMPTS):
                raise
        except NotAllowedError as error:
            raise ProviderRefusedError(f"the scorer refuses the key: {error}") from error
        except ScorerError as error:
            raise ProviderRefusedError(f"{type(error).__name__}: {error}") from error
        await asyncio.sleep(pause_s)
        pause_s *= 2
    raise AssertionError("the loop above always returns or raises")
