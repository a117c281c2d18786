"""What do other installed packages add? Entry points: found by name, loaded only when asked for.

A broken one costs its own user one sentence, and nobody else anything.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points

from benchmarks.errors import BenchmarkError, PluginError

BENCHMARKS_GROUP = "polysense.benchmarks"
METRICS_GROUP = "polysense.metrics"
PROVIDERS_GROUP = "polysense.providers"
NAME = re.compile(r"[a-z][a-z0-9_-]*")
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Plugin:
    """One entry point of an installed package."""

    group: str
    name: str
    target: str
    """`package.module:attribute`."""
    distribution: str
    version: str

    def facts(self) -> dict[str, str]:
        """Return what a manifest must say of it."""
        return {
            "group": self.group,
            "name": self.name,
            "distribution": self.distribution,
            "version": self.version,
            "object": self.target,
        }

    def load(self) -> object:
        """Import what the entry point names.

        Raises:
            PluginError: It cannot be imported.
        """
        with blamed_on(self):
            return EntryPoint(self.name, self.target, self.group).load()

    def error(self, why: str) -> PluginError:
        """Return the one sentence that says why it cannot be used."""
        return PluginError(
            f"{self.group} {self.name!r} of package {self.distribution} {self.version}"
            f" cannot be used: {' '.join(why.split())}"
        )


@dataclass(frozen=True, slots=True)
class Plugins:
    """The entry points of one group."""

    usable: Mapping[str, Plugin] = field(default_factory=dict)
    """By name; not loaded yet, so they may still turn out to be broken."""
    refused: Mapping[str, PluginError] = field(default_factory=dict)
    """By name: whose name is taken, or no name."""


@contextmanager
def blamed_on(plugin: Plugin, foreseen: type[Exception] = BenchmarkError) -> Iterator[None]:
    """Turn whatever a stranger's code raises unforeseen into one sentence that names its package.

    Raises:
        PluginError: The block raised something else than what is foreseen.
    """
    try:
        yield
    except (PluginError, foreseen):
        raise
    except (Exception, SystemExit) as error:  # a module may do anything when it is imported
        raise plugin.error(f"{type(error).__name__}: {error}") from error


def find_plugins(group: str, taken: Collection[str]) -> Plugins:
    """Return the entry points of a group without importing anything.

    Args:
        group: One of the three above.
        taken: The names that are built in; no package may have them.
    """
    found: dict[str, list[Plugin]] = {}
    claims = [_plugin(entry) for entry in entry_points(group=group)]
    for plugin in sorted(claims, key=lambda claim: (claim.distribution, claim.version)):
        found.setdefault(plugin.name, []).append(plugin)
    usable, refused = {}, {}
    for name in sorted(found):
        problem = _problem(found[name], taken)
        if problem is None:
            usable[name] = found[name][0]
        else:
            refused[name] = problem
    return Plugins(usable, refused)


def _plugin(entry: EntryPoint) -> Plugin:
    distribution = entry.dist
    return Plugin(
        group=entry.group,
        name=entry.name,
        target=entry.value,
        distribution=(distribution and distribution.name) or UNKNOWN,
        version=(distribution and distribution.version) or UNKNOWN,
    )


def _problem(claims: list[Plugin], taken: Collection[str]) -> PluginError | None:
    """Say why a name cannot be had by those who claim it."""
    first = claims[0]
    if first.name in taken:
        return first.error("the name is built in; choose another")
    if not NAME.fullmatch(first.name):
        return first.error(f"a name is spelled {NAME.pattern}")
    if len(claims) > 1:
        others = ", ".join(f"{claim.distribution} {claim.version}" for claim in claims[1:])
        return first.error(f"{others} has the name too; remove one of them")
    return None
