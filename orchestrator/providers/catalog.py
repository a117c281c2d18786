"""From a model's name to the way to reach it."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from benchmarks.requests import RequestKind
from orchestrator.errors import WrongUseError
from orchestrator.providers.deepl import open_deepl
from orchestrator.providers.fake import FakeProvider
from orchestrator.providers.google import open_google
from orchestrator.providers.http_addresses import check_reachable
from orchestrator.providers.openai_opening import open_openai
from orchestrator.providers.opening import AT_ONCE, Opening
from orchestrator.providers.plugged import open_plugin
from orchestrator.providers.prompted_translation import with_translation
from orchestrator.providers.provider import Provider
from orchestrator.providers.replay import ReplayProvider
from orchestrator.providers.scorer import open_scorer
from orchestrator.providers.split import SplitProvider
from orchestrator.resources import Resources
from orchestrator.spec import parse_model, provider_plugins

DEMO_MODELS = ("demo-decoder", "demo-encoder")
ENCODER_KINDS = frozenset({RequestKind.EMBED, RequestKind.SIMILARITY})

OpenPaid = Callable[[str, Opening, Resources], Awaitable[Provider]]
PAID: Mapping[str, OpenPaid] = {
    "openai": open_openai,
    "deepl": open_deepl,
    "google": open_google,
}


async def open_provider(
    model: str, resources: Resources, opening: Opening = AT_ONCE
) -> Provider | None:
    """Return the provider behind a model's name; None for a baseline.

    Args:
        model: As `--model` spells it.
        resources: What the process lends: where scorers listen, keys, limits.
        opening: Who opens it and what for; only paid models ask.

    Raises:
        WrongUseError: No model has a name like that, or its file is malformed.
        PluginError: The package that brings the provider is broken.
        ProviderUnavailableError: Its scorer cannot be reached.
    """
    name = parse_model(model)
    plugin = provider_plugins().usable.get(name.kind)
    if plugin is not None:
        return with_translation(await open_plugin(plugin, name.argument, resources))
    if name.kind in PAID:
        return with_translation(await PAID[name.kind](name.argument, opening, resources))
    match name.kind:
        case "baseline":
            return None
        case "fake":
            return FakeProvider()
        case "replay":
            return ReplayProvider(Path(name.argument))
        case "scorer":
            return await _open_named_scorer(name.argument, resources)
        case "demo":
            return await _open_demo(resources)
        case _:
            return await _local(model, resources)


async def _open_demo(resources: Resources) -> Provider:
    """Put the demo models together; only those that run here, but at least one."""
    endpoints = resources.find_scorers()
    by_kind: dict[RequestKind, Provider] = {}
    for model in DEMO_MODELS:
        if model in endpoints or not endpoints:
            provider = await _local(model, resources)
            is_encoder = model == "demo-encoder"
            kinds = {kind for kind in provider.kinds if (kind in ENCODER_KINDS) == is_encoder}
            by_kind.update(dict.fromkeys(kinds, provider))
    return SplitProvider(by_kind)


async def _local(model: str, resources: Resources) -> Provider:
    endpoints = resources.find_scorers()
    if model not in endpoints:
        known = ", ".join(sorted(endpoints)) or "none"
        raise WrongUseError(f"no scorer serves {model} here; scorers: {known}")
    return await _open_scorer(endpoints[model], resources)


async def _open_named_scorer(url: str, resources: Resources) -> Provider:
    if resources.provider_hosts is not None:  # it came over the network
        await check_reachable(url)
    return await _open_scorer(url, resources)


async def _open_scorer(url: str, resources: Resources) -> Provider:
    provider = await open_scorer(
        url, resources.artefacts, resources.scorer_key, resources.silence_s
    )
    return with_translation(provider)
