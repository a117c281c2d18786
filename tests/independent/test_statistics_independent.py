"""The statistics computed a second time, with SciPy or by brute force, and held to the code."""

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from metrics.statistics.correlation import correlation_estimate, fisher_z_interval, spearman
from metrics.statistics.intervals import bootstrap_statistic, proportion, ratio, wilson
from metrics.statistics.macro import macro_proportion
from metrics.statistics.multiplicity import benjamini_hochberg, holm
from metrics.statistics.paired import compare_means, mcnemar_exact, sign_flip
from metrics.statistics.resampling import sum_by_unit

Z = stats.norm.ppf(0.975)


def test_wilson_is_scipys():
    generator = np.random.default_rng(1)
    for n in generator.integers(1, 500, size=1_000):
        right = int(generator.integers(0, n + 1))

        low, high = wilson(right, int(n))

        wanted = stats.binomtest(right, int(n)).proportion_ci(method="wilson")
        assert (low, high) == pytest.approx((wanted.low, wanted.high), abs=1e-12)


def test_mcnemar_is_the_binomial_test():
    for only_a, only_b in product(range(35), repeat=2):
        wanted = stats.binomtest(only_a, only_a + only_b).pvalue if only_a + only_b else 1.0

        assert mcnemar_exact(only_a, only_b) == pytest.approx(wanted, abs=1e-12)


def test_adjusted_p_values_are_those_of_the_definitions():
    generator = np.random.default_rng(2)
    for _ in range(1_000):
        known = np.round(generator.random(generator.integers(1, 12)) ** 3, 2)
        given = [*known.tolist(), None] if generator.random() < 0.5 else known.tolist()

        by_holm, by_bh = holm(given), benjamini_hochberg(given)

        n = len(known)
        for place, p in enumerate(known):
            # The greatest of (n - rank) p over all tests with a p as small or smaller.
            smaller = sorted(known)[: int((known <= p).sum())]
            wanted = max((n - rank) * each for rank, each in enumerate(smaller))
            assert by_holm[place] == pytest.approx(min(1, wanted))
        assert by_bh[:n] == pytest.approx(stats.false_discovery_control(known).tolist())
        assert len(given) == n or (by_holm[n], by_bh[n]) == (None, None)


def test_spearman_with_ties_and_its_interval_are_the_books():
    generator = np.random.default_rng(3)
    for _ in range(1_000):
        n = int(generator.integers(4, 40))
        one, other = generator.integers(0, 6, size=(2, n)).astype(float)
        if np.ptp(one) == 0 or np.ptp(other) == 0:
            assert spearman(one, other) is None
            continue

        found = correlation_estimate(one.tolist(), other.tolist())

        rho = stats.spearmanr(one, other).statistic
        assert found.value == pytest.approx(rho, abs=1e-12)
        if abs(rho) < 1 - 1e-9:
            spread = math.sqrt((1 + rho**2 / 2) / (n - 3))
            wanted = [math.tanh(math.atanh(rho) + sign * Z * spread) for sign in (-1, 1)]
            assert [found.ci_low, found.ci_high] == pytest.approx(wanted, abs=1e-9)


def test_pearsons_interval_is_scipys():
    generator = np.random.default_rng(4)
    for _ in range(300):
        one, other = generator.normal(size=(2, int(generator.integers(4, 30))))
        wanted = stats.pearsonr(one, other)

        found = fisher_z_interval(wanted.statistic, len(one), of_ranks=False)

        assert found is not None
        assert found[1:] == pytest.approx(tuple(wanted.confidence_interval()), abs=1e-9)


def test_few_units_are_exchanged_in_every_way():
    """The p-value is the share of all 2^n exchanges with as large a difference of ratios."""
    generator = np.random.default_rng(5)
    for _ in range(60):
        n = int(generator.integers(2, 9))
        a, b = generator.integers(0, 5, size=(2, n, 2)).astype(float)
        a[:, 1], b[:, 1] = a[:, 1] + 1, b[:, 1] + 1

        found = sign_flip(a, b, ratio, seed=0)

        differences = []
        for swaps in product((False, True), repeat=n):
            mask = np.array(swaps)[:, None]
            one, other = np.where(mask, b, a).sum(axis=0), np.where(mask, a, b).sum(axis=0)
            differences.append(abs(other[0] / other[1] - one[0] / one[1]))
        observed = differences[0]
        assert found == pytest.approx(np.mean(np.array(differences) >= observed - 1e-12))


