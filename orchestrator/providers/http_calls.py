"""One HTTP call to a provider, and what its end means: an answer, not now, never, not like this."""

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import httpx
from httpx_aiohttp import HttpxAiohttpClient
from pydantic import SecretStr

from orchestrator.clock import Clock, SystemClock
from orchestrator.errors import OrchestratorError, ProviderRefusedError
from orchestrator.halting import HaltedError, NotNowError
from orchestrator.retrying import retry_after_s

MAX_BODY_BYTES = 64 * 1024 * 1024
MAX_DETAIL = 300
CONNECT_S = 10.0
FOR_GOOD: Mapping[int, str] = {
    401: "refuses the key",
    402: "wants to be paid",
    403: "does not allow this",
    404: "does not know this model or address",
    456: "says that the quota is used up",
}
NOT_NOW = frozenset({408, 409, 425, 429})
KEY_LIKE = re.compile(r"\bsk-[\w*.-]{4,}")


class RequestRefusedError(OrchestratorError):
    """A request that the provider will not answer as it is, while it answers others."""

    def __init__(self, message: str, status: int, body: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.status = status
        self.body = body


class RefusedForGoodError(ProviderRefusedError):
    """A refusal with the status it came with."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Problem:
    """What a provider says of an error, in whichever shape."""

    status: int
    detail: str
    codes: frozenset[str]
    """Codes, types, reasons and statuses, in lower case."""
    body: Mapping[str, Any]


Reclassify = Callable[[Problem], Exception | None]
"""Turns what only one provider says into an error; None leaves it to its status."""


@dataclass
class HttpDoor:
    """A provider's address with what opens it."""

    name: str
    base_url: str
    headers: Mapping[str, str]
    """Without the key."""
    key: SecretStr | None = None
    key_header: str = "Authorization"
    key_prefix: str = "Bearer "
    timeout_s: float = 120.0
    reclassify: Reclassify = lambda problem: None
    clock: Clock = field(default_factory=SystemClock)

    def __post_init__(self) -> None:
        timeout = httpx.Timeout(self.timeout_s, connect=min(CONNECT_S, self.timeout_s))
        self._http = HttpxAiohttpClient(timeout=timeout, headers=dict(self.headers))
        self._n_in_flight = 0
        self._is_closed = False

    async def close(self) -> None:
        """Make no more calls, and close the connections when those in flight have ended."""
        self._is_closed = True
        if not self._n_in_flight:
            await self._http.aclose()

    async def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Send a JSON document and return the one that comes back.

        Raises:
            NotNowError: It may be asked again.
            RequestRefusedError: Not like this.
            ProviderRefusedError: Never.
        """
        found = await self.send("POST", path, json=body)
        if not isinstance(found, dict):
            raise NotNowError(f"{self.name} answers with no object", is_maybe_billed=True)
        return found

    async def get(self, path: str) -> Any:  # noqa: ANN401  # any JSON value
        """Return the JSON document at a path; raises as `post` does."""
        return await self.send("GET", path)

    async def send(self, method: str, path: str, **content: Any) -> Any:  # noqa: ANN401
        """Make one call with any content that httpx takes; return its JSON, raise as `post`."""
        response, raw = await self.send_raw(method, path, **content)
        if not response.is_success:
            raise self._error(response, raw)
        try:
            return json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise NotNowError(
                f"{self.name} answers {response.status_code} with what is no JSON"
                f" ({len(raw)} bytes)",
                is_maybe_billed=True,
            ) from error

    async def send_raw(
        self,
        method: str,
        path: str,
        **content: Any,  # noqa: ANN401
    ) -> tuple[httpx.Response, bytes]:
        """Make one call; return the answer whatever its status.

        Raises:
            NotNowError: There is no whole answer.
        """
        if self._is_closed:
            raise HaltedError("not asked: the run has been stopped")
        url = f"{self.base_url}{path}"
        self._n_in_flight += 1
        try:
            async with (
                asyncio.timeout(self.timeout_s),
                self._http.stream(method, url, headers=self._secret(), **content) as response,
            ):
                return response, await _read(response, self.name)
        except (TimeoutError, httpx.HTTPError, aiohttp.ClientError) as error:
            raise self._no_answer(error) from error
        finally:
            self._n_in_flight -= 1
            if self._is_closed and not self._n_in_flight:
                await self._http.aclose()

    def _secret(self) -> dict[str, str]:
        if self.key is None:
            return {}
        return {self.key_header: f"{self.key_prefix}{self.key.get_secret_value()}"}

    def _no_answer(self, error: Exception) -> NotNowError:
        cause = error.__cause__
        if isinstance(cause, aiohttp.ClientConnectorError) or isinstance(error, httpx.ConnectError):
            return NotNowError(f"{self.name} cannot be reached at {self.base_url}")
        if isinstance(error, TimeoutError | httpx.ReadTimeout | httpx.WriteTimeout):
            told = f"{self.name} does not answer within {self.timeout_s:g} s"
        else:
            told = f"{self.name} broke off ({type(cause or error).__name__})"
        return NotNowError(told, is_maybe_billed=True)

    def _error(self, response: httpx.Response, raw: bytes) -> Exception:
        problem = self._problem(response.status_code, raw)
        own = self.reclassify(problem)
        if own is not None:
            return own
        status, told = problem.status, f"{self.name}: {problem.detail} (HTTP {problem.status})"
        if status in FOR_GOOD:
            message = f"{self.name} {FOR_GOOD[status]}: {problem.detail} (HTTP {status})"
            return RefusedForGoodError(message, status)
        if status in NOT_NOW or (status >= 500 and status != 501):
            headers = {name.lower(): value for name, value in response.headers.items()}
            return NotNowError(
                told,
                retry_after_s=retry_after_s(headers, self.clock.date()),
                is_too_fast=status == 429,
            )
        if status < 400:
            return ProviderRefusedError(f"{told}: redirects are not followed; correct base_url")
        return RequestRefusedError(told, status, problem.body)

    def _problem(self, status: int, raw: bytes) -> Problem:
        try:
            body = json.loads(raw)
        except (ValueError, RecursionError):
            body = None
        body = body if isinstance(body, dict) else {}
        inner = body.get("error")
        inner = inner if isinstance(inner, dict) else {"message": inner or body.get("message")}
        reasons = [each.get("reason") for each in _dicts(inner.get("errors"))]
        reasons += [each.get("reason") for each in _dicts(inner.get("details"))]
        codes = {inner.get("code"), inner.get("type"), inner.get("status"), *reasons}
        text = str(inner.get("message") or body.get("detail") or "no reason is given")
        return Problem(
            status=status,
            detail=self.redact(" ".join(text.split())[:MAX_DETAIL]),
            codes=frozenset(str(code).lower() for code in codes if code is not None),
            body=body,
        )

    def redact(self, text: str) -> str:
        """Return a text without the key, should the provider have repeated it."""
        if self.key is not None and self.key.get_secret_value():
            text = text.replace(self.key.get_secret_value(), "***")
        return KEY_LIKE.sub("***", text)


def unknown_shape(name: str) -> NotNowError:
    """Return the error of an answer that has not the shape that the API promises."""
    return NotNowError(f"{name} answers in an unknown shape", is_maybe_billed=True)


async def _read(response: httpx.Response, name: str) -> bytes:
    raw = bytearray()
    async for chunk in response.aiter_bytes():
        raw += chunk
        if len(raw) > MAX_BODY_BYTES:
            raise NotNowError(
                f"{name} answers with more than {MAX_BODY_BYTES} bytes", is_maybe_billed=True
            )
    return bytes(raw)


def _dicts(found: object) -> list[dict[str, Any]]:
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
