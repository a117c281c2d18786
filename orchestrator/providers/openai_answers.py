"""What the answers of an OpenAI-compatible API say beside the text: usage, and refusals."""

from collections.abc import Mapping
from typing import Any

from orchestrator.prices import Price
from orchestrator.providers.http_calls import RequestRefusedError
from orchestrator.providers.provider import Unanswered
from storage.records import Usage

TEXT_TOO_LONG = ("context_length_exceeded", "exceed_context_size_error")


def usage_of(found: Mapping[str, Any], price: Price | None) -> Usage:
    """Read what an answer took; money only where the price is known."""
    told = found.get("usage")
    told = told if isinstance(told, dict) else {}
    n_read, n_written = told.get("prompt_tokens"), told.get("completion_tokens", 0)
    served_by = found.get("model")
    if not isinstance(n_read, int) or not isinstance(n_written, int):
        return Usage(served_by=str(served_by) if served_by else None)
    details = told.get("prompt_tokens_details")
    n_cached = details.get("cached_tokens", 0) if isinstance(details, dict) else 0
    return Usage(
        input_tokens=n_read,
        output_tokens=n_written,
        money=None if price is None else price.of_tokens(n_read, n_written, n_cached or 0),
        currency=None if price is None else price.currency,
        served_by=str(served_by) if served_by else None,
    )


def unanswered(error: RequestRefusedError) -> Unanswered:
    """Return why one request has no answer."""
    inner = error.body.get("error")
    told = f"{inner} {error}".lower()
    is_long = any(code in told for code in TEXT_TOO_LONG) or error.status == 413
    return Unanswered("TextTooLongError" if is_long else "RequestRefusedError", str(error))
