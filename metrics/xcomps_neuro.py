"""How much do the layers know? F1 and selectivity of the Neuro task, by layer and in one number.

Source: He et al. 2025 (arXiv:2502.19737), Neuro. One number a language is open there: the mean over
layers is the default, the best layer stands beside it (its interval is that of the chosen layer).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.xcomps.languages import typology_of
from benchmarks.xcomps.records import NEGATIVE_TYPES
from metrics.estimated import estimate_of_score, setting_text, with_estimate
from metrics.score import Score
from metrics.statistics.intervals import Estimate, undefined, widened
from metrics.statistics.macro import mean_of_independent
from metrics.statistics.probing import N_RESAMPLES, estimate_from, layer_of_maximum
from metrics.statistics.recording import Statistic, Summed
from metrics.table import OutcomeRow
from metrics.xcomps_curves import Curve, Curves, language_curves
from metrics.xcomps_parts import (
    BENCHMARK,
    TYPOLOGIES,
    UNIT,
    Setting,
    is_left_out,
    part_score,
    parts,
)

FOLDS = ("sentence", "group")
SUMMARIES = ("mean", "best")
CHANCE = 0.5
SENTENCE_SHARES = {"repeated_share": "is_repeated", "both_labels_share": "has_both_labels"}
"""Sentences that stand in several pairs, and those that are good in one and bad in another."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One language and negative type (None: their mean) with one kind of folds."""

    language: str
    subset: str | None
    rows: Sequence[OutcomeRow]
    """The pairs that have a right answer."""
    curves: Curves | None
    setting: Setting


def neuro_scores(
    rows: Sequence[OutcomeRow], settings: Mapping[str, Any], seed: int
) -> Iterator[Score]:
    """Yield the curves, the numbers that stand for them, and their means over languages."""
    of_task = [row for row in rows if row.task == "neuro"]
    default_folds = str(settings.get("folds", FOLDS[0]))
    default_summary = str(settings.get("neuro_summary", SUMMARIES[0]))
    for folds in sorted(FOLDS, key=lambda name: name != default_folds):
        setting = {} if folds == default_folds else {"folds": folds}
        by_language = [
            score
            for cell in _cells(of_task, folds, setting, seed)
            for score in _cell_scores(cell, default_summary)
        ]
        yield from by_language
        yield from _means(by_language)
    for metric, name in SENTENCE_SHARES.items():
        for part in parts(of_task, "neuro", {}):
            yield part_score(part, metric, _share_of(name), seed, {})


def _cells(rows: Sequence[OutcomeRow], folds: str, setting: Setting, seed: int) -> Iterator[Cell]:
    for language in sorted({row.language for row in rows}):
        asked = [row for row in rows if row.language == language and not is_left_out(row)]
        curves = language_curves(asked, folds, seed)
        for subset in (None, *NEGATIVE_TYPES):
            of_subset = [row for row in asked if subset in (None, row.subset)]
            if of_subset:
                yield Cell(language, subset, of_subset, curves, setting)


def _cell_scores(cell: Cell, default_summary: str) -> Iterator[Score]:
    if cell.curves is None or cell.subset not in cell.curves.f1:
        reason = _why_undecided(cell)
        for metric in ("f1", "selectivity", "layer_of_maximum"):
            yield _score(cell, metric, undefined(reason))
        return
    f1 = cell.curves.f1[cell.subset]
    selectivity = f1.minus(cell.curves.control[cell.subset])
    yield from _curve_scores(cell, "f1", f1, default_summary)
    yield from _curve_scores(cell, "selectivity", selectivity, default_summary)
    yield _score(cell, "layer_of_maximum", _peak(cell, f1))
    words = cell.curves.words[cell.subset]
    by_words = {**cell.setting, "features": "words"}
    yield _score(cell, "f1", _of_layer(cell, words, 0), by_words)


def _curve_scores(cell: Cell, metric: str, curve: Curve, default: str) -> Iterator[Score]:
    """Yield one number for all layers, in both ways, then a row a layer."""
    numbers = {"mean": _over_layers, "best": _best}
    for name in sorted(SUMMARIES, key=lambda name: name != default):
        setting = cell.setting if name == default else {**cell.setting, "layers": name}
        yield _score(cell, metric, numbers[name](cell, curve), setting)
    for layer in range(len(curve.values)):
        score = _score(cell, metric, _of_layer(cell, curve, layer))
        yield score.model_copy(update={"layer": layer})


def _of_layer(cell: Cell, curve: Curve, layer: int) -> Estimate:
    return _estimate(
        cell, curve.values[layer], curve.drawn[:, layer], lambda sums: curve.read(sums)[:, layer]
    )


def _over_layers(cell: Cell, curve: Curve) -> Estimate:
    return _estimate(
        cell,
        curve.values.mean(),
        curve.drawn.mean(axis=1),
        lambda sums: np.asarray(curve.read(sums).mean(axis=1)),
    )


