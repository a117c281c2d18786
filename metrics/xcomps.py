"""From XCOMPS's outcomes to its scores: by language, negative type and class of languages.

Source: He et al. 2025 (arXiv:2502.19737); the README of the benchmark says where a definition had
to be chosen.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from metrics.score import Score
from metrics.table import OutcomeRow
from metrics.xcomps_accuracy import NORMALISATIONS, accuracy_scores


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
    return sorted(found, key=lambda score: score.subset is not None or score.setting is not None)
