"""What is each run called in a figure, so that no two are called the same?"""

import re
from collections import Counter
from collections.abc import Sequence

from metrics.figures.figure import FigureRun

MAX_CHARACTERS = 48
ID_CHARACTERS = 6
"""The end of a run's id, where nothing else differs."""
NO_DIFFERENCE = frozenset({"prompt_file"})
"""Settings too long to be read in a label."""


def run_names(runs: Sequence[FigureRun]) -> list[str]:
    """Return the model of each run; where one was run twice, with what else tells them apart.

    That are the settings that differ, else the end of the run's id, else its number.
    """
    names = _short_names([run.model for run in runs])
    return [names[number] + _difference(number, names, runs) for number in range(len(runs))]


def _short_names(models: Sequence[str]) -> list[str]:
    """Leave folders out of names and cut long ones, unless two models would become one."""
    found = [_short(model) for model in models]
    models_by_name: dict[str, set[str]] = {}
    for name, model in zip(found, models, strict=True):
        models_by_name.setdefault(name, set()).add(model)
    return [
        name if len(models_by_name[name]) == 1 else _clean(model)
        for name, model in zip(found, models, strict=True)
    ]


def _short(model: str) -> str:
    kind, separator, argument = _clean(model).partition(":")
    if separator and re.match(r"[/\\~]|[A-Za-z]:[/\\]", argument):
        argument = re.split(r"[/\\]", argument.rstrip("/\\"))[-1]
    name = f"{kind}{separator}{argument}"
    if len(name) <= MAX_CHARACTERS:
        return name
    half = (MAX_CHARACTERS - 1) // 2
    return f"{name[:half]}…{name[-half:]}"


def _difference(number: int, names: Sequence[str], runs: Sequence[FigureRun]) -> str:
    same = [run for name, run in zip(names, runs, strict=True) if name == names[number]]
    if len(same) == 1:
        return ""
    differing = _differing_settings(same)
    texts = [_settings_text(run, differing) for run in same]
    own = _settings_text(runs[number], differing)
    is_clear = own and Counter(texts)[own] == 1
    words = [own] if is_clear else [*([own] if own else []), runs[number].run_id[-ID_CHARACTERS:]]
    return f" ({', '.join(words)})"


def _differing_settings(runs: Sequence[FigureRun]) -> list[str]:
    names = sorted({name for run in runs for name in run.settings} - NO_DIFFERENCE)
    return [name for name in names if len({str(run.settings.get(name)) for run in runs}) > 1]


def _settings_text(run: FigureRun, names: Sequence[str]) -> str:
    return ", ".join(f"{name}={_short(str(run.settings.get(name)))}" for name in names)


def _clean(text: str) -> str:
    """Replace half characters, which no picture can hold, and line breaks."""
    return " ".join(text.encode("utf-8", "replace").decode("utf-8").split())
