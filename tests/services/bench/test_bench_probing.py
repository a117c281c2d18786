import numpy as np
import pytest

from benchmarks.errors import DataError
from services.bench.activations import probe_sets
from services.bench.machine import bench_facts, n_cores
from services.bench.pairs import generated_items, sentences_of
from services.bench.probing import measure

N_LAYERS, WIDTH = 4, 48


def states_of(sentences):
    """Make states: the first layer the same for all, the last with one great dimension."""
    generator = np.random.default_rng(0)
    states = generator.normal(size=(len(sentences), N_LAYERS, WIDTH)).astype(np.float32)
    states[:, 0] = 1.0
    states[:, -1, 0] *= 200
    return dict(zip(sentences, states, strict=True))


@pytest.fixture(scope="module")
def measured():
    items = generated_items(60, seed=0)
    sets = probe_sets(items, states_of(sentences_of(items)))
    return measure(sets, budget_s=60.0, n_cores=1)


def test_no_decision_differs_from_scikit_learn_at_a_small_tolerance(measured):
    assert measured["n_flips_vs_exact"] == 0
    # 60 pairs, 2 kinds of folds, 2 sets of labels
    assert measured["n_decisions"] == measured["n_layers_timed"] * 120 * 4
    assert measured["n_ties"] < measured["n_decisions"] / 2


def test_rates_and_ratios_fit_together(measured):
    for peer in measured["peers"].values():
        assert peer["ratio"] == pytest.approx(measured["fits_per_s"] / peer["fits_per_s"])
    together = measured["all_cores"]
    peer = together["peers"]["sklearn_lbfgs"]
    assert peer["ratio"] == pytest.approx(together["fits_per_s"] / peer["fits_per_s"])
    assert together["n_fits"] == 3 * 20


def test_a_budget_of_nothing_still_times_one_layer():
    items = generated_items(20, seed=0)
    sets = probe_sets(items, states_of(sentences_of(items)))

    assert measure(sets, budget_s=0.0, n_cores=1)["n_layers_timed"] == 1


def test_pairs_whose_states_did_not_come_in_time_are_left_out():
    items = generated_items(20, seed=0)
    states = states_of(sentences_of(items))
    del states[items[3].fields["sentences"][1]]

    (of_probe,) = probe_sets(items, states)

    assert items[3].id not in {case.item.id for case in of_probe.cases}
    assert len(of_probe.cases) in range(15, 20)


def test_generated_pairs_are_the_same_for_one_seed_and_never_identical():
    items = generated_items(300, seed=1)

    assert items == generated_items(300, seed=1)
    assert all(len(set(item.fields["sentences"])) == 2 for item in items)
    assert len({item.fields["sentences"][0] for item in items}) == 300


def test_more_pairs_than_there_are_is_refused():
    with pytest.raises(DataError, match="more than there are"):
        generated_items(100_000, seed=0)


def test_the_machine_and_the_commit_are_told():
    facts = bench_facts("numpy")

    assert f"{n_cores()} cores" in facts["machine"]
    assert facts["versions"]["numpy"] == np.__version__
    assert facts["commit"]
