"""Which of a benchmark's settings would a model not follow? Such a run is refused, not begun."""

from collections.abc import Iterable

from benchmarks.benchmark import BenchmarkSettings
from benchmarks.requests import RequestKind
from orchestrator.errors import WrongUseError
from orchestrator.providers.provider import Provider

WITHOUT_WEIGHTS = frozenset({"replay", "fake"})
"""Providers whose answers come from elsewhere: recorded under these settings, or made up."""
INT8 = "int8"


def wants_int8(settings: BenchmarkSettings) -> bool:
    """Say whether a run is to be answered by 8-bit weights."""
    return getattr(settings, "quantization", "none") == "8bit"


def check_demands(
    settings: BenchmarkSettings, model: str, provider: Provider, kinds: Iterable[RequestKind]
) -> None:
    """Refuse a cut in tokens, or 8-bit weights, where the model has no such thing.

    Raises:
        WrongUseError: Names the setting and what can follow it.
    """
    n_tokens = getattr(settings, "truncation_tokens", 0)
    for kind in kinds:
        identity = provider.identity(kind)
        if identity.get("provider") in WITHOUT_WEIGHTS:
            continue
        if n_tokens and identity.get("provider") != "scorer":
            raise WrongUseError(
                f"truncation_tokens={n_tokens}: only a scorer cuts in tokens of the model, and"
                f" {model} is none; allowed: 0, or hf:…, demo, scorer:<url>"
            )
        dtype = identity.get("dtype", "unknown")
        if wants_int8(settings) and dtype != INT8:
            raise WrongUseError(
                f"quantization=8bit: the weights of {model} are {dtype}; allowed: none, or a scorer"
                f" on a GPU that was started with SCORER_DTYPE={INT8}"
            )
