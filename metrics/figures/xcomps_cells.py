"""Where does a figure of XCOMPS find the score of a method, a language and a negative type?"""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.xcomps.records import NEGATIVE_TYPES
from metrics.errors import FigureError
from metrics.figures.figure import FigureRun
from metrics.score import Score

SOURCE = "He et al. 2025 (XCOMPS, arXiv:2502.19737)"
ALL_TYPES = "all types"


@dataclass(frozen=True, slots=True)
class Method:
    """A way in which XCOMPS asks what a model knows."""

    task: str
    name: str
    metric: str


METHODS = (
    Method("meta", "Meta", "accuracy"),
    Method("direct", "Direct", "accuracy"),
    Method("neuro", "Neuro", "f1"),
)


def method_score(
    run: FigureRun, method: Method, language: str | None, subset: str | None, summary: str
) -> Score | None:
    """Return one cell; None where the run has no such score.

    Args:
        run: Whose.
        method: One of `METHODS`.
        language: None is the mean over languages.
        subset: None is all negative types.
        summary: Which number stands for all layers of Neuro: `mean` or `best`.
    """
    setting = None
    if method.task == "neuro" and summary != own_summary(run):
        setting = f"layers={summary}"
    for score in run.scores:
        if (
            score.task == method.task
            and score.metric == method.metric
            and score.language == language
            and score.subset == subset
            and score.setting == setting
            and score.layer is None
        ):
            return score
    return None


def own_summary(run: FigureRun) -> str:
    """Return which number stands for all layers in a run's headline rows."""
    return str(run.settings.get("neuro_summary", "mean"))


def languages_of(runs: Sequence[FigureRun], tasks: Sequence[str]) -> list[str]:
    """Return every language that a run was asked in, in alphabetical order.

    Raises:
        FigureError: No run has scores of these tasks.
    """
    found = {
        score.language
        for run in runs
        for score in run.scores
        if score.task in tasks and score.language is not None
    }
    if not found:
        raise FigureError(f"the runs have no scores of {', '.join(tasks)} by language")
    return sorted(found)


def methods_of(runs: Sequence[FigureRun]) -> list[Method]:
    """Return the methods that a run was asked with, in the order of the paper."""
    asked = {score.task for run in runs for score in run.scores}
    return [method for method in METHODS if method.task in asked]


def type_name(subset: str | None) -> str:
    """Return how a figure calls a negative type."""
    return ALL_TYPES if subset is None else subset


def types_of(option: str) -> tuple[str | None, ...]:
    """Return the negative types that a figure shows.

    Args:
        option: `all` for one row of all types together, `each`, or a type's name.
    """
    if option in NEGATIVE_TYPES:
        return (option,)
    return (None,) if option == "all" else (None, *NEGATIVE_TYPES)


def counts_text(runs: Sequence[FigureRun]) -> str:
    """Say how many pairs of sentences a language has, and how many languages there are."""
    found = [
        score.n // 2 if score.task == "neuro" else score.n
        for run in runs
        for score in run.scores
        if score.language is not None
        and score.subset is None
        and score.setting is None
        and score.layer is None
        and score.metric in ("accuracy", "f1")
        and score.n
    ]
    if not found:
        return "no pair"
    least, most = min(found), max(found)
    pairs = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    n_languages = len(languages_of(runs, [method.task for method in METHODS]))
    return f"{pairs} pairs of sentences a language, {n_languages} languages"
