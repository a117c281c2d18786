"""A score: one metric over one part of a run's outcomes, with all that is needed to trust it."""

from collections.abc import Mapping
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from metrics.statistics.recording import Sample

METRIC_VERSION = "1"
"""Changes whenever a metric's definition changes; scores of two versions are never compared."""


class Score(BaseModel):
    """Absent dimensions are None; values are fractions in their natural range."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    benchmark: str
    model: str = ""
    """Filled in by whoever knows the run."""
    metric: str
    task: str | None = None
    language: str | None = None
    """None: the unweighted mean over languages."""
    subset: str | None = None
    layer: int | None = None
    setting: str | None = None
    """What varies inside one run, `k=v` sorted and joined by `;`."""
    value: float | None
    ci_low: float | None = None
    ci_high: float | None = None
    """The 95 % interval."""
    se: float | None = None
    sd: float | None = None
    """Sample standard deviation (n-1) over seeds."""
    n: int
    n_units: int | None = None
    unit: str | None = None
    interval: str | None = None
    """How the interval was made: wilson, bootstrap, fisher_z."""
    coverage: float | None = None
    """Share of the asked cases with a valid answer."""
    baselines: Mapping[str, float | None] = Field(default_factory=dict)
    reason: str | None = None
    """Why the value is None."""
    _sample: Sample | None = PrivateAttr(default=None)

    @property
    def sample(self) -> Sample | None:
        """What the value was made from: only while `recording`, and never stored."""
        return self._sample

    def made_from(self, sample: Sample | None) -> Self:
        """Return the score with the sample behind it."""
        found = self.model_copy()
        found._sample = sample
        return found
