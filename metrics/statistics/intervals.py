"""How sure is a score? Estimates with standard error and 95 % interval over the sampling unit."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from metrics.statistics.recording import Sample, Statistic, Summed, is_recording
from metrics.statistics.resampling import (
    UnitTotals,
    group_by_stratum,
    resample_totals,
    sum_by_unit,
)

LEVEL = 0.95
Z = NormalDist().inv_cdf((1 + LEVEL) / 2)
N_RESAMPLES = 10_000
ONE_UNIT = "one unit alone gives no interval"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and how far to trust it; what is unknown is None."""

    value: float | None
    ci_low: float | None
    ci_high: float | None
    """The 95 % interval."""
    se: float | None
    n: int
    """Rows that have a value."""
    n_units: int
    """Sampling units among them."""
    interval: str | None
    """How the interval was made: wilson, bootstrap, fisher_z, normal."""
    reason: str | None
    """Why the value, or the interval, is None."""
    n_undefined: int = 0
    """Resamples in which the statistic was undefined; they are dropped."""
    sample: Sample | None = field(default=None, compare=False, repr=False)
    """What it was made from; only while `recording`."""


def unless_one_unit(estimate: Estimate) -> Estimate:
    """Take the interval from an estimate over one sampling unit; the value stays.

    However many rows the unit has, nothing tells how it differs from others.
    """
    if estimate.value is None or estimate.n_units > 1:
        return estimate
    return replace(estimate, ci_low=None, ci_high=None, se=None, interval=None, reason=ONE_UNIT)


def undefined(reason: str, n: int = 0, n_units: int = 0) -> Estimate:
    """Return an estimate without a value."""
    return Estimate(None, None, None, None, n, n_units, None, reason)


def wilson(n_right: float, n: int) -> tuple[float, float]:
    """Return the 95 % score interval of a proportion.

    Source: Wilson 1927 (J. Am. Stat. Assoc. 22), no continuity correction.
    """
    share = n_right / n
    centre = share + Z**2 / (2 * n)
    half = Z * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    scale = 1 + Z**2 / n
    low = 0.0 if share == 0 else (centre - half) / scale
    high = 1.0 if share == 1 else (centre + half) / scale
    return low, high


def proportion(
    values: Sequence[float | None],
    units: Sequence[str],
    strata: Sequence[str],
    seed: int,
    n_resamples: int = N_RESAMPLES,
) -> Estimate:
    """Estimate the mean of values in which rows of one unit depend on each other.

    Wilson's interval where every unit has one row and every value is 0 or 1; else the percentile
    bootstrap over units within strata. Where all values are 0, or all are 1, no resample varies:
    then Wilson's interval with the number of *units* as n. One unit alone has a value and no
    interval. Values of None are left out of n.

    Args:
        values: One a row; None where the row is unscored.
        units: One a row; see `sum_by_unit`.
        strata: One a row, for instance language and subset.
        seed: Where resampling starts.
        n_resamples: How many.
    """
    kept = [row for row in zip(values, units, strata, strict=True) if row[0] is not None]
    if not kept:
        return undefined("no scored item")
    column = np.array([[row[0], 1.0] for row in kept], dtype=np.float64)
    if not np.isfinite(column).all():
        raise ValueError("a value is not a finite number; what is missing is None")
    totals = sum_by_unit(column, [row[1] for row in kept], [row[2] for row in kept])
    n_right, n = float(column[:, 0].sum()), len(kept)
    if is_recording():
        return recorded(Summed(totals, ratio, n_resamples), n)
    is_binary = bool(np.isin(column[:, 0], (0.0, 1.0)).all())
    if is_binary and (totals.n_units == n or n_right in (0, n)):
        low, high = wilson(n_right / n * totals.n_units, totals.n_units)
        se = math.sqrt(n_right / n * (1 - n_right / n) / totals.n_units)
        return unless_one_unit(
            Estimate(n_right / n, low, high, se, n, totals.n_units, "wilson", None)
        )
    found = bootstrap_statistic(totals, ratio, seed, n=n, n_resamples=n_resamples)
    return found if found.se is None else replace(found, se=ratio_se(totals))


def widened(estimate: Estimate) -> Estimate:
    """Give a share of nothing but 0, or nothing but 1, Wilson's interval over its units.

    No resample of such rows varies, and an interval that is a point would claim certainty.
    """
    if estimate.value not in (0.0, 1.0) or estimate.n_units < 2:
        return estimate
    low, high = wilson(estimate.value * estimate.n_units, estimate.n_units)
    return replace(estimate, ci_low=low, ci_high=high, interval="wilson", reason=None)


