"""Logs are one JSON object a line on stderr; those made during a request carry its id."""

import json
import logging
import re
import sys
import time
import uuid
from contextvars import ContextVar
from datetime import UTC, datetime

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOG = logging.getLogger(__name__)

REQUEST_ID_HEADER = "X-Request-ID"
PLAUSIBLE_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
QUIET_PATHS = ("/health/", "/metrics")
# What every LogRecord has; everything else came in through `extra`.
RECORD_FIELDS = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}

_request_id: ContextVar[str | None] = ContextVar("request_id", default=None)


def request_id() -> str | None:
    """Return the id of the request being answered; None outside of one."""
    return _request_id.get()


class JsonFormatter(logging.Formatter):
    """One record as one line of JSON: a constant phrase and its facts."""

    def __init__(self, service: str) -> None:
        super().__init__()
        self._service = service

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, without its end."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "service": self._service,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if (current := request_id()) is not None:
            line["request_id"] = current
        line.update({k: v for k, v in vars(record).items() if k not in RECORD_FIELDS | line.keys()})
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def log_json(service: str, level: str) -> None:
    """Send every log of this process to stderr as JSON, in place of what was set up before."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter(service))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for noisy in ("httpx", "httpcore"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


class RequestLog:
    """Give each request an id (the caller's, if plausible), answer with it, log how it went."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on under its id."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get(REQUEST_ID_HEADER, "")
        current = given if PLAUSIBLE_ID.fullmatch(given) else uuid.uuid4().hex
        token = _request_id.set(current)
        status = 500
        began = time.perf_counter()

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[REQUEST_ID_HEADER] = current
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        finally:
            level = logging.DEBUG if scope["path"].startswith(QUIET_PATHS) else logging.INFO
            LOG.log(level, "request answered", extra=_facts(scope, status, began))
            _request_id.reset(token)


def _facts(scope: Scope, status: int, began: float) -> dict[str, object]:
    # No query: some callers put keys into it.
    return {
        "method": scope["method"],
        "path": scope["path"],
        "status": status,
        "duration_s": round(time.perf_counter() - began, 4),
    }
