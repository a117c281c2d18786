"""How often do the paired test and interval err, when what is true is known?"""

import numpy as np
import pytest
from scipy import stats

from metrics.statistics.draws import comparison_of, mean_of_draws
from metrics.statistics.intervals import ratio
from metrics.statistics.paired_correlation import ranked_draws, weighted_ranks
from metrics.statistics.paired_samples import OF_A, OF_B, Drawer, PairedSums, split_units
from metrics.statistics.recording import Averaged, Ranked, Summed
from metrics.statistics.resampling import sum_by_unit

N_FAST, N_SLOW = 150, 1_200


def paired_sums(generator, n_units, shift=0.0, n=400):
    """Two systems with shares that differ by `shift`, on units of one to six items each."""
    sizes = generator.integers(1, 7, size=n_units)
    hardness = generator.beta(2, 2, size=n_units) * (1 - shift)
    a, b = generator.binomial(sizes, hardness), generator.binomial(sizes, hardness + shift)
    units = [f"u{number}" for number in range(n_units)]
    strata = [f"s{number % 2}" for number in range(n_units)]
    totals = [sum_by_unit(np.column_stack([x, sizes]), units, strata) for x in (a, b)]
    return PairedSums(*totals, int(generator.integers(2**31)), n)


def share_found(n_times, n_units):
    found = 0
    for time in range(n_times):
        draws = paired_sums(np.random.default_rng(time), n_units).draws(ratio)
        found += comparison_of(draws, 0).p_value <= 0.05
    return found / n_times


def share_covered(n_times, n_units, shift):
    covered = 0
    for time in range(n_times):
        generator = np.random.default_rng(10_000 + time)
        found = comparison_of(paired_sums(generator, n_units, shift).draws(ratio), 0).difference
        covered += found.ci_low <= shift <= found.ci_high
    return covered / n_times


def test_equal_systems_are_told_apart_about_once_in_twenty():
    # Within four standard errors of .05: 4·sqrt(.05·.95/150) = .071
    assert share_found(N_FAST, 40) <= 0.05 + 0.071


def test_intervals_of_a_difference_hold_it_about_nineteen_times_in_twenty():
    assert share_covered(N_FAST, 40, 0.1) >= 0.95 - 0.071


@pytest.mark.slow
@pytest.mark.parametrize(("n_units", "least"), [(12, 0.005), (30, 0.025), (100, 0.025)])
def test_the_type_one_error_is_that_of_the_level(n_units, least):
    # 4·sqrt(.05·.95/1200) = .025; few units tie in many assignments, which errs to the safe side
    assert least <= share_found(N_SLOW, n_units) <= 0.075


@pytest.mark.slow
@pytest.mark.parametrize("n_units", [30, 100])
def test_intervals_cover_a_difference_as_often_as_they_say(n_units):
    assert 0.93 <= share_covered(N_SLOW, n_units, 0.1) <= 0.97


@pytest.mark.slow
def test_rank_correlations_of_equal_systems_are_told_apart_once_in_twenty():
    n_found = 0
    for time in range(400):
        generator = np.random.default_rng(time)
        golds = generator.random(60)
        a, b = (golds + generator.normal(0, 0.4, 60) for _ in range(2))
        draws = ranked_draws(a, b, golds, time, 300)
        n_found += comparison_of(draws, 60).p_value <= 0.05

    assert 0.01 <= n_found / 400 <= 0.095


def test_the_interval_agrees_with_scipys_paired_bootstrap():
    generator = np.random.default_rng(4)
    a, b = generator.integers(0, 2, (2, 200)).astype(float)
    units = [f"u{number:03}" for number in range(200)]
    totals = [sum_by_unit(np.column_stack([x, np.ones(200)]), units, ["s"] * 200) for x in (a, b)]

    found = comparison_of(PairedSums(*totals, 0, 9_999).draws(ratio), 200).difference

    expected = stats.bootstrap(
        (a, b), lambda x, y: y.mean() - x.mean(), paired=True, vectorized=False, rng=1,
        n_resamples=3_000, method="percentile",
    ).confidence_interval  # fmt: skip
    assert found.ci_low == pytest.approx(expected.low, abs=0.015)
    assert found.ci_high == pytest.approx(expected.high, abs=0.015)


