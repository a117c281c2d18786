"""What is the mean over languages? Unweighted means of estimates, with one joint interval."""

import math
from array import array
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from metrics.statistics.intervals import (
    N_RESAMPLES,
    Estimate,
    Z,
    bootstrap_statistic,
    undefined,
    widened,
)
from metrics.statistics.recording import averaged, is_recording
from metrics.statistics.resampling import UnitTotals, number_units


def macro_proportion(
    values: Sequence[float | None],
    groups: Sequence[str],
    units: Sequence[str],
    strata: Sequence[str],
    seed: int,
    n_resamples: int = N_RESAMPLES,
) -> Estimate:
    """Estimate the unweighted mean over groups (languages) of each group's mean, jointly resampled.

    Args:
        values: One a row; None where the row is unscored.
        groups: One a row. Where a group has no scored row at all, the mean over groups is None.
        units: One a row; a unit may span groups, then it is drawn for all of them at once.
        strata: One a row; should tell the groups apart.
        seed: Where resampling starts.
        n_resamples: How many.
    """
    names = sorted(set(groups))
    column_by_group = {name: index for index, name in enumerate(names)}
    scored = array("q", (index for index, value in enumerate(values) if value is not None))
    missing = sorted(set(names) - {groups[index] for index in scored})
    if missing or not names:
        return undefined(f"no scored item in {', '.join(missing)}" if missing else "no scored item")
    # Two columns a group, summed by unit as they are read: of a million rows, a table of all
    # columns would be the largest thing in memory.
    numbers, unit_names, unit_strata = number_units(
        [units[index] for index in scored], [strata[index] for index in scored]
    )
    sums = np.zeros((len(unit_names), 2 * len(names)))
    at = np.fromiter((2 * column_by_group[groups[index]] for index in scored), np.intp, len(scored))
    known = np.fromiter((values[index] for index in scored), np.float64, len(scored))
    np.add.at(sums, (numbers, at), known)
    np.add.at(sums, (numbers, at + 1), 1.0)
    totals = UnitTotals(sums, unit_strata, unit_names)
    estimate = bootstrap_statistic(
        totals, _mean_of_ratios, seed, n=len(scored), n_resamples=n_resamples
    )
    return widened(estimate)


def _mean_of_ratios(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray((sums[:, 0::2] / sums[:, 1::2]).mean(axis=1))


def mean_of_independent(estimates: Mapping[str, Estimate]) -> Estimate:
    """Return the unweighted mean of estimates from independent samples (languages).

    The interval is value ± z·se with se² = Σ se²/k²; None where an estimate has no standard error.
    The mean of one estimate is that estimate.

    Args:
        estimates: By group. Where one has no value, the mean has none either, and says which.
    """
    n = sum(estimate.n for estimate in estimates.values())
    n_units = sum(estimate.n_units for estimate in estimates.values())
    missing = [name for name, estimate in estimates.items() if estimate.value is None]
    if missing or not estimates:
        return undefined(f"no value for {', '.join(missing) or 'any group'}", n, n_units)
    k = len(estimates)
    if k == 1:
        return next(iter(estimates.values()))
    value = math.fsum(e.value for e in estimates.values() if e.value is not None) / k
    if is_recording():
        sample = averaged([estimate.sample for estimate in estimates.values()])
        return Estimate(value, None, None, None, n, n_units, None, None, sample=sample)
    errors = [estimate.se for estimate in estimates.values()]
    known = [se for se in errors if se is not None]
    if len(known) < k:
        why = "a group has no standard error"
        return Estimate(value, None, None, None, n, n_units, None, why)
    se = math.sqrt(math.fsum(se**2 for se in known)) / k
    return Estimate(value, value - Z * se, value + Z * se, se, n, n_units, "normal", None)