def recorded(sample: Summed, n: int, reason: str = "undefined on these items") -> Estimate:
    """Return a value with the sample behind it, and no interval."""
    with np.errstate(divide="ignore", invalid="ignore"):
        sums = sample.units.totals.sum(axis=0, keepdims=True)
        value = float(sample.statistic(sums)[0])
    n_units = sample.units.n_units
    if not math.isfinite(value):
        return replace(undefined(reason, n, n_units), sample=sample)
    return Estimate(value, None, None, None, n, n_units, None, None, sample=sample)


def ratio(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return first column / second column; NaN where the second is 0."""
    return np.asarray(sums[:, 0] / sums[:, 1])


def ratio_se(units: UnitTotals) -> float:
    """Return the clustered standard error of first column / second column.

    Linearised: the residual of a unit is its sum minus ratio × its count; residuals vary within
    strata, with the factor m/(m-1) for m units.

    Source: Cochran 1977 (Sampling Techniques), sections 6.4 and 6.11; with one stratum it is the
    cluster-robust standard error of a mean (Liang & Zeger 1986, Biometrika 73).
    """
    total = units.totals.sum(axis=0)
    residuals = units.totals[:, 0] - total[0] / total[1] * units.totals[:, 1]
    variance = 0.0
    for group in group_by_stratum(units.strata):
        if len(group) > 1:
            variance += len(group) * float(residuals[group].var(ddof=1))
    return math.sqrt(variance) / float(total[1])


def tail_of(units: UnitTotals) -> float:
    """Return which share of resamples lies beyond each end of the 95 % interval.

    A resample of m units varies less than a sample of m, by the factor (m-1)/m, and its variance is
    itself a guess: Student's t with m-1 degrees of freedom instead of the normal distribution. Few
    units therefore get a wider interval (20: .016 instead of .025), many the plain percentiles.
    Of k strata, k degrees of freedom are lost.

    Source: Hesterberg 2015 (Am. Stat. 69), section 3.2, the expanded percentile interval.
    """
    free = units.n_units - len(group_by_stratum(units.strata))
    reach = math.sqrt(units.n_units / free) * float(stdtrit(free, (1 + LEVEL) / 2))
    return NormalDist().cdf(-reach)


def bootstrap_statistic(
    units: UnitTotals,
    statistic: Statistic,
    seed: int,
    *,
    n: int,
    n_resamples: int = N_RESAMPLES,
    reason: str = "undefined on these items",
) -> Estimate:
    """Estimate any function of column sums by the percentile bootstrap over units within strata.

    Percentiles are those of `tail_of`. Undefined resamples are dropped and counted. The standard
    error is the standard deviation of the resamples. With one unit in all there is a value and no
    interval.

    Args:
        units: From `sum_by_unit`.
        statistic: Vectorised over its first axis; divisions by zero may give NaN without a warning.
        seed: Where resampling starts.
        n: How many rows the totals hold.
        n_resamples: How many.
        reason: What to say where the statistic is undefined on the data themselves.

    Source: Efron & Tibshirani 1993, chapter 13.
    """
    if units.n_units == 0:
        return undefined("no scored item")
    if is_recording():
        return recorded(Summed(units, statistic, n_resamples), n, reason)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(statistic(units.totals.sum(axis=0, keepdims=True))[0])
        if not math.isfinite(value):
            return undefined(reason, n, units.n_units)
        if units.n_units == 1:
            return Estimate(value, None, None, None, n, 1, None, ONE_UNIT)
        resampled = statistic(resample_totals(units, seed, n_resamples))
    defined = resampled[np.isfinite(resampled)]
    n_undefined = n_resamples - len(defined)
    if len(defined) < 2:
        why = "undefined in every resample"
        return Estimate(value, None, None, None, n, units.n_units, None, why, n_undefined)
    tail = tail_of(units)
    low, high = np.quantile(defined, (tail, 1 - tail))
    se = float(defined.std(ddof=1))
    return Estimate(
        value, float(low), float(high), se, n, units.n_units, "bootstrap", None, n_undefined
    )


def ratio_of_totals(
    numerators: Sequence[float],
    denominators: Sequence[float],
    units: Sequence[str],
    strata: Sequence[str],
    seed: int,
) -> Estimate:
    """Estimate Σ numerators / Σ denominators; None where the denominators sum to 0.

    Args:
        numerators: One a row.
        denominators: One a row; n is the number of rows whose denominator is not 0.
        units: One a row.
        strata: One a row.
        seed: Where resampling starts.
    """
    columns = np.column_stack([np.asarray(numerators, float), np.asarray(denominators, float)])
    totals = sum_by_unit(columns, units, strata)
    n = int(np.count_nonzero(columns[:, 1]))
    return bootstrap_statistic(totals, ratio, seed, n=n, reason="the denominator is 0")
