"""Wilson by hand, clustered errors, the bootstrap against a plain loop, and what is undefined."""

import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.statistics.intervals import (
    bootstrap_statistic,
    proportion,
    ratio,
    ratio_of_totals,
    ratio_se,
    tail_of,
    wilson,
)
from metrics.statistics.macro import macro_proportion, mean_of_independent
from metrics.statistics.resampling import sum_by_unit


def test_wilson_is_the_hand_worked_interval():
    low, high = wilson(8, 10)

    # z = 1.959964, z² = 3.841459; centre .8 + .192073 = .992073;
    # half 1.959964·sqrt(.016 + .009604) = .313615; scale 1.384146
    assert low == pytest.approx(0.490162, abs=1e-6)
    assert high == pytest.approx(0.943318, abs=1e-6)


@pytest.mark.parametrize(("n_right", "bounds"), [(0, (0.0, 0.277533)), (10, (0.722467, 1.0))])
def test_wilson_of_nothing_or_all_reaches_the_end_exactly(n_right, bounds):
    # z²/(n + z²) = 3.841459/13.841459 = .277533
    assert wilson(n_right, 10) == pytest.approx(bounds, abs=1e-6)
    assert wilson(n_right, 10)[n_right // 10] == n_right // 10


def test_rows_that_are_their_own_unit_get_wilson():
    found = proportion([1, 1, 0, 1, None], list("abcde"), ["s"] * 5, seed=0)

    assert (found.value, found.n, found.n_units, found.interval) == (0.75, 4, 4, "wilson")
    assert (found.ci_low, found.ci_high) == wilson(3, 4)
    assert found.se == pytest.approx(math.sqrt(0.75 * 0.25 / 4))


def test_nothing_scored_is_none_with_a_reason_not_zero():
    found = proportion([None, None], ["a", "b"], ["s", "s"], seed=0)

    assert found.value is None
    assert found.n == 0
    assert found.reason == "no scored item"


def test_all_right_counts_units_not_rows():
    found = proportion([1.0] * 6, list("aabbcc"), ["s"] * 6, seed=0)

    assert (found.ci_low, found.ci_high) == wilson(3, 3)
    assert found.n == 6


@pytest.mark.parametrize("values", [[1.0], [0.0], [0.5], [1.0, 0.0], [1.0, 1.0], [0.0, 0.25]])
def test_one_unit_alone_has_a_value_and_no_interval(values):
    rows = (values, ["a"] * len(values), ["s"] * len(values))

    for found in (proportion(*rows, seed=0), macro_proportion(values, *rows[1:], rows[2], 0)):
        assert found.value == sum(values) / len(values)
        assert (found.ci_low, found.ci_high, found.se, found.interval) == (None,) * 4
        assert found.reason == "one unit alone gives no interval"


def test_a_value_that_is_not_a_number_is_refused():
    with pytest.raises(ValueError, match="missing is None"):
        proportion([math.nan], ["a"], ["s"], seed=0)


def test_the_clustered_error_is_the_hand_worked_one():
    totals = sum_by_unit([[1, 1], [1, 1], [0, 1], [0, 1], [1, 1]], list("aabbc"), ["s"] * 5)

    # mean 3/5; residuals a: 2-1.2=.8, b: 0-1.2=-1.2, c: 1-.6=.4; squares .64+1.44+.16 = 2.24
    # variance 3/2 · 2.24 = 3.36 ; /25 = .1344
    assert ratio_se(totals) == pytest.approx(math.sqrt(0.1344))


def test_doubling_every_row_within_its_unit_changes_nothing():
    rng = np.random.default_rng(3)
    values = rng.integers(0, 2, 60).astype(float).tolist()
    units = [f"u{number // 3}" for number in range(60)]

    once = proportion(values, units, ["s"] * 60, seed=5)
    twice = proportion(values * 2, units * 2, ["s"] * 120, seed=5)

    assert twice.n == 2 * once.n
    assert (twice.ci_low, twice.ci_high) == pytest.approx((once.ci_low, once.ci_high))
    assert twice.se == pytest.approx(once.se)


def test_the_order_of_rows_changes_nothing():
    rng = np.random.default_rng(4)
    rows = [(float(rng.integers(0, 2)), f"u{n // 4}", f"s{n // 4 % 3}") for n in range(120)]
    shuffled = [rows[index] for index in rng.permutation(120)]

    assert proportion(*zip(*rows, strict=True), seed=9) == proportion(
        *zip(*shuffled, strict=True), seed=9
    )


def test_the_bootstrap_agrees_with_a_loop_that_draws_whole_units():
    rng = np.random.default_rng(0)
    rows = [(float(rng.random() < 0.3 + 0.02 * (n // 5)), n // 5) for n in range(100)]
    found = proportion([r[0] for r in rows], [f"{r[1]}" for r in rows], ["s"] * 100, seed=1)

    groups = [[v for v, unit in rows if unit == wanted] for wanted in range(20)]
    means = []
    for _ in range(4000):
        drawn = [value for pick in rng.integers(20, size=20) for value in groups[pick]]
        means.append(sum(drawn) / len(drawn))

    # 20 units: t(19) = 2.093, ·sqrt(20/19) = 2.1474, beyond which lies .0159 of a normal
    assert found.interval == "bootstrap"
    assert (found.ci_low, found.ci_high) == pytest.approx(
        np.quantile(means, [0.0159, 0.9841]), abs=0.015
    )
    assert found.se == pytest.approx(np.std(means), rel=0.1)


@pytest.mark.parametrize(("n_units", "tail"), [(20, 0.01588), (1000, 0.0248)])
def test_few_units_get_a_wider_interval_and_many_the_plain_percentiles(n_units, tail):
    totals = sum_by_unit(np.ones((n_units, 2)), [f"u{n}" for n in range(n_units)], ["s"] * n_units)

    assert tail_of(totals) == pytest.approx(tail, abs=5e-5)


def test_strata_are_kept_whole():
    # two strata that are each constant: stratified resamples cannot vary
    values, units = [1.0] * 10 + [0.0] * 10, [f"u{n}" for n in range(20)]
    totals = sum_by_unit([[v, 1] for v in values], units, ["a"] * 10 + ["b"] * 10)

    found = bootstrap_statistic(totals, ratio, 0, n=20)

    assert (found.ci_low, found.value, found.ci_high) == (0.5, 0.5, 0.5)


def test_strata_of_one_unit_are_collapsed_and_still_vary():
    totals = sum_by_unit([[1, 1], [0, 1], [1, 1], [0, 1]], list("abcd"), list("wxyz"))

    found = bootstrap_statistic(totals, ratio, 0, n=4)

    assert found.ci_low < found.value < found.ci_high


def test_a_unit_that_spans_strata_is_drawn_whole():
    # each unit has a right row of type x and a wrong one of type y: every resample's mean is .5
    units = [f"u{n // 2}" for n in range(20)]

    found = proportion([1.0, 0.0] * 10, units, ["x", "y"] * 10, seed=0)

    assert (found.ci_low, found.ci_high) == (0.5, 0.5)
    assert found.n_units == 10


def test_undefined_resamples_are_dropped_and_counted():
    # the ratio is undefined where neither of the two rows with a denominator is drawn
    totals = sum_by_unit([[1, 1], [0, 1], [0, 0], [0, 0]], list("abcd"), ["s"] * 4)

    found = bootstrap_statistic(totals, ratio, 0, n=4, n_resamples=4000)

    # both missed in (1/2)^4 of the resamples
    assert found.n_undefined / 4000 == pytest.approx(1 / 16, abs=0.015)
    assert found.value == 0.5


def test_a_ratio_without_denominator_is_none_with_a_reason():
    found = ratio_of_totals([0, 0], [0, 0], ["a", "b"], ["s", "s"], seed=0)

    assert found.value is None
    assert found.reason == "the denominator is 0"


def test_ten_thousand_resamples_of_a_hundred_thousand_outcomes_are_fast():
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2, 100_000).astype(float).tolist()
    units = [f"u{number // 5}" for number in range(100_000)]
    strata = [f"s{number // 5 % 9}" for number in range(100_000)]

    start = time.process_time()
    proportion(values, units, strata, seed=0)

    assert time.process_time() - start < 2


def test_the_macro_mean_weighs_languages_equally():
    values, groups = [1.0] * 8 + [0.0] * 2 + [0.0, 1.0], ["x"] * 10 + ["y"] * 2

    found = macro_proportion(values, groups, [f"u{n}" for n in range(12)], groups, seed=0)

    # the mean of .8 and .5
    assert found.value == pytest.approx(0.65)
    assert found.ci_low < 0.65 < found.ci_high


def test_the_macro_mean_names_the_language_without_a_value():
    found = macro_proportion([1.0, None], ["x", "y"], ["a", "b"], ["x", "y"], seed=0)

    assert found.value is None
    assert found.reason == "no scored item in y"


def test_the_mean_of_independent_estimates_adds_their_variances():
    one = proportion([1, 0, 1, 0], list("abcd"), ["s"] * 4, seed=0)
    other = proportion([1, 1, 1, 0], list("abcd"), ["s"] * 4, seed=0)

    found = mean_of_independent({"x": one, "y": other})

    assert found.value == pytest.approx(0.625)
    assert found.se == pytest.approx(math.hypot(one.se, other.se) / 2)
    assert mean_of_independent({}).value is None


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 1.0, None]), st.integers(0, 6), st.integers(0, 2)),
        min_size=1,
        max_size=40,
    )
)
def test_an_interval_always_holds_its_value(rows):
    found = proportion(
        [r[0] for r in rows], [f"{r[1]}" for r in rows], [f"{r[2]}" for r in rows], 0, 200
    )
    scored = [r[0] for r in rows if r[0] is not None]

    if not scored:
        assert found.value is None
    else:
        assert found.value == pytest.approx(sum(scored) / len(scored))
        if found.ci_low is not None:
            assert 0 <= found.ci_low <= found.ci_high <= 1


@pytest.mark.parametrize("n_units", [15, 30, 80])
def test_nineteen_in_twenty_cluster_intervals_hold_the_truth(n_units):
    n_runs, n_rows, n_held = 400, 6, 0
    for run in range(n_runs):
        rng = np.random.default_rng(run)
        share = rng.beta(2.4, 1.6, size=n_units)  # mean .6, rows of a unit correlate
        values = (rng.random((n_units, n_rows)) < share[:, None]).astype(float).ravel().tolist()
        units = [f"u{number // n_rows}" for number in range(n_units * n_rows)]
        found = proportion(values, units, ["s"] * len(units), run, n_resamples=800)
        n_held += found.ci_low <= 0.6 <= found.ci_high

    assert 0.925 <= n_held / n_runs <= 0.975