def test_many_units_are_exchanged_at_random():
    generator = np.random.default_rng(6)
    first, second = generator.integers(0, 2, size=(2, 200)).astype(float)
    second[:25] = 1.0
    units = [str(number) for number in range(200)]

    found = compare_means(first, second, units, ["all"] * 200, seed=1)

    wanted = stats.permutation_test(
        (first, second),
        lambda x, y, axis: (y - x).mean(axis=axis),
        permutation_type="samples",
        n_resamples=9_999,
        vectorized=True,
        rng=np.random.default_rng(7),
    )
    assert found.p_value == pytest.approx(wanted.pvalue, abs=0.015)
    only_a, only_b = int((first > second).sum()), int((second > first).sum())
    assert found.mcnemar == pytest.approx(stats.binomtest(only_a, only_a + only_b).pvalue)


def draw(generator, n_units, n_strata):
    """Return values, units and strata; units have one to five rows that lean to one side."""
    rows = []
    for unit in range(n_units):
        lean = generator.random()
        for _ in range(generator.integers(1, 6)):
            value = float(generator.random() < lean)
            rows.append((value, f"u{unit}", f"s{unit % n_strata}"))
    return [list(column) for column in zip(*rows, strict=True)]


@pytest.mark.parametrize("n_strata", [1, 3])
def test_units_are_resampled_whole_and_within_their_strata(n_strata):
    generator = np.random.default_rng(8)
    values, units, strata = draw(generator, 240, n_strata)

    found = proportion(values, units, strata, seed=3)

    members = {}
    for value, unit, stratum in zip(values, units, strata, strict=True):
        members.setdefault(stratum, {}).setdefault(unit, []).append(value)
    means = []
    for _ in range(3_000):
        drawn = []
        for by_unit in members.values():
            names = sorted(by_unit)
            for at in generator.integers(len(names), size=len(names)):
                drawn += by_unit[names[at]]
        means.append(np.mean(drawn))
    assert found.value == pytest.approx(np.mean(values))
    assert (found.n, found.n_units, found.interval) == (len(values), 240, "bootstrap")
    assert [found.ci_low, found.ci_high] == pytest.approx(
        np.percentile(means, [2.5, 97.5]).tolist(), abs=0.008
    )
    assert found.se == pytest.approx(np.std(means), rel=0.08)


def test_a_mean_over_languages_is_unweighted_and_units_are_shared():
    """The same lemmas in both languages: the errors do not average out as they would apart."""
    generator = np.random.default_rng(9)
    lemma_of = [f"u{number % 100}" for number in range(300)]
    right = [float(generator.random() < (0.2 + 0.6 * (int(u[1:]) % 2))) for u in lemma_of]
    values = [*right, *right[:150], None]
    groups = ["de"] * 300 + ["es"] * 150 + ["es"]

    found = macro_proportion(values, groups, [*lemma_of, *lemma_of[:150], "u0"], groups, seed=1)

    wanted = (np.mean(right) + np.mean(right[:150])) / 2
    assert found.value == pytest.approx(wanted)
    totals = np.zeros((100, 4))
    for number, unit in enumerate(lemma_of):
        totals[int(unit[1:])] += right[number], 1, *((right[number], 1) if number < 150 else (0, 0))
    drawn = totals[generator.integers(100, size=(5_000, 100))].sum(axis=1)
    means = (drawn[:, 0] / drawn[:, 1] + drawn[:, 2] / drawn[:, 3]) / 2
    assert found.se == pytest.approx(means.std(), rel=0.08)
    assert found.ci_low <= found.value <= found.ci_high


def test_resamples_without_a_value_are_dropped_and_counted():
    units = sum_by_unit([[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]], ["a", "b", "c"], ["all"] * 3)

    found = bootstrap_statistic(units, ratio, seed=0, n=2, n_resamples=20_000)

    assert found.value == 1.0
    assert found.n_undefined == pytest.approx(20_000 / 27, rel=0.15)  # b drawn three times