def _best(cell: Cell, curve: Curve) -> Estimate:
    best = layer_of_maximum(curve.values)
    if best is None:
        return undefined("no layer has a value")
    return _estimate(
        cell,
        curve.values[best],
        curve.drawn[:, best],
        lambda sums: np.asarray(_or_least(curve.read(sums)).max(axis=1)),
    )


def _means(found: Sequence[Score]) -> Iterator[Score]:
    """Yield the unweighted means over all languages and over each class of them."""
    by_row: dict[tuple[str, str | None, int | None, str | None], list[Score]] = {}
    for score in found:
        key = (score.metric, score.subset, score.layer, score.setting)
        by_row.setdefault(key, []).append(score)
    for scores in by_row.values():
        yield _mean(scores, None)
        for typology in TYPOLOGIES if scores[0].layer is None else ():
            chosen = [score for score in scores if typology_of(score.language or "") == typology]
            if chosen:
                yield _mean(chosen, typology)


def _mean(scores: Sequence[Score], typology: str | None) -> Score:
    estimates = {str(score.language): estimate_of_score(score) for score in scores}
    parts_of_setting = filter(None, (scores[0].setting, typology and f"typology={typology}"))
    setting = ";".join(sorted(";".join(parts_of_setting).split(";"))) or None
    coverages = [score.coverage for score in scores if score.coverage is not None]
    mean = scores[0].model_copy(
        update={
            "language": None,
            "setting": setting,
            "coverage": float(np.mean(coverages)) if coverages else None,
            "baselines": _mean_baselines(scores),
        }
    )
    found = mean_of_independent(estimates)
    return with_estimate(mean, widened(found) if mean.metric == "f1" else found)


def _mean_baselines(scores: Sequence[Score]) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    for name in scores[0].baselines:
        values = [value for score in scores if (value := score.baselines.get(name)) is not None]
        found[name] = float(np.mean(values)) if len(values) == len(scores) else None
    return found


def _score(cell: Cell, metric: str, estimate: Estimate, setting: Setting | None = None) -> Score:
    n_decided = sum(row.value is not None for row in cell.rows)
    score = Score(
        benchmark=BENCHMARK,
        metric=metric,
        task="neuro",
        language=cell.language,
        subset=cell.subset,
        setting=setting_text(cell.setting if setting is None else setting),
        value=None,
        n=0,
        unit=UNIT,
        coverage=n_decided / len(cell.rows),
        baselines=_baselines(cell) if metric == "f1" else {},
    )
    return with_estimate(score, widened(estimate) if metric == "f1" else estimate)


def _baselines(cell: Cell) -> dict[str, float | None]:
    if cell.curves is None or cell.subset not in cell.curves.f1:
        return {}
    by_words = float(cell.curves.words[cell.subset].values[0])
    return {
        "always-acceptable": cell.curves.always[cell.subset],
        "bag-of-words": by_words if np.isfinite(by_words) else None,
        "chance": CHANCE,
    }


def _estimate(cell: Cell, value: float, drawn: np.ndarray, statistic: Statistic) -> Estimate:
    n, n_units = _sizes(cell)
    units = cell.curves.units if cell.curves is not None else None
    found = estimate_from(float(value), drawn, n, n_units)
    if units is None:
        return found
    return replace(found, reason=None, sample=Summed(units, statistic, N_RESAMPLES))


def _peak(cell: Cell, curve: Curve) -> Estimate:
    """Return the layer of the maximum; the interval holds the layers it moves to in resamples."""
    best = layer_of_maximum(curve.values)
    if best is None:
        return undefined("no layer has an F1")
    return _estimate(cell, best, _peaks(curve.drawn), lambda sums: _peaks(curve.read(sums)))


def _peaks(curves: np.ndarray) -> np.ndarray:
    known = _or_least(curves)
    return np.where(np.isfinite(known).any(axis=1), known.argmax(axis=1), np.nan)


def _or_least(curves: np.ndarray) -> np.ndarray:
    """Let a layer without a value never be the greatest."""
    return np.where(np.isfinite(curves), curves, -np.inf)


def _sizes(cell: Cell) -> tuple[int, int]:
    """Return the number of sentences and of groups that were decided."""
    decided = [row for row in cell.rows if row.detail.get("folds")]
    return 2 * len(decided), len({row.unit for row in decided})


def _why_undecided(cell: Cell) -> str:
    if all(row.status == "unanswered" for row in cell.rows):
        return "no answer"
    reasons = {row.detail["not_asked"] for row in cell.rows if "not_asked" in row.detail}
    return "; ".join(sorted(reasons)) or "not decided with these folds"


def _share_of(name: str) -> Callable[[OutcomeRow], float | None]:
    def read(row: OutcomeRow) -> float | None:
        found = row.detail.get(name)
        return None if found is None else float(np.mean(found))

    return read
