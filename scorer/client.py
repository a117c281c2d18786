"""A typed door to a running scorer."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ValidationError
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors

from scorer.errors import BackendError, ItemError, ScorerUnreachableError, error_from_wire
from scorer.schemas import (
    Capabilities,
    FailedItem,
    GenerateRequest,
    GenerateResponse,
    HiddenStatesRequest,
    LogProbRequest,
    LogProbResponse,
    SimilarityRequest,
    SimilarityResponse,
)

Answer = TypeVar("Answer", bound=BaseModel)
Whole = TypeVar("Whole")
States = NDArray[np.float32]
"""Shape (n_layers, width), or (n_layers, n_tokens, width) with pooling `none`."""


@dataclass(frozen=True)
class HiddenStates:
    """The hidden states of several texts, in the order they were asked."""

    model: str
    layers: tuple[int, ...]
    """As indices from 0, the embedding layer."""
    pooling: str
    states: tuple[States | FailedItem, ...]
    n_tokens: tuple[int, ...]
    """Tokens of each text, special ones included; 0 for a failed text."""
    is_special: tuple[tuple[bool, ...], ...]
    """Per text and token: whether the scorer added it."""
    offsets: tuple[tuple[tuple[int, int], ...], ...]
    """Per text and token: the characters [begin, end) it covers, (0, 0) for those that the scorer
    added; empty where tokens were pooled."""


class ScorerClient:
    """Asks one scorer; use it as an async context manager, or close it.

    Every method raises a `scorer.errors.CallerError` where the question is wrong, a `NotNowError`
    where it may be asked again later, and a `BackendError` where the scorer failed. An item that
    cannot be answered while others can comes back as a `FailedItem` in its place.
    """

    def __init__(
        self,
        url: str,
        api_key: str | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        timeout_s: float = 600.0,
    ) -> None:
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        timeout = httpx.Timeout(timeout_s, connect=min(10.0, timeout_s))
        self.url = url.rstrip("/")
        self._http = httpx.AsyncClient(
            base_url=self.url, headers=headers, transport=transport, timeout=timeout
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def is_ready(self) -> bool:
        """Return whether the scorer answers and its model is loaded."""
        try:
            response = await self._http.get("/health/ready")
        except httpx.TransportError:
            return False
        return response.status_code == HTTPStatus.OK

    async def capabilities(self) -> Capabilities:
        """Return what is loaded and what it can be asked."""
        return _parse(Capabilities, await self._send("GET", "/v1/capabilities"))

    async def log_probs(self, request: LogProbRequest) -> LogProbResponse:
        """Score every continuation of every item; one flat list of results in their order."""
        n_results = sum(len(item.continuations or "1") for item in request.items)
        try:
            response = _parse(LogProbResponse, await self._send("POST", "/v1/logprob", request))
            return _whole(response, response.results, n_results)
        except ItemError as error:
            return LogProbResponse(model=self.url, results=_all_failed(error, n_results))

    async def generate(self, request: GenerateRequest) -> GenerateResponse:
        """Continue every item."""
        try:
            response = _parse(GenerateResponse, await self._send("POST", "/v1/generate", request))
            return _whole(response, response.results, len(request.items))
        except ItemError as error:
            return GenerateResponse(model=self.url, results=_all_failed(error, len(request.items)))

    async def similarities(self, request: SimilarityRequest) -> SimilarityResponse:
        """Compare every pair."""
        try:
            answer = await self._send("POST", "/v1/similarity", request)
            response = _parse(SimilarityResponse, answer)
            return _whole(response, response.results, len(request.pairs))
        except ItemError as error:
            failed = _all_failed(error, len(request.pairs))
            return SimilarityResponse(model=self.url, results=failed)

    async def hidden_states(self, request: HiddenStatesRequest) -> HiddenStates:
        """Return the hidden states of every text."""
        response = await self._send("POST", "/v1/hidden-states", request)
        found = read_hidden_states(response.content)
        return _whole(found, found.states, len(request.texts))

    async def _send(self, method: str, path: str, body: BaseModel | None = None) -> httpx.Response:
        content = None if body is None else body.model_dump_json(exclude_none=True)
        headers = {"Content-Type": "application/json"} if content else {}
        try:
            response = await self._http.request(method, path, content=content, headers=headers)
        except httpx.TransportError as error:
            reason = str(error) or type(error).__name__
            raise ScorerUnreachableError(f"no answer from {self.url}{path}: {reason}") from error
        if response.status_code != HTTPStatus.OK:
            raise error_from_wire(*_read_error(response), response.status_code)
        return response


def read_hidden_states(body: bytes) -> HiddenStates:
    """Read the safetensors body of `/v1/hidden-states`.

    Raises:
        BackendError: It is no such body.
    """
    try:
        metadata = _read_metadata(body)
        tensors = load_tensors(body)
        failed = {int(at): FailedItem(**item) for at, item in metadata["failed"].items()}
        return HiddenStates(
            model=metadata["model"],
            layers=tuple(metadata["layers"]),
            pooling=metadata["pooling"],
            states=tuple(
                failed[at] if at in failed else tensors[str(at)]
                for at in range(len(metadata["n_tokens"]))
            ),
            n_tokens=tuple(metadata["n_tokens"]),
            is_special=tuple(tuple(bool(flag) for flag in row) for row in metadata["is_special"]),
            offsets=tuple(tuple((begin, end) for begin, end in row) for row in metadata["offsets"]),
        )
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise BackendError(f"the scorer sent no readable hidden states: {error}") from error


def _all_failed(error: ItemError, n_items: int) -> list[Any]:
    """Return what stands for the items of a call in which none could be answered."""
    return [FailedItem(error=type(error).__name__, detail=str(error))] * n_items


def _whole(response: Whole, results: Sequence[object], n_asked: int) -> Whole:
    """Return a response that answers every question, and no more."""
    if len(results) != n_asked:
        raise BackendError(f"the scorer sent {len(results)} results for {n_asked} questions")
    return response


def _read_metadata(body: bytes) -> dict[str, Any]:
    length = int.from_bytes(body[:8], "little")
    texts = json.loads(body[8 : 8 + length])["__metadata__"]
    return {name: json.loads(text) for name, text in texts.items()}


def _read_error(response: httpx.Response) -> tuple[str, str]:
    try:
        body = response.json()
        return str(body["error"]), str(body["detail"])
    except (ValueError, KeyError, TypeError):
        return f"HTTP {response.status_code}", response.text[:200] or "no body"


def _parse(model: type[Answer], response: httpx.Response) -> Answer:
    try:
        return model.model_validate_json(response.content)
    except ValidationError as error:
        raise BackendError(f"the scorer sent no readable {model.__name__}: {error}") from error
