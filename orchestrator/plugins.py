"""What other installed packages bring, to a run and to this machine."""

from benchmarks.catalog import benchmark_class, benchmark_plugins
from benchmarks.errors import PluginError
from benchmarks.plugins import (
    BENCHMARKS_GROUP,
    METRICS_GROUP,
    Plugin,
)
from metrics.catalog import load_score_function, metric_plugins
from orchestrator.providers.plugged import load_factory
from orchestrator.spec import parse_model, provider_plugins


def plugin_facts(benchmark: str, model: str) -> list[dict[str, str]]:
    """Return which other packages bring a run's benchmark, score function and provider."""
    claims = (
        (benchmark_plugins(), benchmark),
        (metric_plugins(), benchmark),
        (provider_plugins(), parse_model(model).kind),
    )
    return [plugins.usable[name].facts() for plugins, name in claims if name in plugins.usable]


def installed_plugins() -> list[dict[str, str]]:
    """Return every package's entry points with a sentence on each that cannot be used."""
    found: list[dict[str, str]] = []
    for plugins in (benchmark_plugins(), metric_plugins(), provider_plugins()):
        found += [{**plugin.facts(), **_problem(plugin)} for plugin in plugins.usable.values()]
        found += [{"name": name, "problem": str(why)} for name, why in plugins.refused.items()]
    return found


def _problem(plugin: Plugin) -> dict[str, str]:
    try:
        _load(plugin)
    except PluginError as error:
        return {"problem": str(error)}
    return {}


def _load(plugin: Plugin) -> None:
    if plugin.group == BENCHMARKS_GROUP:
        benchmark_class(plugin.name)
    elif plugin.group == METRICS_GROUP:
        load_score_function(plugin)
    else:
        load_factory(plugin)
