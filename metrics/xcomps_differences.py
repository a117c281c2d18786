"""What does tuning change? Another model less the first, on the same pairs, with paired intervals.

Source: He et al. 2025 (arXiv:2502.19737), Figure 9: Instruct less Base and Distill less Base, by
method, negative type and language. Theirs has no intervals.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.xcomps.records import NEGATIVE_TYPES
from metrics.statistics.intervals import Estimate, undefined
from metrics.statistics.macro import mean_of_independent
from metrics.statistics.paired import compare_means
from metrics.statistics.probing import estimate_from, layer_of_maximum
from metrics.table import OutcomeRow
from metrics.xcomps_curves import Curve, language_curves
from metrics.xcomps_parts import is_left_out

TASKS = ("meta", "direct", "neuro")

RowPairs = Sequence[tuple[OutcomeRow, OutcomeRow]]
"""The same pair of sentences, judged with the first model and with the other."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The other model less the first: accuracies of Meta and Direct, F1 of Neuro."""

    task: str
    language: str | None
    """None: the unweighted mean over languages."""
    subset: str | None
    """None: all negative types."""
    estimate: Estimate


def paired_differences(
    first: Sequence[OutcomeRow],
    second: Sequence[OutcomeRow],
    settings: Mapping[str, Any],
    seed: int,
) -> list[Difference]:
    """Return every difference of the tasks that both models were asked.

    Pairs that only one of them answered are left out. Groups are redrawn for both models at once;
    probes are not fitted again.

    Args:
        first: Every case of the run that is subtracted.
        second: Every case of the other run.
        settings: `folds` and `neuro_summary`, as the scores have them.
        seed: Where resampling starts.
    """
    found: list[Difference] = []
    for task in TASKS:
        pairs = _pairs(first, second, task)
        by_language: dict[str, list[tuple[OutcomeRow, OutcomeRow]]] = {}
        for pair in pairs:
            by_language.setdefault(pair[0].language, []).append(pair)
        for language in sorted(by_language):
            own = by_language[language]
            if task == "neuro":
                found += _neuro_differences(language, own, settings, seed)
            else:
                found += _accuracy_differences(task, language, own, seed)
    return [*found, *_means(found)]


def _pairs(
    first: Sequence[OutcomeRow], second: Sequence[OutcomeRow], task: str
) -> list[tuple[OutcomeRow, OutcomeRow]]:
    """Match the pairs of sentences by language and id; the run's own prompt style only."""
    others = {
        (row.language, row.item_id): row
        for row in second
        if row.task == task and not row.variant and not is_left_out(row)
    }
    return [
        (row, others[row.language, row.item_id])
        for row in first
        if row.task == task
        and not row.variant
        and not is_left_out(row)
        and (row.language, row.item_id) in others
    ]


def _accuracy_differences(
    task: str, language: str, pairs: RowPairs, seed: int
) -> Iterator[Difference]:
    for subset in (None, *NEGATIVE_TYPES):
        asked = [pair for pair in pairs if subset in (None, pair[0].subset)]
        if not asked:
            continue
        kept = [
            (one.value, other.value, one.unit, str(one.subset))
            for one, other in asked
            if one.value is not None and other.value is not None
        ]
        if not kept:
            yield Difference(task, language, subset, undefined("no pair that both answered"))
            continue
        first, second, units, strata = zip(*kept, strict=True)
        found = compare_means(first, second, units, strata, seed)
        yield Difference(task, language, subset, found.difference)


def _neuro_differences(
    language: str, pairs: RowPairs, settings: Mapping[str, Any], seed: int
) -> Iterator[Difference]:
    folds = str(settings.get("folds", "sentence"))
    decided = [
        (one, other)
        for one, other in pairs
        if all(folds in row.detail.get("folds", {}) for row in (one, other))
    ]
    before = language_curves([one for one, _ in decided], folds, seed)
    after = language_curves([other for _, other in decided], folds, seed)
    for subset in (None, *NEGATIVE_TYPES):
        asked = [one for one, _ in pairs if subset in (None, one.subset)]
        if not asked:
            continue
        if before is None or after is None or subset not in before.f1:
            yield Difference("neuro", language, subset, undefined("no pair that both decided"))
            continue
        kept = [one for one, _ in decided if subset in (None, one.subset)]
        summary = str(settings.get("neuro_summary", "mean"))
        value, drawn = _summarised(after.f1[subset], summary)
        less, drawn_less = _summarised(before.f1[subset], summary)
        n_units = len({row.unit for row in kept})
        estimate = estimate_from(value - less, drawn - drawn_less, 2 * len(kept), n_units)
        yield Difference("neuro", language, subset, estimate)


def _summarised(curve: Curve, summary: str) -> tuple[float, np.ndarray]:
    """Return one number for all layers, and what it becomes in each resample."""
    if summary == "mean":
        return float(curve.values.mean()), curve.drawn.mean(axis=1)
    best = layer_of_maximum(curve.values) or 0
    return float(curve.values[best]), curve.drawn[:, best]


def _means(found: Sequence[Difference]) -> Iterator[Difference]:
    by_cell: dict[tuple[str, str | None], dict[str, Estimate]] = {}
    for each in found:
        by_cell.setdefault((each.task, each.subset), {})[str(each.language)] = each.estimate
    for (task, subset), estimates in by_cell.items():
        yield Difference(task, None, subset, mean_of_independent(estimates))
