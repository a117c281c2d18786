"""From a model's name to the way to reach it."""

from collections.abc import Mapping
from pathlib import Path

from benchmarks.requests import RequestKind
from orchestrator.errors import WrongUseError
from orchestrator.providers.fake import FakeProvider
from orchestrator.providers.prompted_translation import with_translation
from orchestrator.providers.provider import Provider
from orchestrator.providers.replay import ReplayProvider
from orchestrator.providers.scorer import open_scorer
from orchestrator.providers.split import SplitProvider
from orchestrator.spec import parse_model

DEMO_MODELS = ("demo-decoder", "demo-encoder")
ENCODER_KINDS = frozenset({RequestKind.EMBED, RequestKind.SIMILARITY})


async def open_provider(
    model: str, endpoints: Mapping[str, str], artefacts: Path
) -> Provider | None:
    """Return the provider behind a model's name; None for a baseline.

    Args:
        model: As `--model` spells it.
        endpoints: Where the scorer of each local model listens, by the model's name.
        artefacts: The folder that keeps hidden states.

    Raises:
        WrongUseError: No model has a name like that, or its file is malformed.
        ProviderUnavailableError: Its scorer cannot be reached.
    """
    name = parse_model(model)
    match name.kind:
        case "baseline":
            return None
        case "fake":
            return FakeProvider()
        case "replay":
            return ReplayProvider(Path(name.argument))
        case "scorer":
            return with_translation(await open_scorer(name.argument, artefacts))
        case "demo":
            return await _open_demo(endpoints, artefacts)
        case _:
            return await _local(model, endpoints, artefacts)


async def _open_demo(endpoints: Mapping[str, str], artefacts: Path) -> Provider:
    """Put the demo models together; only those that run here, but at least one."""
    by_kind: dict[RequestKind, Provider] = {}
    for model in DEMO_MODELS:
        if model in endpoints or not endpoints:
            provider = await _local(model, endpoints, artefacts)
            is_encoder = model == "demo-encoder"
            kinds = {kind for kind in provider.kinds if (kind in ENCODER_KINDS) == is_encoder}
            by_kind.update(dict.fromkeys(kinds, provider))
    return SplitProvider(by_kind)


async def _local(model: str, endpoints: Mapping[str, str], artefacts: Path) -> Provider:
    if model not in endpoints:
        known = ", ".join(sorted(endpoints)) or "none"
        raise WrongUseError(f"no scorer serves {model} here; scorers: {known}")
    return with_translation(await open_scorer(endpoints[model], artefacts))
