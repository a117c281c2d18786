"""Means over languages."""

import pytest

from metrics.statistics.macro import macro_proportion


def test_a_mean_of_nothing_but_zeros_is_not_certain():
    units = [f"u{number}" for number in range(8)]

    estimate = macro_proportion([0.0] * 8, ["de", "es"] * 4, units, ["de", "es"] * 4, seed=0)

    # Wilson for 0 of 8: the upper end is z² / (n + z²) = 3.8415 / 11.8415.
    assert (estimate.value, estimate.ci_low) == (0.0, 0.0)
    assert estimate.ci_high == pytest.approx(0.3244, abs=1e-4)
