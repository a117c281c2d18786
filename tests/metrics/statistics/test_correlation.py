"""Ranks, correlations and their intervals: by hand, by identity, by simulation, against scipy."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metrics.statistics.correlation import (
    average_ranks,
    bootstrap_spearman,
    correlation_estimate,
    fisher_z_interval,
    pearson,
    spearman,
)

NUMBERS = st.lists(st.integers(-5, 5).map(float), min_size=2, max_size=30)


def test_ties_share_their_mean_rank():
    assert average_ranks([3, 1, 3, 0]).tolist() == [3.5, 2, 3.5, 1]


def test_spearman_is_the_hand_worked_value_with_ties():
    # ranks 1.5 1.5 3 and 1 2 3: deviations (-.5, -.5, 1) and (-1, 0, 1): 1.5 / sqrt(1.5 · 2)
    assert spearman([1, 1, 2], [5, 6, 9]) == pytest.approx(1.5 / math.sqrt(3))


@settings(deadline=None)
@given(st.data())
def test_correlations_agree_with_scipy(data):
    one = data.draw(NUMBERS)
    other = data.draw(st.lists(NUMBERS.map(lambda xs: xs[0]), min_size=len(one), max_size=len(one)))

    if len(set(one)) == 1 or len(set(other)) == 1:
        assert spearman(one, other) is None
        assert pearson(one, other) is None
    else:
        assert spearman(one, other) == pytest.approx(stats.spearmanr(one, other).statistic)
        assert pearson(one, other) == pytest.approx(stats.pearsonr(one, other).statistic)


def test_a_monotone_change_of_scale_keeps_the_rank_correlation():
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=50), rng.normal(size=50)

    assert spearman(np.exp(one), other) == pytest.approx(spearman(one, other))
    assert spearman(-one, other) == pytest.approx(-spearman(one, other))
    assert spearman(one * 1e-200, other * 1e200) == pytest.approx(spearman(one, other))


def test_the_interval_is_the_hand_worked_one():
    se, low, high = fisher_z_interval(0.5, 103, of_ranks=True)

    # atanh .5 = .549306; sqrt(1.125/100) = .106066; ± .207885
    assert low == pytest.approx(math.tanh(0.341421), abs=1e-5)
    assert high == pytest.approx(math.tanh(0.757191), abs=1e-5)
    assert se == pytest.approx(0.75 * 0.106066, abs=1e-6)
    assert fisher_z_interval(0.5, 103, of_ranks=False)[0] == pytest.approx(0.075)


@pytest.mark.parametrize(("value", "n"), [(0.5, 3), (1.0, 50), (-1.0, 50)])
def test_where_the_interval_is_undefined_there_is_none(value, n):
    assert fisher_z_interval(value, n, of_ranks=True) is None


@pytest.mark.parametrize(
    ("predictions", "golds", "reason"),
    [
        ([1, 1, 1], [1, 2, 3], "all 3 predictions are equal"),
        ([1, 2, 3], [1, 1, 1], "all 3 gold scores are equal"),
        ([1], [1], "1 scored pairs; a correlation needs two"),
        ([], [], "0 scored pairs; a correlation needs two"),
    ],
)
def test_an_undefined_correlation_says_why(predictions, golds, reason):
    found = correlation_estimate(predictions, golds)

    assert found.value is None
    assert found.reason == reason


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_number_that_is_not_finite_is_refused(bad):
    with pytest.raises(ValueError, match="finite"):
        spearman([1, bad], [1, 2])


def test_unequal_lengths_are_refused():
    with pytest.raises(ValueError, match="2 values against 1"):
        pearson([1, 2], [1])


def test_the_bootstrap_interval_is_close_to_fisher_z():
    rng = np.random.default_rng(1)
    one = rng.normal(size=400)
    other = one + rng.normal(size=400)

    z, drawn = correlation_estimate(one, other), bootstrap_spearman(one, other, seed=0)

    assert drawn.interval == "bootstrap"
    assert drawn.value == z.value
    assert (drawn.ci_low, drawn.ci_high) == pytest.approx((z.ci_low, z.ci_high), abs=0.02)
    assert drawn.se == pytest.approx(z.se, rel=0.15)


def test_constant_resamples_are_dropped_and_counted():
    found = bootstrap_spearman([0, 0, 1], [1, 2, 3], seed=0, n_resamples=600)

    # a resample without the third pair (8/27) or of nothing else (1/27) is constant
    assert found.n_undefined / 600 == pytest.approx(1 / 3, abs=0.06)
    assert bootstrap_spearman([1, 1], [1, 2], seed=0).value is None


@pytest.mark.parametrize("rho", [0.0, 0.7])
def test_nineteen_in_twenty_intervals_hold_the_true_rank_correlation(rho):
    truth = 6 / math.pi * math.asin(rho / 2)  # of a bivariate normal
    n_held = 0
    for run in range(1500):
        rng = np.random.default_rng(run)
        one = rng.normal(size=80)
        other = rho * one + math.sqrt(1 - rho**2) * rng.normal(size=80)
        found = correlation_estimate(one, other)
        n_held += found.ci_low <= truth <= found.ci_high

    assert 0.93 <= n_held / 1500 <= 0.97
