"""What names a response: a hash of the model's identity and of what it was asked."""

import hashlib
import json

from benchmarks.requests import Request
from orchestrator.providers.provider import Provider


def cache_key(provider: Provider, request: Request, salt: str = "") -> bytes:
    """Return the key under which the response to a request is stored.

    Args:
        provider: Its identity for this kind of request goes into the key.
        request: All of it but key and part, unless the provider answers by key.
        salt: Empty where responses are shared between runs; a run's id where they are not.

    Returns:
        32 bytes.
    """
    content = {
        "salt": salt,
        "identity": dict(provider.identity(request.kind)),
        "request": dict(request.content()),
        "key": request.key if provider.answers_by_key else "",
    }
    text = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).digest()
