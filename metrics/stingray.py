"""From StingrayBench's outcomes to its scores: accuracy, cognate bias and comprehension.

Source: Cahyawijaya et al. 2024 (arXiv:2410.21573), section 3.3; the README of the benchmark says
where a definition had to be chosen.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from metrics.score import Score
from metrics.stingray_accuracy import accuracy_scores, spread_scores
from metrics.stingray_bias import bias_scores
from metrics.stingray_marks import Mark, Setting, read_marks, split_by_way
from metrics.table import OutcomeRow

PARSERS = ("released", "paper")
SEMANTIC_SIDES = ("gold", "acceptance")


def scores(rows: Sequence[OutcomeRow], settings: Mapping[str, Any], seed: int) -> list[Score]:
    """Return every score of a run, headline rows first.

    Args:
        rows: Every case of the run, unanswered ones included.
        settings: The benchmark's bound settings.
        seed: Where resampling starts.
    """
    rows_by_way = split_by_way(rows)
    found = [
        score
        for way, of_way in rows_by_way.items()
        for score in _way_scores(of_way, settings, dict(way), seed)
    ]
    if len(rows_by_way) > 1:
        chosen = [read_marks(of_way, "") for of_way in rows_by_way.values()]
        found += spread_scores(chosen, {})
    return sorted(found, key=lambda score: score.subset is not None or score.setting is not None)


def _way_scores(
    rows: Sequence[OutcomeRow], settings: Mapping[str, Any], way: Setting, seed: int
) -> list[Score]:
    """Return the scores by the chosen parser and, of generated answers, by the other one."""
    found = _reading_scores(read_marks(rows, ""), settings, way, seed)
    if _is_generated(settings):
        other = next(name for name in PARSERS if name != settings.get("parser", PARSERS[0]))
        marks = read_marks(rows, other)
        found += _reading_scores(marks, settings, {**way, "parser": other}, seed)
    return found


def _reading_scores(
    marks: Sequence[Mark], settings: Mapping[str, Any], setting: Setting, seed: int
) -> list[Score]:
    """Return the scores of one reading, with the sides as chosen and the other way."""
    found = accuracy_scores(marks, setting, seed, is_generated=_is_generated(settings))
    default = settings.get("semantic_sides", SEMANTIC_SIDES[0])
    found += bias_scores(marks, default, settings, setting, seed)
    if any(mark.task == "semantic" for mark in marks):
        other = next(name for name in SEMANTIC_SIDES if name != default)
        found += bias_scores(marks, other, settings, {**setting, "semantic_sides": other}, seed)
    return found


def _is_generated(settings: Mapping[str, Any]) -> bool:
    return bool(settings.get("inference") == "generation")
