"""A model behind our own scorer: many requests in one call, tensors to the artefact folder."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

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
from benchmarks.responses import LogProbResponse, TextResponse, ValueResponse, VectorResponse
from orchestrator.errors import ProviderRefusedError, ProviderUnavailableError
from orchestrator.providers.provider import Answer, Unanswered
from orchestrator.providers.tensors import save_states
from scorer import schemas
from scorer.client import ScorerClient
from scorer.errors import NotAllowedError, NotNowError, ScorerError

MAX_ATTEMPTS = 6
FIRST_PAUSE_S = 0.5
MAX_CALL_ITEMS = 2_000
Result = TypeVar("Result")


class ScorerProvider:
    """Groups requests that share their parameters into one call."""

    answers_by_key = False

    def __init__(
        self, client: ScorerClient, capabilities: schemas.Capabilities, artefacts: Path
    ) -> None:
        """Take an open client and what its scorer says of itself; see `open_scorer`."""
        self._client = client
        self._artefacts = artefacts
        self.kinds = frozenset(RequestKind(kind) for kind in capabilities.kinds)
        self._identity = {
            "provider": "scorer",
            **{
                name: str(value)
                for name, value in capabilities.model_dump(mode="json").items()
                if name != "kinds"
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
            groups[_parameters(request)].append(number)
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
        ask: Callable[[Sequence[Any]], Awaitable[list[Answer]]] = {
            LogProbRequest: self._log_probs,
            GenerateRequest: self._generate,
            TranslateRequest: self._translate,
            SimilarityRequest: self._similarities,
            EmbedRequest: self._embed,
            HiddenStatesRequest: self._hidden_states,
        }[type(requests[0])]
        return await _with_patience(lambda: ask(requests))

    async def _log_probs(self, requests: Sequence[LogProbRequest]) -> list[Answer]:
        items = [
            schemas.LogProbItem(
                context=request.context,
                continuations=list(request.continuations),
                source_language=request.source_language,
                target_language=request.target_language,
            )
            for request in requests
        ]
        response = await self._client.log_probs(
            schemas.LogProbRequest(
                items=items,
                bos_policy=requests[0].bos_policy,
                chat_template=requests[0].chat_template,
            )
        )
        results = iter(response.results)
        return [_log_probs([next(results) for _ in request.continuations]) for request in requests]

    async def _generate(self, requests: Sequence[GenerateRequest]) -> list[Answer]:
        first = requests[0]
        response = await self._client.generate(
            schemas.GenerateRequest(
                items=[
                    schemas.GenerateItem(
                        messages=[
                            schemas.ChatMessage(role=turn.role, content=turn.content)
                            for turn in request.messages
                        ]
                    )
                    for request in requests
                ],
                max_new_tokens=first.max_new_tokens,
                temperature=first.temperature,
                top_p=first.top_p,
                seed=first.seed,
                no_repeat_ngram_size=first.no_repeat_ngram_size,
                chat_template=first.chat_template,
            )
        )
        return [_text(result) for result in response.results]

    async def _translate(self, requests: Sequence[TranslateRequest]) -> list[Answer]:
        first = requests[0]
        response = await self._client.generate(
            schemas.GenerateRequest(
                items=[schemas.GenerateItem(prompt=request.text) for request in requests],
                max_new_tokens=512,
                n_beams=first.n_beams,
                chat_template=False,
                source_language=first.source_language,
                target_language=first.target_language,
            )
        )
        return [_text(result) for result in response.results]

    async def _similarities(self, requests: Sequence[SimilarityRequest]) -> list[Answer]:
        first = requests[0]
        response = await self._client.similarities(
            schemas.SimilarityRequest(
                pairs=[
                    schemas.SimilarityPair(text_a=request.text_a, text_b=request.text_b)
                    for request in requests
                ],
                measure=first.measure,
                pooling=first.pooling,
                layer=first.layer,
            )
        )
        return [
            _unanswered(result)
            if isinstance(result, schemas.FailedItem)
            else ValueResponse(value=result.value)
            for result in response.results
        ]

    async def _embed(self, requests: Sequence[EmbedRequest]) -> list[Answer]:
        first = requests[0]
        found = await self._client.hidden_states(
            schemas.HiddenStatesRequest(
                texts=[request.text for request in requests],
                layers=[first.layer],
                pooling=first.pooling,
            )
        )
        return [
            _unanswered(states)
            if isinstance(states, schemas.FailedItem)
            else VectorResponse(vector=tuple(float(value) for value in states[0]))
            for states in found.states
        ]

    async def _hidden_states(self, requests: Sequence[HiddenStatesRequest]) -> list[Answer]:
        first = requests[0]
        found = await self._client.hidden_states(
            schemas.HiddenStatesRequest(
                texts=[request.text for request in requests],
                layers=None if first.layers is None else list(first.layers),
                pooling=first.pooling,
                bos_policy=first.bos_policy,
            )
        )
        return await asyncio.to_thread(save_states, self._artefacts, found)


async def open_scorer(url: str, artefacts: Path) -> ScorerProvider:
    """Return a provider for a running scorer.

    Raises:
        ProviderUnavailableError: Nobody answers there, or the model is still loading.
    """
    client = ScorerClient(url)
    try:
        capabilities = await _with_patience(client.capabilities)
    except BaseException:
        await client.close()
        raise
    return ScorerProvider(client, capabilities, artefacts)


async def _with_patience(ask: Callable[[], Awaitable[Result]]) -> Result:
    """Ask again, ever more slowly, while the scorer says "not now"."""
    pause_s = FIRST_PAUSE_S
    for attempt in range(1, MAX_ATTEMPTS + 1):
        try:
            return await ask()
        except NotNowError as error:
            if attempt == MAX_ATTEMPTS:
                raise ProviderUnavailableError(str(error)) from error
        except NotAllowedError as error:
            raise ProviderRefusedError(f"the scorer refuses the key: {error}") from error
        except ScorerError as error:
            raise ProviderRefusedError(f"{type(error).__name__}: {error}") from error
        await asyncio.sleep(pause_s)
        pause_s *= 2
    raise AssertionError("the loop above always returns or raises")


def _parameters(request: Request) -> Hashable:
    """Return what requests of one call must share."""
    match request:
        case LogProbRequest():
            return (request.kind, request.bos_policy, request.chat_template)
        case GenerateRequest():
            return (
                request.kind,
                request.max_new_tokens,
                request.temperature,
                request.top_p,
                request.seed,
                request.no_repeat_ngram_size,
                request.chat_template,
            )
        case TranslateRequest():
            languages = (request.source_language, request.target_language)
            return (request.kind, languages, request.n_beams)
        case SimilarityRequest():
            return (request.kind, request.measure, request.pooling, request.layer)
        case EmbedRequest():
            return (request.kind, request.pooling, request.layer)
        case HiddenStatesRequest():
            return (request.kind, request.layers, request.pooling, request.bos_policy)


def _log_probs(results: Sequence[schemas.LogProbResult | schemas.FailedItem]) -> Answer:
    scored = []
    for result in results:
        if isinstance(result, schemas.FailedItem):
            return _unanswered(result)
        scored.append(result)
    return LogProbResponse(
        log_probs=tuple(tuple(result.log_probs) for result in scored),
        sums=tuple(result.sum for result in scored),
        n_tokens=tuple(result.n_scored for result in scored),
        is_straddling=tuple(result.is_straddling for result in scored),
    )


def _text(result: BaseModel) -> Answer:
    if isinstance(result, schemas.FailedItem):
        return _unanswered(result)
    if not isinstance(result, schemas.GenerateResult):
        raise TypeError(f"no generated text: {type(result).__name__}")
    return TextResponse(text=result.text, is_finished=result.is_finished)


def _unanswered(failed: schemas.FailedItem) -> Unanswered:
    return Unanswered(error=failed.error, detail=failed.detail)
