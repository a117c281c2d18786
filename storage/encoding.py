r"""How text and JSON are written so that Postgres takes them and nothing is lost.

Postgres refuses the character NUL in text, and UTF-8 has no lone surrogates; models answer with
both. Text columns hold such a character as U+001A and its four hexadecimal digits (U+001A itself
likewise), so ordinary text is stored as it is. JSON columns are of type `json`, which keeps
`\u0000` and `\ud800` as the escapes that they are; `jsonb` would refuse them.
"""

import json
import math
import re
from typing import Any

from storage.errors import UnstorableError

ESCAPE = "\x1a"
_UNSTORABLE = re.compile("[\x00\x1a\ud800-\udfff]")
_ESCAPED = re.compile("\x1a([0-9a-f]{4})")


def to_text(text: str) -> str:
    """Return text that Postgres takes."""
    return _UNSTORABLE.sub(lambda match: f"{ESCAPE}{ord(match[0]):04x}", text)


def from_text(stored: str) -> str:
    """Return what `to_text` was given."""
    if ESCAPE not in stored:
        return stored
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), stored)


def to_text_or_none(text: str | None) -> str | None:
    """Return text that Postgres takes; None stays None."""
    return None if text is None else to_text(text)


def from_text_or_none(stored: str | None) -> str | None:
    """Return what `to_text_or_none` was given."""
    return None if stored is None else from_text(stored)


def to_json(value: Any) -> str:  # noqa: ANN401  # any JSON value
    """Return a JSON document that a `json` column takes.

    Raises:
        UnstorableError: The value holds a NaN, an infinity, or an object that is no JSON.
    """
    try:
        document = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise UnstorableError(f"not a JSON value: {error}") from error
    try:
        document.encode()
    except UnicodeEncodeError:  # a lone surrogate
        return json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return document


def from_json(document: str) -> Any:  # noqa: ANN401  # any JSON value
    """Return what `to_json` was given."""
    return json.loads(document)


def to_number(value: float | None) -> float | None:
    """Return a number that can be averaged later; None stays None.

    Raises:
        UnstorableError: It is a NaN or an infinity.
    """
    if value is not None and not math.isfinite(value):
        raise UnstorableError(f"an outcome of {value}; allowed: a finite number or None")
    return value
