"""Scores as tables: one for each task and metric, each with one scale for its bars."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.published import PublishedValue
from metrics.score import Score
from services.metrics.published import published_for

MAX_DETAIL_ROWS = 400
SIGNED_METRICS = frozenset({"spearman", "cognate_bias"})
"""Their natural range is [-1, 1]; others reach below 0 only where a value does."""
NAMES = {
    "f1": "F1",
    "sfii": "SFII",
    "spdi": "SPDI",
    "mfs": "MFS",
    "mfs_plus": "MFS+",
    "spearman": "Spearman correlation",
}


@dataclass(frozen=True)
class Bar:
    """Where the parts of an interval bar stand, in per cent of its width."""

    value: float
    low: float | None
    high: float | None
    zero: float
    baselines: tuple[float, ...]


@dataclass(frozen=True)
class ScoreRow:
    """One score with its bar; None where the score is undefined."""

    score: Score
    bar: Bar | None


@dataclass(frozen=True)
class ScoreTable:
    """All scores of one metric and task."""

    task: str | None
    metric: str
    low: float
    high: float
    headlines: tuple[ScoreRow, ...]
    details: tuple[ScoreRow, ...]
    """By subset, setting or layer."""
    n_left_out: int
    published: tuple[tuple[Score, tuple[PublishedValue, ...]], ...]
    """Scores beside which the paper, or others on its data, report values."""

    @property
    def title(self) -> str:
        """The metric's name for people."""
        return NAMES.get(self.metric, self.metric.replace("_", " ").capitalize())


def score_tables(scores: Sequence[Score]) -> list[ScoreTable]:
    """Group scores by task and metric, in the order in which they come."""
    groups: dict[tuple[str | None, str], list[Score]] = {}
    for score in scores:
        groups.setdefault((score.task, score.metric), []).append(score)
    return [_table(task, metric, group) for (task, metric), group in groups.items()]


def headline(scores: Sequence[Score]) -> Score | None:
    """Return the score that stands for a run: of the first metric the mean, else a language."""
    defined = [score for score in scores if score.value is not None and is_headline(score)]
    if not defined:
        return None
    first = defined[0]
    same = [score for score in defined if (score.task, score.metric) == (first.task, first.metric)]
    return next((score for score in same if score.language is None), first)


def is_headline(score: Score) -> bool:
    """Say whether a score is over all of a language: no subset, setting or layer."""
    return score.subset is None and score.setting is None and score.layer is None


def _table(task: str | None, metric: str, group: Sequence[Score]) -> ScoreTable:
    low, high = _scale(metric, group)
    rows = [ScoreRow(score, _bar(score, low, high)) for score in group]
    details = [row for row in rows if not is_headline(row.score)]
    return ScoreTable(
        task=task,
        metric=metric,
        low=low,
        high=high,
        headlines=tuple(row for row in rows if is_headline(row.score)),
        details=tuple(details[:MAX_DETAIL_ROWS]),
        n_left_out=max(0, len(details) - MAX_DETAIL_ROWS),
        published=tuple(published_for(group)),
    )


def _scale(metric: str, group: Sequence[Score]) -> tuple[float, float]:
    numbers = [
        number
        for score in group
        for number in (score.value, score.ci_low, score.ci_high, *score.baselines.values())
        if number is not None
    ]
    low = min(0.0, *numbers, 0.0)
    is_signed = metric in SIGNED_METRICS or low < 0
    return (min(-1.0, low) if is_signed else 0.0), max(1.0, *numbers, 1.0)


def _bar(score: Score, low: float, high: float) -> Bar | None:
    if score.value is None:
        return None

    def place(number: float) -> float:
        return round(100 * (number - low) / (high - low), 2)

    has_interval = score.ci_low is not None and score.ci_high is not None
    return Bar(
        value=place(score.value),
        low=place(score.ci_low) if has_interval and score.ci_low is not None else None,
        high=place(score.ci_high) if has_interval and score.ci_high is not None else None,
        zero=place(0.0),
        baselines=tuple(place(number) for number in score.baselines.values() if number is not None),
    )
