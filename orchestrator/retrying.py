"""How long to wait before a provider is asked again."""

import random
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
LONGEST_DATE_S = 60.0
"""A `Retry-After` that names a later moment is read as a wrong clock."""


def pause_s(attempt: int, chance: random.Random) -> float:
    """Return the pause after a failed attempt (from 1): twice as long each time, with full jitter.

    The jitter keeps callers that failed together from coming back together.
    """
    longest = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0 ** (attempt - 1))
    return longest * (0.5 + 0.5 * chance.random())


def retry_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """Read how long a provider wants to be left alone.

    A date is held against the provider's own `Date`, so that neither its clock nor ours matters;
    without one it is held against ours and believed for at most a minute.

    Args:
        headers: Of its answer, by lower-case name.
        now: Our time, with its zone.

    Returns:
        Seconds, at least 0; None where it says nothing that can be read.
    """
    if (milliseconds := _number(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000.0
    said = headers.get("retry-after", "").strip()
    if (seconds := _number(said)) is not None:
        return seconds
    moment, provider_now = _date(said), _date(headers.get("date", ""))
    if moment is None:
        return None
    if provider_now is not None:
        return max(0.0, (moment - provider_now).total_seconds())
    return min(LONGEST_DATE_S, max(0.0, (moment - now).total_seconds()))


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0.0 <= number < float("inf") else None


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
