"""Which of a benchmark's settings would a model not follow? Such a run is refused, not begun."""

from collections.abc import Iterable
from typing import Any

from benchmarks.benchmark import BenchmarkSettings
from benchmarks.requests import Request, RequestKind
from orchestrator.errors import WrongUseError
from orchestrator.providers.metering import MeteringProvider
from orchestrator.providers.provider import ChoosyProvider, Provider
from orchestrator.spec import RunSpec

RECORDED = "replay"
"""The provider whose answers were given elsewhere, under these settings or not."""
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
        if identity.get("provider") == RECORDED:
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


def check_refusals(model: str, provider: ChoosyProvider, requests: Iterable[Request]) -> None:
    """Refuse a run with requests that the model will not answer, rather than leave them open.

    Raises:
        WrongUseError: Names each reason once, and the languages without one.
    """
    reasons: dict[str, None] = {}
    refused: set[str] = set()
    answered: set[str] = set()
    for request in requests:
        why = provider.refusal(request)
        language = request.key.split("/")[2]
        (answered if why is None else refused).add(language)
        if why is not None:
            reasons[why] = None
    if reasons:
        rest = ", ".join(sorted(answered - refused))
        hint = f"; --language may name {rest}" if rest else ""
        raise WrongUseError(f"{model} does not answer this: {'; '.join(reasons)}{hint}")


def price_facts(spec: RunSpec, provider: Provider | None) -> dict[str, Any]:
    """Return what a run's calls cost, for its manifest; empty where nobody knows.

    Raises:
        WrongUseError: A budget is given, and there is no price to hold it against.
    """
    price = provider.price if isinstance(provider, MeteringProvider) else None
    if price is not None:
        return {"price": price.model_dump(mode="json", exclude_none=True)}
    if spec.budget is not None:
        raise WrongUseError(
            f"a budget of {spec.budget:g}: no price is known for {spec.model}"
            f" {spec.settings.get('base_url', '')}".rstrip()
            + "; put one into a file that POLYSENSE_PRICES names"
        )
    return {}