def test_ranks_with_weights_are_those_of_repeated_values():
    values = np.array([3.0, 1.0, 3.0, 2.0])
    weights = np.array([[2.0, 1.0, 0.0, 3.0]])

    ranks = weighted_ranks(values, weights)[0]

    # 3, 3, 1, 2, 2, 2 in rising order: 1 · 2, 2, 2 · 3, 3
    assert ranks[[0, 1, 3]].tolist() == [5.5, 1.0, 3.0]


def test_the_rank_interval_agrees_with_a_plain_loop():
    generator = np.random.default_rng(8)
    golds = generator.integers(0, 9, 50).astype(float)
    a, b = golds + generator.normal(0, 4, 50), golds + generator.normal(0, 2, 50)

    found = comparison_of(ranked_draws(a, b, golds, 0, 2_000), 50).difference

    loop = []
    for _ in range(1_500):
        at = generator.integers(50, size=50)
        rho = [stats.spearmanr(x[at], golds[at]).statistic for x in (a, b)]
        loop.append(rho[1] - rho[0])
    assert found.se == pytest.approx(np.std(loop), rel=0.1)


def test_what_no_resample_varies_is_not_called_certain():
    # nobody differs on 10 units: what was seen in none has a share of at most Wilson's upper end
    units = [f"u{number}" for number in range(10)]
    totals = sum_by_unit(np.ones((10, 2)), units, ["s"] * 10)

    found = comparison_of(PairedSums(totals, totals, 0, 100).draws(ratio), 10)

    assert (found.difference.ci_low, found.difference.ci_high) == pytest.approx(
        (-0.27754, 0.27754), abs=1e-4
    )
    assert found.minimum_detectable > 0.2


def test_a_difference_that_no_resample_varies_stays_in_its_range():
    units = [f"u{number}" for number in range(10)]
    a, b = (
        sum_by_unit(np.column_stack([np.full(10, value), np.ones(10)]), units, ["s"] * 10)
        for value in (0.0, 1.0)
    )

    found = comparison_of(PairedSums(a, b, 0, 100).draws(ratio), 10).difference

    assert (found.ci_low, found.ci_high) == pytest.approx((1 - 0.27754, 1.0), abs=1e-4)


def test_a_unit_that_one_side_lacks_has_zeros_there():
    marked = [f"w1{OF_A}", f"w2{OF_A}", f"w1{OF_B}"]
    units = sum_by_unit([[1, 1], [0, 1], [1, 2]], marked, ["s", "t", "s"])

    a, b = split_units(units)

    assert a.names == b.names == ("w1", "w2")
    assert a.strata == b.strata == ("s", "t")
    assert a.totals.tolist() == [[1, 1], [0, 1]]
    assert b.totals.tolist() == [[1, 2], [0, 0]]
    assert split_units(sum_by_unit([[1]], ["w1"], ["s"])) is None


def test_the_mean_of_independent_differences_varies_less_than_each():
    parts = [paired_sums(np.random.default_rng(n), 60, n=4_000).draws(ratio) for n in range(4)]

    whole = comparison_of(mean_of_draws(parts, 0), 0).difference

    ses = [comparison_of(part, 0).difference.se for part in parts]
    assert whole.value == pytest.approx(np.mean([part.difference for part in parts]))
    assert whole.se == pytest.approx(np.sqrt(np.sum(np.square(ses))) / 4, rel=0.06)


def test_a_mean_of_few_units_is_exchanged_by_drawing_from_every_assignment():
    units = [f"u{n}{mark}" for n in range(3) for mark in (OF_A, OF_B)]
    totals = sum_by_unit([[0, 1], [1, 1]] * 3, units, ["s"] * 6)
    part = Summed(totals, ratio, 500)
    other = Summed(sum_by_unit([[0, 1], [1, 1]] * 3, units, ["s"] * 6), ratio, 500)

    found = Drawer(0).draws(Averaged((part, other)))

    # both means are 1 apart only if each of six units falls the same way: 2 of 64
    assert comparison_of(found, 6).p_value == pytest.approx(2 / 64, abs=0.01)


def test_units_that_do_not_say_whose_they_are_cannot_be_compared():
    plain = Summed(sum_by_unit([[1, 1]], ["u"], ["s"]), ratio, 10)
    ranked = Ranked((f"u{OF_A}",), np.array([1.0]), np.array([1.0]))

    assert Drawer(0).draws(plain) is None
    assert Drawer(0).draws(ranked) is None
    assert Drawer(0).draws(Averaged((plain,))) is None
