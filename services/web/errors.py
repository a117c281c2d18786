"""Every error leaves a service in one shape: `{"error": <class>, "detail": <one sentence>}`."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.web.logs import request_id

LOG = logging.getLogger(__name__)

NAMES: Mapping[int, str] = {
    400: "BadRequestError",
    401: "UnauthorizedError",
    403: "ForbiddenError",
    404: "NotFoundError",
    405: "MethodNotAllowedError",
    406: "NotAcceptableError",
    409: "ConflictError",
    413: "BodyTooLargeError",
    415: "UnsupportedMediaTypeError",
    422: "InvalidRequestError",
    429: "TooManyRequestsError",
    500: "InternalError",
    503: "NotReadyError",
}

MAX_MET_CHARACTERS = 60


class ErrorBody(BaseModel):
    """What every error looks like."""

    error: str
    """The class of the error, for programs."""
    detail: str
    """One sentence for people: what was met and what is allowed."""


def error_answer(
    status: int, detail: str, *, error: str | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """Return the response of an error; without a class name, the status names it."""
    body = {"error": error or NAMES.get(status, "HTTPError"), "detail": detail}
    return JSONResponse(body, status_code=status, headers=dict(headers) if headers else None)


def answer_errors(app: FastAPI, statuses: Mapping[type[Exception], int]) -> None:
    """Answer each class of error (and its subclasses) with its status.

    An error that knows when to come back says so in an attribute `retry_after_s`.
    """
    for error_class, status in statuses.items():
        app.add_exception_handler(error_class, _domain_answer(status))


def answer_web_errors(app: FastAPI) -> None:
    """Give unknown paths, wrong methods and invalid requests the one shape as well."""
    app.add_exception_handler(HTTPException, _http_answer)
    app.add_exception_handler(RequestValidationError, _validation_answer)


def _domain_answer(status: int) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def answer(_request: Request, error: Exception) -> Response:
        retry_after_s = getattr(error, "retry_after_s", None)
        headers = (
            {} if retry_after_s is None else {"Retry-After": str(max(1, round(retry_after_s)))}
        )
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            LOG.warning("request failed", extra={"error": type(error).__name__})
        return error_answer(status, str(error), error=type(error).__name__, headers=headers)

    return answer


async def _http_answer(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code in {204, 304}:
        return Response(status_code=error.status_code, headers=error.headers)
    detail = str(error.detail)
    # The framework's own words are a bare phrase; a route's own detail is kept.
    if detail == HTTPStatus(error.status_code).phrase:
        detail = _sentence(request, error)
    return error_answer(error.status_code, detail, headers=error.headers)


def _sentence(request: Request, error: HTTPException) -> str:
    path = request.url.path
    if error.status_code == HTTPStatus.NOT_FOUND:
        return f"no path {path!r} here; /openapi.json lists them"
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = (error.headers or {}).get("Allow", "see /openapi.json")
        return f"{request.method} is not allowed on {path!r}; allowed: {allowed}"
    return str(error.detail)


async def _validation_answer(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return error_answer(HTTPStatus.UNPROCESSABLE_ENTITY, validation_sentence(error))


def validation_sentence(error: RequestValidationError) -> str:
    """Say where a request is wrong, what was met there and what is allowed."""
    problems = error.errors()
    first = problems[0]
    where = ".".join(str(part) for part in first["loc"])
    met = "" if first["type"] in {"missing", "json_invalid"} else f" (met {_short(first['input'])})"
    reason = (first.get("ctx") or {}).get("error") if first["type"] == "json_invalid" else None
    more = f"; {len(problems) - 1} more" if len(problems) > 1 else ""
    return f"{where}: {first['msg']}{f': {reason}' if reason else ''}{met}{more}"


def _short(value: object) -> str:
    # ascii(): a lone surrogate from a request must not break the answer.
    text = ascii(value)
    return text if len(text) <= MAX_MET_CHARACTERS else text[: MAX_MET_CHARACTERS - 1] + "…"


class LastResort:
    """Log an error that nobody foresaw and answer 500, so that the process goes on."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; answer what it raises."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_started = False

        async def watch(message: Message) -> None:
            nonlocal has_started
            has_started = has_started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, watch)
        except Exception as error:  # The one catch-all of a service.
            LOG.exception("unforeseen error", extra={"error": type(error).__name__})
            if has_started:
                raise
            detail = f"an error that nobody foresaw; the log has it under request {request_id()}"
            await error_answer(500, detail)(scope, receive, send)
