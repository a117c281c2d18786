"""How long to wait is what the provider says, within reason."""

import random
from datetime import UTC, datetime

import pytest

from orchestrator.retrying import pause_s, retry_after_s

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
DATE = "Tue, 01 Jan 2030 %s GMT"


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": DATE % "12:00:09"}, 9.0),
        # Our clock may be wrong, and theirs: only the difference of theirs counts.
        ({"retry-after": DATE % "15:00:20", "date": DATE % "15:00:08"}, 12.0),
        ({"retry-after": DATE % "09:00:20", "date": DATE % "09:00:08"}, 12.0),
        # A date without one to hold it against is believed for a minute.
        ({"retry-after": DATE % "15:00:00"}, 60.0),
        ({"retry-after": DATE % "09:00:00"}, 0.0),
    ],
)
def test_retry_after_is_read_in_all_its_spellings(headers, expected):
    assert retry_after_s(headers, NOON) == expected


def test_pauses_double_up_to_half_a_minute_and_have_jitter():
    chance = random.Random(1)

    pauses = [[pause_s(attempt, chance) for _ in range(200)] for attempt in range(1, 10)]

    for attempt, found in enumerate(pauses):
        longest = min(30.0, 0.5 * 2**attempt)
        assert longest / 2 <= min(found) < max(found) <= longest
    assert len(set(pauses[0])) == 200
