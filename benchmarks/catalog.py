"""The list of benchmarks, written out."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from pydantic import ValidationError

from benchmarks.benchmark import Benchmark
from benchmarks.errors import SettingError, UnknownNameError

BENCHMARKS: Mapping[str, str] = {
    "stingray": "benchmarks.stingray.benchmark:Stingray",
    "dtails": "benchmarks.dtails.benchmark:Dtails",
    "xcomps": "benchmarks.xcomps.benchmark:Xcomps",
    "dibimt": "benchmarks.dibimt.benchmark:Dibimt",
    "semrel": "benchmarks.semrel.benchmark:Semrel",
}


def benchmark_class(name: str) -> type[Benchmark]:
    """Return the class behind a benchmark's name.

    Raises:
        UnknownNameError: There is no such benchmark.
    """
    if name not in BENCHMARKS:
        raise UnknownNameError(f"unknown benchmark {name!r}; allowed: {', '.join(BENCHMARKS)}")
    module_name, class_name = BENCHMARKS[name].split(":")
    found: type[Benchmark] = getattr(import_module(module_name), class_name)
    return found


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
        setting = ".".join(str(part) for part in first["loc"]) or "settings"
        if first["type"] == "extra_forbidden":
            allowed = ", ".join(sorted(found.settings_class.model_fields)) or "none"
            message = f"unknown setting {setting!r} of {name}; allowed: {allowed}"
            raise UnknownNameError(message) from error
        message = f"setting {setting}={first['input']!r} of {name}: {first['msg']}"
        raise SettingError(message) from error
    return found(bound)
