"""A score and its estimate, put together."""

from collections.abc import Mapping

from metrics.score import Score
from metrics.statistics.intervals import Estimate


def with_estimate(score: Score, estimate: Estimate) -> Score:
    """Return the score with the estimate's value, interval, counts and sample."""
    estimated = score.model_copy(
        update={
            "value": estimate.value,
            "ci_low": estimate.ci_low,
            "ci_high": estimate.ci_high,
            "se": estimate.se,
            "n": estimate.n,
            "n_units": estimate.n_units,
            "interval": estimate.interval,
            "reason": estimate.reason,
        }
    )
    return estimated.made_from(estimate.sample)


def estimate_of_score(score: Score) -> Estimate:
    """Return what a score was estimated to be."""
    return Estimate(
        value=score.value,
        ci_low=score.ci_low,
        ci_high=score.ci_high,
        se=score.se,
        n=score.n,
        n_units=score.n_units or 0,
        interval=score.interval,
        reason=score.reason,
        sample=score.sample,
    )


def setting_text(setting: Mapping[str, str]) -> str | None:
    """Write what varies inside a run as scores spell it: `k=v`, sorted, joined by `;`."""
    return ";".join(f"{name}={setting[name]}" for name in sorted(setting)) or None
