"""Which scores belong to which benchmark, written out."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

from metrics.score import Score
from metrics.table import OutcomeRow


class ScoreFunction(Protocol):
    """Every module `metrics.<benchmark>` has one, called `scores`."""

    def __call__(
        self, rows: Sequence[OutcomeRow], settings: Mapping[str, Any], seed: int
    ) -> list[Score]:
        """Return the headline rows first: subset and setting None."""
        ...


MODULES: Mapping[str, str] = {
    "stingray": "metrics.stingray",
    "dtails": "metrics.dtails",
    "xcomps": "metrics.xcomps",
    "dibimt": "metrics.dibimt",
    "semrel": "metrics.semrel",
}


def scores_of(
    benchmark: str, rows: Sequence[OutcomeRow], settings: Mapping[str, Any], seed: int
) -> list[Score]:
    """Return every score of one run, headline rows first.

    Args:
        benchmark: Its name in the catalogue.
        rows: Every case of the run, unanswered ones included.
        settings: The benchmark's bound settings, as JSON values.
        seed: The run's seed; resampling starts from it.
    """
    function: ScoreFunction = import_module(MODULES[benchmark]).scores
    return function(rows, settings, seed)
