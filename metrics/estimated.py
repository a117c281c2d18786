"""A score and its estimate, put together."""

from collections.abc import Mapping

from metrics.score import Score
from metrics.statistics.intervals import Estimate

NUMBERS = ("value", "ci_low", "ci_high", "se", "sd")
TINY = 1e-12
"""What is smaller is what rounding leaves of a zero."""


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


def without_rounding_noise(score: Score) -> Score:
    """Return the score with a plain 0 wherever arithmetic left a negative or a tiny one."""
    numbers = {name: getattr(score, name) for name in NUMBERS}
    cleaned = {name: 0.0 for name, number in numbers.items() if _is_nothing(number)}
    baselines = {
        name: 0.0 if _is_nothing(number) else number for name, number in score.baselines.items()
    }
    return score.model_copy(update={**cleaned, "baselines": baselines})


def _is_nothing(number: float | None) -> bool:
    return number is not None and abs(number) < TINY


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
