"""SemRel2024's score: Spearman's correlation of predicted and gold relatedness, a language each.

Paper: Ousidhoum et al. 2024 (arXiv:2402.08638).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from metrics.score import Score
from metrics.statistics.correlation import correlation_estimate, spearman
from metrics.statistics.intervals import Estimate
from metrics.statistics.macro import mean_of_independent
from metrics.table import OutcomeRow

BENCHMARK, TASK, METRIC, UNIT = "semrel", "relatedness", "spearman", "pair"


def scores(rows: Sequence[OutcomeRow], settings: Mapping[str, Any], seed: int) -> list[Score]:
    """Return one score a language, their mean, and the cells that stand on another split.

    Pairs are independent, languages too: nothing is resampled and the seed is not used.
    """
    rows_by_language = {
        language: [row for row in rows if row.language == language]
        for language in dict.fromkeys(row.language for row in rows)
    }
    estimates = {name: estimate_of(part) for name, part in rows_by_language.items()}
    headlines = [
        _score(estimates[name], part, language=name) for name, part in rows_by_language.items()
    ]
    if not headlines:
        return []
    macro = _macro(mean_of_independent(estimates), headlines)
    tagged = [
        _score(estimates[name], part, language=name, setting=f"split={part[0].subset}")
        for name, part in rows_by_language.items()
        if part[0].subset is not None
    ]
    return [*headlines, macro, *tagged]


def estimate_of(rows: Sequence[OutcomeRow]) -> Estimate:
    """Estimate the correlation over the rows that have both a prediction and a gold score."""
    pairs = [
        (row.value, gold)
        for row in rows
        if row.value is not None and (gold := row.detail.get("gold")) is not None
    ]
    return correlation_estimate([pair[0] for pair in pairs], [pair[1] for pair in pairs])


def overlap_of(rows: Sequence[OutcomeRow]) -> float | None:
    """Return what the overlap of words would have got on the answered rows."""
    pairs = [
        (value, gold)
        for row in rows
        if (value := row.baselines.get("overlap")) is not None
        and (gold := row.detail.get("gold")) is not None
    ]
    return spearman([pair[0] for pair in pairs], [pair[1] for pair in pairs])


def _score(
    estimate: Estimate, rows: Sequence[OutcomeRow], *, language: str, setting: str | None = None
) -> Score:
    return Score(
        benchmark=BENCHMARK,
        metric=METRIC,
        task=TASK,
        language=language,
        setting=setting,
        value=estimate.value,
        ci_low=estimate.ci_low,
        ci_high=estimate.ci_high,
        se=estimate.se,
        n=estimate.n,
        n_units=estimate.n_units,
        unit=UNIT,
        interval=estimate.interval,
        coverage=sum(row.status == "valid" for row in rows) / len(rows),
        baselines={"overlap": overlap_of(rows)},
        reason=estimate.reason,
    )


def _macro(estimate: Estimate, headlines: Sequence[Score]) -> Score:
    overlaps = [score.baselines["overlap"] for score in headlines]
    known = [value for value in overlaps if value is not None]
    coverages = [score.coverage for score in headlines if score.coverage is not None]
    return Score(
        benchmark=BENCHMARK,
        metric=METRIC,
        task=TASK,
        value=estimate.value,
        ci_low=estimate.ci_low,
        ci_high=estimate.ci_high,
        se=estimate.se,
        n=estimate.n,
        n_units=estimate.n_units,
        unit=UNIT,
        interval=estimate.interval,
        coverage=sum(coverages) / len(coverages),
        baselines={"overlap": sum(known) / len(known) if len(known) == len(overlaps) else None},
        reason=estimate.reason,
    )
