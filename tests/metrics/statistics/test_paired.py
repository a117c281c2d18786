"""Paired tests by hand, against scipy and plain loops, and how often they err."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metrics.statistics.intervals import ratio
from metrics.statistics.multiplicity import benjamini_hochberg, holm
from metrics.statistics.paired import (
    compare_means,
    compare_statistic,
    mcnemar_exact,
    minimum_detectable,
    sign_flip,
)
from metrics.statistics.paired_correlation import compare_spearman
from metrics.statistics.resampling import sum_by_unit


def compare(a, b, units=None, seed=0):
    names = units or [f"u{number}" for number in range(len(a))]
    return compare_means(a, b, names, ["s"] * len(a), seed)


def test_mcnemar_is_the_hand_worked_binomial():
    # 1 against 5: 2·(1 + 6)/64
    assert mcnemar_exact(1, 5) == pytest.approx(14 / 64)
    assert mcnemar_exact(0, 0) == 1.0
    assert mcnemar_exact(3, 3) == 1.0


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_agrees_with_scipy(one, other):
    if one + other:
        expected = stats.binomtest(one, one + other).pvalue
        assert mcnemar_exact(one, other) == pytest.approx(expected, rel=1e-9)


def test_a_few_units_are_exchanged_in_every_way():
    # differences 1, 1, 1: only all three one way or all the other are as large: 2 of 8
    found = compare([0, 0, 0], [1, 1, 1])

    assert found.p_value == pytest.approx(2 / 8)
    assert found.difference.value == 1.0


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=8))
def test_exact_exchanges_are_those_of_a_plain_loop(rows):
    differences = [b - a for a, b in rows]
    flipped = [
        abs(sum(sign * d for sign, d in zip(signs, differences, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(rows))
    ]
    expected = sum(value >= abs(sum(differences)) for value in flipped) / len(flipped)

    found = compare([float(a) for a, _ in rows], [float(b) for _, b in rows])

    assert found.p_value == pytest.approx(expected)


def test_drawn_exchanges_agree_with_scipy():
    rng = np.random.default_rng(5)
    a = rng.normal(size=60)
    b = a + rng.normal(0.25, 1, size=60)

    found = compare(a.tolist(), b.tolist())

    expected = stats.permutation_test(
        (a, b), lambda x, y: np.mean(y - x), permutation_type="samples", n_resamples=9999, rng=1
    ).pvalue
    assert found.p_value == pytest.approx(expected, abs=0.02)


def test_exchanging_the_systems_changes_the_sign_and_nothing_else():
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 2, (2, 90)).astype(float).tolist()
    units = [f"u{number // 3}" for number in range(90)]

    one, other = compare(a, b, units), compare(b, a, units)

    assert one.difference.value == -other.difference.value
    assert one.p_value == pytest.approx(other.p_value, abs=0.02)
    assert one.difference.ci_low == pytest.approx(-other.difference.ci_high, abs=0.02)


def test_the_same_answers_differ_by_nothing():
    found = compare([1, 0, 1, 1], [1, 0, 1, 1])

    assert (found.difference.value, found.p_value, found.mcnemar) == (0, 1, 1)
    assert (found.difference.ci_low, found.difference.ci_high) == (0, 0)


def test_mcnemar_stands_beside_only_where_items_are_independent():
    units = ["u0", "u0", "u1", "u1"]

    assert compare([1, 0, 1, 1], [0, 0, 1, 0]).mcnemar == mcnemar_exact(2, 0)
    assert compare([1, 0, 1, 1], [0, 0, 1, 0], units).mcnemar is None
    assert compare([0.5, 0, 1, 1], [0, 0, 1, 0]).mcnemar is None


def test_rows_of_a_unit_are_exchanged_together():
    # one unit with ten rows that all differ is one observation
    found = compare([0] * 10 + [1], [1] * 10 + [1], ["u"] * 10 + ["v"])

    assert found.p_value == 1.0


def test_a_derived_score_is_compared_by_its_own_statistic():
    rng = np.random.default_rng(2)
    units = [f"u{number}" for number in range(80)]
    rows = rng.integers(0, 2, (80, 2)).astype(float)
    a = sum_by_unit(np.column_stack([rows[:, 0], np.ones(80)]), units, ["s"] * 80)
    b = sum_by_unit(np.column_stack([rows[:, 1], np.ones(80)]), units, ["s"] * 80)

    def squared(sums):
        return ratio(sums) ** 2

    found = compare_statistic(a, b, squared, 0, n=80)

    mean_a, mean_b = rows.mean(axis=0)
    assert found.difference.value == pytest.approx(mean_b**2 - mean_a**2)
    assert found.difference.ci_low < found.difference.value < found.difference.ci_high
    assert found.p_value == pytest.approx(sign_flip(a.totals, b.totals, ratio, 0), abs=0.03)


def test_an_undefined_difference_has_no_test():
    a = sum_by_unit([[0, 0]], ["u"], ["s"])

    found = compare_statistic(a, a, ratio, 0, n=1)

    assert found.difference.value is None
    assert found.p_value is None


def test_other_items_are_refused():
    a = sum_by_unit([[0, 1]], ["u"], ["s"])
    b = sum_by_unit([[0, 1]], ["u"], ["t"])

    with pytest.raises(ValueError, match="not the same items"):
        compare_statistic(a, b, ratio, 0, n=1)
    with pytest.raises(ValueError, match="2 values of A, 1 of B"):
        compare_means([1, 0], [1], ["u", "v"], ["s", "s"], 0)
    with pytest.raises(ValueError, match="finite"):
        compare([math.nan], [1])


def test_the_detectable_difference_is_the_hand_worked_one():
    # z(.975) + z(.8) = 1.959964 + .841621
    assert minimum_detectable(0.01) == pytest.approx(0.02801585, abs=1e-7)


def test_a_difference_of_that_size_is_found_four_times_in_five():
    n_found = 0
    for run in range(300):
        rng = np.random.default_rng(run)
        differences = rng.normal(minimum_detectable(1 / math.sqrt(60)), 1, size=60)
        totals = differences[:, None]
        p_value = sign_flip(np.zeros((60, 1)), totals, lambda sums: sums[:, 0], run, 400)
        n_found += p_value <= 0.05

    assert 0.72 <= n_found / 300 <= 0.88


def test_equal_systems_are_told_apart_once_in_twenty():
    n_found = 0
    for run in range(400):
        rng = np.random.default_rng(run)
        share = rng.beta(2, 2, size=(40, 1))
        a, b = (rng.random((2, 40, 5)) < share).sum(axis=2).astype(float)
        p_value = sign_flip(a[:, None], b[:, None], lambda sums: sums[:, 0], run, 400)
        n_found += p_value <= 0.05

    assert n_found / 400 <= 0.08


def test_a_better_ranking_is_found_better():
    rng = np.random.default_rng(0)
    golds = rng.random(120)
    a, b = golds + rng.normal(0, 1, 120), 100 * (golds + rng.normal(0, 0.2, 120))

    found = compare_spearman(a, b, golds, seed=0, n_resamples=300)

    assert found.difference.value == pytest.approx(
        stats.spearmanr(b, golds).statistic - stats.spearmanr(a, golds).statistic
    )
    assert found.difference.ci_low > 0
    assert found.p_value == pytest.approx(1 / 301)


def test_a_ranking_compared_with_itself_on_another_scale_does_not_differ():
    golds = np.arange(20.0)

    found = compare_spearman(golds % 7, 5 * (golds % 7) + 1, golds, seed=0, n_resamples=50)

    assert found.difference.value == 0
    assert found.p_value == 1.0
    assert compare_spearman([1, 1], [1, 2], [1, 2], seed=0).difference.value is None


def test_holm_and_benjamini_hochberg_are_hand_worked():
    p_values = [0.01, None, 0.04, 0.03]

    # rising .01 .03 .04: Holm .03, .06, max(.06, .04); BH .03, min(.045, .04), .04
    assert holm(p_values) == [pytest.approx(0.03), None, pytest.approx(0.06), pytest.approx(0.06)]
    assert benjamini_hochberg(p_values) == [
        pytest.approx(0.03), None, pytest.approx(0.04), pytest.approx(0.04),
    ]  # fmt: skip
    assert holm([]) == benjamini_hochberg([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_adjusted_p_values_agree_with_scipy_and_a_plain_loop(p_values):
    expected = stats.false_discovery_control(p_values)

    assert benjamini_hochberg(p_values) == pytest.approx(expected.tolist())
    n, highest, naive = len(p_values), 0.0, {}
    for rank, place in enumerate(sorted(range(n), key=lambda place: p_values[place])):
        highest = max(highest, min(1.0, (n - rank) * p_values[place]))
        naive[place] = highest
    assert holm(p_values) == pytest.approx([naive[place] for place in range(n)])


@pytest.mark.parametrize("bad", [1.5, -0.1, math.nan])
def test_what_is_no_p_value_is_refused(bad):
    with pytest.raises(ValueError, match="not in"):
        holm([0.5, bad])
