"""Which scores belong to which benchmark: written out, from another package, or the default."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol, cast

from benchmarks.catalog import benchmark_class
from benchmarks.errors import UnknownNameError
from benchmarks.plugins import METRICS_GROUP, Plugin, Plugins, blamed_on, find_plugins
from metrics.default import default_scores
from metrics.estimated import without_rounding_noise
from metrics.score import Score
from metrics.table import OutcomeRow


class ScoreFunction(Protocol):
    """Every module `metrics.<benchmark>` has one, called `scores`; a package's has any name."""

    def __call__(
        self, rows: Sequence[OutcomeRow], settings: Mapping[str, Any], seed: int
    ) -> list[Score]:
        """Return the headline rows first: subset and setting None."""
        ...


MODULES: Mapping[str, str] = {
    "stingray": "metrics.stingray",
    "dtails": "metrics.dtails",
    "xcomps": "metrics.xcomps",
    "dibimt": "metrics.dibimt",
    "semrel": "metrics.semrel",
}


def metric_plugins() -> Plugins:
    """Return the score functions of other installed packages, by benchmark; not loaded yet."""
    return find_plugins(METRICS_GROUP, MODULES)


def scores_of(
    benchmark: str, rows: Sequence[OutcomeRow], settings: Mapping[str, Any], seed: int
) -> list[Score]:
    """Return every score of one run, headline rows first.

    Args:
        benchmark: Its name in the catalogue.
        rows: Every case of the run, unanswered ones included.
        settings: The benchmark's bound settings, as JSON values.
        seed: The run's seed; resampling starts from it.

    Raises:
        PluginError: A package claims to score the benchmark and cannot.
    """
    return list(map(without_rounding_noise, _scores_of(benchmark, rows, settings, seed)))


def _scores_of(
    benchmark: str, rows: Sequence[OutcomeRow], settings: Mapping[str, Any], seed: int
) -> list[Score]:
    if benchmark in MODULES:
        function: ScoreFunction = import_module(MODULES[benchmark]).scores
        return function(rows, settings, seed)
    plugins = metric_plugins()
    if benchmark in plugins.refused:
        raise plugins.refused[benchmark]
    if benchmark in plugins.usable:
        return _scores_of_plugin(plugins.usable[benchmark], rows, settings, seed)
    return default_scores(benchmark, _unit_of(benchmark), rows, seed)


def load_score_function(plugin: Plugin) -> ScoreFunction:
    """Return the score function of another package.

    Raises:
        PluginError: It cannot be imported, or is none.
    """
    function = plugin.load()
    if not callable(function):
        raise plugin.error(f"met {type(function).__name__}, needed a score function")
    return cast("ScoreFunction", function)


def _scores_of_plugin(
    plugin: Plugin, rows: Sequence[OutcomeRow], settings: Mapping[str, Any], seed: int
) -> list[Score]:
    function = load_score_function(plugin)
    with blamed_on(plugin):
        found = list(function(rows, settings, seed))
    if strangers := [score for score in found if not isinstance(score, Score)]:
        raise plugin.error(f"returned {type(strangers[0]).__name__}, needed scores")
    return found


def _unit_of(benchmark: str) -> str | None:
    """Return the word for a benchmark's sampling unit; None where it is not installed any more."""
    try:
        return benchmark_class(benchmark).unit
    except UnknownNameError:
        return None
