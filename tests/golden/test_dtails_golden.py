"""Numbers recomputed from the released files of Barua et al. 2024 (DTAiLS)."""

from statistics import fmean

import pytest

from benchmarks.benchmark import Case, Selection
from benchmarks.catalog import open_benchmark
from benchmarks.dtails.check import report
from benchmarks.dtails.translations import find_exact
from benchmarks.dtails.variations import share_with

CHANCE = {"af": 0.4431, "hi": 0.4943, "ja": 0.4676, "lv": 0.4497, "ta": 0.4366}
FREQUENCY = {
    ("expert", "af"): 0.6556,
    ("expert", "hi"): 0.6552,
    ("expert", "ja"): 0.6577,
    ("expert", "lv"): 0.6413,
    ("expert", "ta"): 0.7164,
    ("train", "af"): 0.6500,
    ("train", "lv"): 0.6033,
    ("train+expert", "af"): 0.6500,
    ("train+expert", "lv"): 0.6033,
}
REFERENCE_EXACT = {"af": 0.989, "hi": 0.979, "ja": 0.940, "lv": 0.946, "ta": 0.873}


def items_of(folder, language, **settings):
    benchmark = open_benchmark("dtails", settings)
    return benchmark, list(benchmark.items(folder, Selection((language,))))


@pytest.mark.parametrize(("counted", "language"), FREQUENCY)
def test_the_frequency_baseline(real_data, counted, language):
    benchmark, items = items_of(real_data("dtails"), language, frequency_from=counted)

    values = [
        benchmark.baseline(Case(item, "select", "seed1"), "frequency").value for item in items
    ]

    assert fmean(values) == pytest.approx(FREQUENCY[counted, language], abs=5e-5)


@pytest.mark.parametrize("language", CHANCE)
def test_uniform_chance(real_data, language):
    benchmark, items = items_of(real_data("dtails"), language)

    values = [benchmark.baseline(Case(item, "select", "seed1"), "chance").value for item in items]

    assert fmean(values) == pytest.approx(CHANCE[language], abs=5e-5)


@pytest.mark.parametrize("language", REFERENCE_EXACT)
def test_the_exact_step_on_reference_translations(real_data, language):
    _, items = items_of(real_data("dtails"), language)

    values = [
        share_with(
            find_exact(item.fields["target"].lower(), item.fields["variations"]),
            item.fields["label"],
        )
        for item in items
    ]

    assert fmean(values) == pytest.approx(REFERENCE_EXACT[language], abs=5e-4)


def test_the_released_counts_and_no_error(real_data):
    found = report(real_data("dtails"), tuple(CHANCE))

    observed = {c.language: c.observed for c in found.counts if c.split == "expert"}
    assert observed == {"af": 180, "hi": 145, "ja": 149, "lv": 184, "ta": 134}
    assert all(c.expected in {None, c.observed} for c in found.counts)
    assert not [finding for finding in found.findings if finding.level == "error"]
