"""From XCOMPS's outcomes to its scores: by language, negative type and class of languages.

Source: He et al. 2025 (arXiv:2502.19737); the README of the benchmark says where a definition had
to be chosen.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from metrics.score import Score
from metrics.table import OutcomeRow
from metrics.xcomps_accuracy import NORMALISATIONS, accuracy_scores
from metrics.xcomps_neuro import neuro_scores
from metrics.xcomps_relations import relation_scores


def scores(rows: Sequence[OutcomeRow], settings: Mapping[str, Any], seed: int) -> list[Score]:
    """Return every score of a run, headline rows first.

    Args:
        rows: Every case of the run, unanswered ones included.
        settings: The benchmark's bound settings.
        seed: Where resampling starts.
    """
    found: list[Score] = []
    for task in NORMALISATIONS:
        found += accuracy_scores(rows, task, settings, seed)
    found += neuro_scores(rows, settings, seed)
    found += relation_scores(found)
    return sorted(found, key=_rank)


def _rank(score: Score) -> int:
    """Put headline rows first, then their layers, then all else."""
    if score.subset is not None or score.setting is not None:
        return 2
    return int(score.layer is not None)
