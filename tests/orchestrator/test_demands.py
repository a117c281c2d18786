"""A setting that a model would not follow stops the run before it begins."""

import pytest

from benchmarks.requests import RequestKind
from benchmarks.semrel.settings import SemrelSettings
from benchmarks.stingray.settings import StingraySettings
from orchestrator.demands import check_demands, wants_int8
from orchestrator.errors import WrongUseError
from orchestrator.providers.fake import FakeProvider

KINDS = (RequestKind.LOG_PROB,)


class Named:
    """A provider that only says who it is."""

    def __init__(self, **identity):
        self._identity = identity

    def identity(self, kind):
        return self._identity


FLOAT = Named(provider="scorer", dtype="float32")
INT8 = Named(provider="scorer", dtype="int8")
API = Named(provider="openai")
FAKE = FakeProvider()
CUT = StingraySettings(truncation_tokens=1024)
EIGHT = StingraySettings(quantization="8bit")


@pytest.mark.parametrize(
    ("settings", "provider"),
    [
        (StingraySettings(), API),
        (SemrelSettings(), API),
        (CUT, FLOAT),
        (EIGHT, INT8),
        (EIGHT, Named(provider="replay")),
    ],
)
def test_what_a_model_follows_is_let_through(settings, provider):
    check_demands(settings, "m", provider, KINDS)


@pytest.mark.parametrize(
    ("settings", "provider", "reason"),
    [
        (CUT, API, "truncation_tokens=1024: only a scorer cuts"),
        (EIGHT, FLOAT, "the weights of m are float32.*SCORER_DTYPE=int8"),
        (EIGHT, API, "the weights of m are unknown"),
        (CUT, FAKE, "truncation_tokens=1024: only a scorer cuts"),
        (EIGHT, FAKE, "the weights of m are unknown"),
    ],
)
def test_what_it_would_not_follow_is_refused(settings, provider, reason):
    with pytest.raises(WrongUseError, match=reason):
        check_demands(settings, "m", provider, KINDS)


def test_only_a_run_that_says_so_wants_8_bit_weights():
    assert [wants_int8(found) for found in (EIGHT, CUT, SemrelSettings())] == [True, False, False]
