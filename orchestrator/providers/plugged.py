"""A provider that another package brings: opened, and held to the protocol at once."""

import inspect
from collections.abc import Mapping
from typing import cast

from benchmarks.plugins import Plugin, blamed_on
from benchmarks.requests import RequestKind
from orchestrator.errors import OrchestratorError
from orchestrator.providers.provider import Provider, ProviderFactory
from orchestrator.resources import Resources

METHODS = ("identity", "answer", "close")
IDENTITY_NAMES = ("provider", "model")
"""What every identity must hold: stored responses are listed by them."""


async def open_plugin(plugin: Plugin, argument: str, resources: Resources) -> Provider:
    """Return the provider that a package's factory makes.

    Raises:
        PluginError: The factory is broken, or what it makes is no provider.
        OrchestratorError: What the factory itself says is wrong.
    """
    factory = load_factory(plugin)
    with blamed_on(plugin, OrchestratorError):
        made = factory(argument, resources)
        found = await made if inspect.isawaitable(made) else made
        why = misfit(found)
    if why is not None:
        raise plugin.error(why)
    return found


def load_factory(plugin: Plugin) -> ProviderFactory:
    """Return what makes a package's providers.

    Raises:
        PluginError: It cannot be imported, or is nothing that can be called.
    """
    factory = plugin.load()
    if not callable(factory):
        raise plugin.error(f"met {type(factory).__name__}, needed a provider's factory")
    return cast("ProviderFactory", factory)


def misfit(found: object) -> str | None:
    """Say what keeps an object from being a provider."""
    name = type(found).__name__
    if missing := [method for method in METHODS if not callable(getattr(found, method, None))]:
        return f"{name} lacks {', '.join(missing)}"
    provider = cast("Provider", found)
    kinds: object = getattr(found, "kinds", None)
    if not (isinstance(kinds, frozenset) and kinds and kinds <= set(RequestKind)):
        return f"{name}.kinds must be a frozenset of request kinds with at least one"
    if not isinstance(getattr(found, "answers_by_key", None), bool):
        return f"{name}.answers_by_key must be True or False"
    problems = (_identity_misfit(provider.identity(kind)) for kind in sorted(kinds))
    return next((f"{name}.identity {problem}" for problem in problems if problem), None)


def _identity_misfit(identity: object) -> str | None:
    if not isinstance(identity, Mapping):
        return f"is {type(identity).__name__}, not names and texts"
    for name, value in identity.items():
        if not (isinstance(name, str) and isinstance(value, str)):
            return f"holds {name!r}: {type(value).__name__}, and may hold texts only"
    missing = [name for name in IDENTITY_NAMES if not identity.get(name)]
    return f"lacks {', '.join(missing)}" if missing else None
