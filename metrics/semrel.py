"""SemRel2024's score: Spearman's correlation of predicted and gold relatedness, a language each.

Paper: Ousidhoum et al. 2024 (arXiv:2402.08638).
"""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from metrics.estimated import setting_text, with_estimate
from metrics.score import Score
from metrics.spread import with_spread
from metrics.statistics.correlation import correlation_estimate, spearman
from metrics.statistics.intervals import Estimate
from metrics.statistics.macro import mean_of_independent
from metrics.table import OutcomeRow

BENCHMARK, TASK, METRIC, UNIT = "semrel", "relatedness", "spearman", "pair"


def scores(rows: Sequence[OutcomeRow], settings: Mapping[str, Any], seed: int) -> list[Score]:
    """Return one score a language and their mean; then cells on another split, and prompt styles.

    Pairs are independent, languages too: nothing is resampled and the seed is not used.
    """
    names = list(dict.fromkeys(row.variant for row in rows))
    parts = {name: [row for row in rows if row.variant == name] for name in names}
    found: list[Score] = []
    for name in names:
        found += _of_variant(parts[name], _setting_of(name))
    over_styles = [*_spread(found), *_averages(found)] if len(names) > 1 else []
    return sorted([*found, *over_styles], key=lambda score: score.setting is not None)


def _of_variant(rows: Sequence[OutcomeRow], setting: str | None) -> list[Score]:
    """Score each language, the mean over languages, and again what stands on another split."""
    rows_by_language = {
        language: [row for row in rows if row.language == language]
        for language in dict.fromkeys(row.language for row in rows)
    }
    estimates = {name: estimate_of(part) for name, part in rows_by_language.items()}
    found = [
        _score(estimates[name], part, language=name, setting=setting)
        for name, part in rows_by_language.items()
    ]
    macro = _macro(mean_of_independent(estimates), found)
    tagged = [
        _score(estimates[name], part, language=name, setting=f"split={part[0].subset}")
        for name, part in rows_by_language.items()
        if part[0].subset is not None and setting is None
    ]
    return [*found, macro, *tagged]


def _setting_of(variant: str) -> str | None:
    """Return what a variant varies: `scale.swapped` is another style and another order."""
    style, _, order = variant.partition(".")
    varied = {"prompt_style": style, "order": order}
    return setting_text({name: value for name, value in varied.items() if value})


def _by_language(found: Sequence[Score]) -> dict[str | None, list[Score]]:
    """Return the scores of every style and order, by language; other splits are left out."""
    by_language: dict[str | None, list[Score]] = {}
    for score in found:
        if not (score.setting or "").startswith("split="):
            by_language.setdefault(score.language, []).append(score)
    return by_language


def _spread(found: Sequence[Score]) -> Iterator[Score]:
    """Yield how far the correlations lie apart over styles and orders: greatest minus least."""
    for language, part in _by_language(found).items():
        score = Score(
            benchmark=BENCHMARK,
            metric="spearman_spread",
            task=TASK,
            language=language,
            value=None,
            n=0,
        )
        values = [each.value for each in part]
        yield with_spread(score, values, "no correlation in one of the ways of asking")


def _averages(found: Sequence[Score]) -> Iterator[Score]:
    """Yield each language's mean over prompt styles and orders, with their standard deviation."""
    for part in _by_language(found).values():
        values = [score.value for score in part if score.value is not None]
        is_whole = len(values) == len(part)
        yield part[0].model_copy(
            update={
                "setting": "prompt_style=all",
                "value": statistics.fmean(values) if is_whole else None,
                "sd": statistics.stdev(values) if is_whole else None,
                "reason": None if is_whole else "no value in a style",
                **dict.fromkeys(("ci_low", "ci_high", "se", "interval")),
            }
        )


def estimate_of(rows: Sequence[OutcomeRow]) -> Estimate:
    """Estimate the correlation over the rows that have both a prediction and a gold score."""
    pairs = [
        (row.value, gold, row.unit)
        for row in rows
        if row.value is not None and (gold := row.detail.get("gold")) is not None
    ]
    return correlation_estimate(
        [pair[0] for pair in pairs],
        [pair[1] for pair in pairs],
        names=[pair[2] for pair in pairs],
    )


def overlap_of(rows: Sequence[OutcomeRow]) -> float | None:
    """Return what the overlap of words would have got on the same pairs."""
    pairs = [
        (value, gold)
        for row in rows
        if row.value is not None
        and (value := row.baselines.get("overlap")) is not None
        and (gold := row.detail.get("gold")) is not None
    ]
    return spearman([pair[0] for pair in pairs], [pair[1] for pair in pairs])


def gold_scores(rows: Sequence[OutcomeRow]) -> dict[str, list[float]]:
    """Return every judged pair's gold score, rising, by language: what a violin is drawn from."""
    found: dict[str, list[float]] = {}
    for row in rows:
        if not row.variant and (gold := row.detail.get("gold")) is not None:
            found.setdefault(row.language, []).append(gold)
    return {language: sorted(golds) for language, golds in found.items()}


def _score(
    estimate: Estimate, rows: Sequence[OutcomeRow], *, language: str, setting: str | None = None
) -> Score:
    score = Score(
        benchmark=BENCHMARK,
        metric=METRIC,
        task=TASK,
        language=language,
        setting=setting,
        value=None,
        n=0,
        unit=UNIT,
        coverage=sum(row.status == "valid" for row in rows) / len(rows),
        baselines={"overlap": overlap_of(rows)},
    )
    return with_estimate(score, estimate)


def _macro(estimate: Estimate, headlines: Sequence[Score]) -> Score:
    overlaps = [score.baselines["overlap"] for score in headlines]
    known = [value for value in overlaps if value is not None]
    overlap = statistics.fmean(known) if len(known) == len(overlaps) else None
    coverage = statistics.fmean(score.coverage or 0.0 for score in headlines)
    whole = {"language": None, "coverage": coverage, "baselines": {"overlap": overlap}}
    return with_estimate(headlines[0].model_copy(update=whole), estimate)
