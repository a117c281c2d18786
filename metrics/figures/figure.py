"""What is a figure, and what may it know of a run?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from metrics.score import Score
from metrics.table import OutcomeRow


@dataclass(frozen=True, slots=True)
class FigureRun:
    """One run, as a figure sees it."""

    run_id: str
    benchmark: str
    model: str
    settings: Mapping[str, Any]
    """The benchmark's bound settings, as JSON values."""
    scores: Sequence[Score]
    rows: Sequence[OutcomeRow] = ()
    """Every case of the run; empty where the kind of figure does not need rows."""
    seed: int = 0
    """The run's; resampling starts from it, so that intervals equal those of the scores."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture as a specification, with the words that belong under it."""

    kind: str
    title: str
    caption: str
    """What good looks like, the n, and the source of the method."""
    alt: str
    """What a reader who cannot see it must know: the finding, not the shape."""
    specification: Mapping[str, Any] = field(repr=False)
    """Vega-Lite 5, data inlined; no URL, no transform that needs the network."""
