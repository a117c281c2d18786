"""Who may ask: once a key is configured, all but health needs it."""

import hashlib
import hmac
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from pydantic import SecretStr
from starlette.datastructures import Headers
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from services.web.errors import error_answer
from services.web.settings import ServiceSettings, is_loopback

SESSION_COOKIE = "polysense_session"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class PageAccess:
    """What a service with pages opens to a browser that has no key yet."""

    login_path: str = "/login"
    """Where a browser without a session is sent."""
    open_prefixes: tuple[str, ...] = ("/static/", "/favicon.ico")
    """Files that the login page itself needs."""
    content_security_policy: str = (
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'none'"
    )


def is_right_key(given: str, key: SecretStr) -> bool:
    """Compare in a time that does not tell how much of a key was right."""
    return hmac.compare_digest(given.encode(), key.get_secret_value().encode())


def session_token(key: SecretStr) -> str:
    """Return what the session cookie holds: derived from the key, so that it is not the key."""
    return hmac.new(key.get_secret_value().encode(), b"polysense pages", hashlib.sha256).hexdigest()


class KeyGate:
    """Refuse a request without the key (401), and a write from another site's page (403)."""

    def __init__(
        self, app: ASGIApp, *, settings: ServiceSettings, pages: PageAccess | None = None
    ) -> None:
        self._app = app
        self._key = settings.api_key
        self._pages = pages
        self._is_open_metrics = is_loopback(settings.host)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if scope["method"] not in SAFE_METHODS and not _is_own_origin(headers):
            detail = f"a write from {headers.get('origin')!r}; allowed: pages of this service"
            await error_answer(403, detail)(scope, receive, send)
        elif self._is_open(scope["path"]) or self._has_key(headers, scope["method"]):
            await self._app(scope, receive, send)
        elif self._pages and "text/html" in headers.get("accept", ""):
            await RedirectResponse(self._pages.login_path, status_code=303)(scope, receive, send)
        else:
            detail = "this service needs its key; send it as `Authorization: Bearer <key>`"
            challenge = {"WWW-Authenticate": "Bearer"}
            await error_answer(401, detail, headers=challenge)(scope, receive, send)

    def _is_open(self, path: str) -> bool:
        if self._key is None or path.startswith("/health/"):
            return True
        if path == "/metrics":
            return self._is_open_metrics
        if self._pages is None:
            return False
        return path == self._pages.login_path or path.startswith(self._pages.open_prefixes)

    def _has_key(self, headers: Headers, method: str) -> bool:
        if self._key is None:
            return True
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and is_right_key(given.strip(), self._key):
            return True
        # A cookie travels by itself, so a write by cookie must say where it comes from.
        is_traceable = method in SAFE_METHODS or "origin" in headers
        return self._pages is not None and is_traceable and self._has_session(headers, self._key)

    def _has_session(self, headers: Headers, key: SecretStr) -> bool:
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return False
        met = cookies.get(SESSION_COOKIE)
        return met is not None and hmac.compare_digest(
            met.value.encode(), session_token(key).encode()
        )


def _is_own_origin(headers: Headers) -> bool:
    """Programs send no Origin; a browser's must be the address that it asked."""
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc == headers.get("host")
