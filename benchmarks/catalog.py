"""The list of benchmarks: those of this repository written out, those of other packages found."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from benchmarks.benchmark import Benchmark, BenchmarkSettings
from benchmarks.errors import BenchmarkError, PluginError, SettingError, UnknownNameError
from benchmarks.plugins import BENCHMARKS_GROUP, Plugin, Plugins, blamed_on, find_plugins
from benchmarks.validation import problem_reason

BENCHMARKS: Mapping[str, str] = {
    "stingray": "benchmarks.stingray.benchmark:Stingray",
    "dtails": "benchmarks.dtails.benchmark:Dtails",
    "xcomps": "benchmarks.xcomps.benchmark:Xcomps",
    "dibimt": "benchmarks.dibimt.benchmark:Dibimt",
    "semrel": "benchmarks.semrel.benchmark:Semrel",
}
MEMBERS = (
    *(name for name in Benchmark.__annotations__ if name != "settings"),
    *(name for name in vars(Benchmark) if not name.startswith("_")),
)
"""What a class must have to be a benchmark."""
MAX_MET = 80
"""Characters of a refused value in a message."""


def benchmark_plugins() -> Plugins:
    """Return the benchmarks of other installed packages, not loaded yet."""
    return find_plugins(BENCHMARKS_GROUP, BENCHMARKS)


def benchmark_class(name: str) -> type[Benchmark]:
    """Return the class behind a benchmark's name.

    Raises:
        UnknownNameError: There is no such benchmark, or its package is broken.
    """
    if name in BENCHMARKS:
        module_name, class_name = BENCHMARKS[name].split(":")
        found: type[Benchmark] = getattr(import_module(module_name), class_name)
        return found
    plugins = benchmark_plugins()
    if name in plugins.refused:
        raise plugins.refused[name]
    if name not in plugins.usable:
        allowed = ", ".join([*BENCHMARKS, *plugins.usable])
        raise UnknownNameError(f"unknown benchmark {name!r}; allowed: {allowed}")
    return _load(plugins.usable[name])


def open_benchmark(name: str, settings: Mapping[str, Any] | None = None) -> Benchmark:
    """Return a benchmark bound to its settings.

    Raises:
        UnknownNameError: There is no such benchmark, or no such setting.
        SettingError: A setting's value is not allowed.
    """
    found = benchmark_class(name)
    try:
        bound = found.settings_class.model_validate(dict(settings or {}))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        setting = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            allowed = ", ".join(sorted(found.settings_class.model_fields)) or "none"
            message = f"unknown setting {setting!r} of {name}; allowed: {allowed}"
            raise UnknownNameError(message) from error
        met = f"setting {setting}={_short(first['input'])} of {name}" if setting else name
        raise SettingError(f"{met}: {problem_reason(first)}") from error
    with _blame_on(benchmark_plugins().usable.get(name) if name not in BENCHMARKS else None):
        return found(bound)


def open_all() -> tuple[list[Benchmark], list[str]]:
    """Open every benchmark with its defaults.

    Returns:
        Those that can be used, the built-in ones first; and a sentence on each that cannot.
    """
    plugins = benchmark_plugins()
    opened: list[Benchmark] = []
    problems = [str(error) for error in plugins.refused.values()]
    for name in (*BENCHMARKS, *plugins.usable):
        plugin = plugins.usable.get(name)
        try:
            with _blame_on(plugin):
                opened.append(_tried(open_benchmark(name)))
        except PluginError as error:
            problems.append(str(error))
        except BenchmarkError as error:
            if plugin is None:
                raise
            problems.append(str(plugin.error(str(error))))
    return opened, problems


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= MAX_MET else f"{text[:MAX_MET]}…"


def _blame_on(plugin: Plugin | None) -> AbstractContextManager[None]:
    return nullcontext() if plugin is None else blamed_on(plugin)


def _tried(benchmark: Benchmark) -> Benchmark:
    """Return a benchmark that has once said everything a list tells of it."""
    for task in benchmark.tasks:
        sorted(benchmark.kinds(task))
    list(benchmark.languages(benchmark.sample))
    {name: list(tasks) for name, tasks in benchmark.baselines().items()}
    benchmark.settings.model_dump(mode="json")
    return benchmark


def _load(plugin: Plugin) -> type[Benchmark]:
    found = plugin.load()
    why = _misfit(found, plugin.name)
    if why is not None:
        raise plugin.error(why)
    return cast("type[Benchmark]", found)


def _misfit(found: object, name: str) -> str | None:
    """Say what keeps an object from being the class of a benchmark."""
    if not isinstance(found, type):
        return f"met {type(found).__name__}, needed the class of a benchmark"
    if missing := [member for member in MEMBERS if not hasattr(found, member)]:
        return f"{found.__name__} lacks {', '.join(missing)}"
    benchmark = cast("type[Benchmark]", found)
    if benchmark.name != name:
        return f"{found.__name__} calls itself {benchmark.name!r}"
    if not isinstance(benchmark.tasks, tuple) or not benchmark.tasks:
        return f"{found.__name__}.tasks must be a tuple of names"
    settings_class: object = benchmark.settings_class
    if not (isinstance(settings_class, type) and issubclass(settings_class, BenchmarkSettings)):
        return f"{found.__name__}.settings_class must be a BenchmarkSettings"
    if not isinstance(benchmark.sample, Path):
        return f"{found.__name__}.sample must be the path of a folder"
    return None
