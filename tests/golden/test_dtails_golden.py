"""Numbers recomputed from the released files of Barua et al. 2024 (DTAiLS)."""

from statistics import fmean

import pytest

from benchmarks.benchmark import Case, Selection
from benchmarks.catalog import open_benchmark
from benchmarks.dtails.check import report
from benchmarks.dtails.data import TRAIN, language_folder, read_rows, words_path
from benchmarks.dtails.entropy import MIN_ENTROPY, entropy
from benchmarks.dtails.frequency import count_labels
from benchmarks.dtails.mining import MiningSettings
from benchmarks.dtails.mining_job import MiningJob, mine_corpus, read_corpus
from benchmarks.dtails.translations import find_exact
from benchmarks.dtails.variations import share_with
from languages.lemmatisation import open_lemmatiser

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


@pytest.mark.parametrize(("language", "below_e", "below_2"), [("af", 10, 0), ("lv", 10, 1)])
def test_half_of_the_released_concepts_fall_below_the_threshold_by_ln(
    real_data, language, below_e, below_2
):
    rows = read_rows(language_folder(real_data("dtails"), language) / TRAIN)

    counts = count_labels(rows).values()

    assert sum(entropy(found.values(), "e") < MIN_ENTROPY for found in counts) == below_e
    assert sum(entropy(found.values(), "2") < MIN_ENTROPY for found in counts) == below_2


@pytest.mark.parametrize(("language", "n_concepts", "n_variations"), [("af", 8, 16), ("lv", 8, 19)])
def test_known_concepts_are_mined_again_from_the_train_pairs(
    real_data, tmp_path, language, n_concepts, n_variations
):
    folder = language_folder(real_data("dtails"), language)
    pairs = dict.fromkeys((row.source, row.target) for row in read_rows(folder / TRAIN))
    for name, side in (("source", 0), ("target", 1)):
        lines = (" ".join(pair[side].split()) + "\n" for pair in pairs)
        (tmp_path / name).write_text("".join(lines), encoding="utf-8")
    job = MiningJob(
        tmp_path / "source",
        tmp_path / "target",
        language,
        open_lemmatiser(),
        settings=MiningSettings(entropy_base="2"),
        known=words_path(real_data("dtails"), language),
    )

    known = mine_corpus(job, read_corpus(job)).report["known"]

    assert known["n_concepts_found"] >= n_concepts
    assert known["n_variations_found"] >= n_variations
