"""Tell somebody that a run has ended: to allowed addresses only, signed, and never to its harm."""

import hashlib
import hmac
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

import httpx

from orchestrator.errors import WrongUseError
from services.home import HomeSettings
from storage import runs, scores, webhooks
from storage.database import Database
from storage.errors import StorageError, UnknownRunError

LOG = logging.getLogger(__name__)

TIMEOUT_S = 10.0
MAX_URL = 2_000
SIGNATURE_HEADER = "X-Polysense-Signature"


def check_webhook(settings: HomeSettings, url: str | None) -> str | None:
    """Return the address if it may be told; nothing is allowed unless somebody allowed it.

    Raises:
        WrongUseError: It is no address, or not an allowed one.
    """
    if url is None:
        return None
    allowed = settings.webhooks
    if len(url) <= MAX_URL and any(_is_below(url, prefix) for prefix in allowed):
        return url
    names = ", ".join(allowed) or "none (POLYSENSE_WEBHOOKS lists them)"
    raise WrongUseError(f"webhook {url[:MAX_URL]!r} is not allowed; allowed: {names}")


def teller(database: Database, settings: HomeSettings) -> Callable[[], Awaitable[None]]:
    """Return what tells every end that is due."""

    async def tell() -> None:
        try:
            for due in await webhooks.take_due(database):
                await webhooks.note(database, due, await _tell(database, settings, due))
        except StorageError as error:
            LOG.warning("ends not told", extra={"error": str(error)})

    return tell


async def _tell(database: Database, settings: HomeSettings, due: webhooks.Webhook) -> str | None:
    """Send one message; return why it did not arrive, if it did not."""
    try:
        check_webhook(settings, due.url)  # what was allowed then may be no more
        body = json.dumps(await _message(database, due)).encode()
    except (WrongUseError, UnknownRunError) as error:
        return str(error)
    headers = {"Content-Type": "application/json", "User-Agent": "polysense"}
    secret = settings.webhook_secret
    if secret is not None:
        digest = hmac.new(secret.get_secret_value().encode(), body, hashlib.sha256)
        headers[SIGNATURE_HEADER] = f"sha256={digest.hexdigest()}"
    try:
        async with httpx.AsyncClient(timeout=TIMEOUT_S, follow_redirects=False) as client:
            answer = await client.post(due.url, content=body, headers=headers)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return f"{type(error).__name__}: {error}"
    return None if answer.is_success else f"HTTP {answer.status_code}"


async def _message(database: Database, due: webhooks.Webhook) -> dict[str, Any]:
    run = await runs.get(database, due.run_id)
    progress = await runs.count_progress(database, run.id)
    found = await scores.read(database, run.id)
    return {
        "schema": 1,
        "event": "run.ended",
        "run": run.id,
        "benchmark": run.benchmark,
        "model": run.model,
        "status": run.status,
        "reason": run.reason,
        "n_items": progress.n_items,
        "n_answered": progress.n_answered,
        "scores": [
            score.model_dump(mode="json")
            for score in found
            if score.subset is None and score.setting is None and score.layer is None
        ],
    }


def _is_below(url: str, prefix: str) -> bool:
    """Say whether an address is the allowed one or below it: same scheme, host and port."""
    try:
        asked, allowed = urlsplit(url), urlsplit(prefix)
        places = [(each.scheme, each.hostname, each.port) for each in (asked, allowed)]
    except ValueError:
        return False
    if asked.scheme not in {"http", "https"} or asked.username is not None:
        return False
    path = allowed.path.rstrip("/")
    is_inside = asked.path == path or asked.path.startswith(f"{path}/")
    return places[0] == places[1] and is_inside and "/.." not in asked.path
