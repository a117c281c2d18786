"""Split halves against a plain loop and the released annotations; where annotators differ."""

import json
import random
import time
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from benchmarks.semrel.bws import Annotation, pair_key, pair_scores, read_bws
from benchmarks.semrel.data import read_pairs
from benchmarks.semrel.tuples import propose_tuples
from metrics.bws import (
    bws_report,
    pair_disagreements,
    split_half_reliability,
    tuple_disagreements,
)
from metrics.statistics.correlation import spearman

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/semrel_bws.json").read_text())
A, B, C, D = ((name, name) for name in "abcd")


def annotate(n_pairs: int, n_annotators: int, noise: float, seed: int) -> list[Annotation]:
    """Let annotators order pairs by their number, with some noise."""
    rng = random.Random(seed)
    found = []
    for members in propose_tuples(n_pairs, seed):
        for _ in range(n_annotators):
            ranked = sorted(members, key=lambda member: member + rng.gauss(0, noise))
            keys = tuple((f"{member}", "") for member in members)
            found.append(Annotation(keys, (f"{ranked[3]}", ""), (f"{ranked[0]}", "")))
    return found


def split_once(annotations, rng):
    by_tuple = defaultdict(list)
    for annotation in annotations:
        by_tuple[annotation.tuple_key].append(annotation)
    halves = ([], [])
    for members in by_tuple.values():
        if len(members) < 2:
            continue
        members = rng.sample(members, len(members))
        cut = len(members) // 2 + (rng.random() < 0.5 if len(members) % 2 else 0)
        halves[0].extend(members[:cut])
        halves[1].extend(members[cut:])
    one, other = pair_scores(halves[0]), pair_scores(halves[1])
    both = [key for key in one if key in other]
    return spearman([one[key] for key in both], [other[key] for key in both])


@pytest.mark.parametrize("n_annotators", [2, 3])
def test_the_reliability_is_that_of_a_plain_loop(n_annotators):
    annotations = annotate(40, n_annotators, noise=12, seed=1)
    annotations.append(Annotation((A, B, C, D), A, D))
    rng = random.Random(2)

    naive = [split_once(annotations, rng) for _ in range(300)]

    found = split_half_reliability(annotations, seed=0, n_repetitions=600)
    assert found == pytest.approx(sum(naive) / len(naive), abs=0.012)


def test_annotators_who_always_agree_are_perfectly_reliable():
    annotations = annotate(40, 2, noise=0, seed=1)

    assert split_half_reliability(annotations, seed=0, n_repetitions=20) == pytest.approx(1.0)


def test_annotators_who_guess_are_not_reliable():
    annotations = annotate(120, 4, noise=1e9, seed=1)

    assert abs(split_half_reliability(annotations, seed=0, n_repetitions=200)) < 0.2


def test_tuples_with_one_annotation_alone_have_no_reliability():
    assert split_half_reliability([Annotation((A, B, C, D), A, D)], seed=0) is None
    assert split_half_reliability([], seed=0) is None


def test_the_same_seed_gives_the_same_reliability_in_any_order():
    annotations = annotate(30, 3, noise=8, seed=1)
    shuffled = random.Random(0).sample(annotations, len(annotations))

    one = split_half_reliability(annotations, seed=4, n_repetitions=50)

    assert one == split_half_reliability(annotations, seed=4, n_repetitions=50)
    assert one == split_half_reliability(shuffled, seed=4, n_repetitions=50)


@pytest.mark.parametrize("name", sorted(GOLDEN["reliability"]))
def test_the_reliability_of_the_released_annotations_is_found_again(real_data, name):
    file = read_bws(real_data("semrel") / "BWS" / name)

    found = split_half_reliability(file.annotations, seed=0, n_repetitions=100)

    assert found == pytest.approx(GOLDEN["reliability"][name], abs=0.004)


def released_scores(folder, *files):
    pairs = (pair for file in files for pair in read_pairs(folder / file))
    return {pair_key((pair.text_a, pair.text_b)): pair.gold for pair in pairs}


def test_the_hindi_scores_are_the_released_ones_exactly(real_data):
    folder = real_data("semrel")
    report = bws_report(folder / "BWS/hi_dev.csv")
    gold = released_scores(folder, "Track B/hin/hin_dev_with_labels.csv")

    counted = {pair_key(tuple(key.split("\n"))): value for key, value in report["scores"].items()}
    both = [key for key in counted if key in gold]
    n_exact = sum(counted[key] == gold[key] for key in both)

    assert [n_exact, len(both)] == GOLDEN["hindi_exact"]
    assert (report["n_pairs"], report["n_dropped"]) == (300, 0)


def test_the_arabic_scores_rank_as_the_released_ones(real_data):
    folder = real_data("semrel")
    counted = pair_scores(read_bws(folder / "BWS/arb_bws.csv").annotations)
    gold = released_scores(
        folder, "Track B/arb/arb_dev_with_labels.csv", "Track B/arb/arb_test_with_labels.csv"
    )

    both = [key for key in counted if key in gold]

    found = spearman([counted[key] for key in both], [gold[key] for key in both])
    assert found == pytest.approx(GOLDEN["arabic_spearman"], abs=5e-5)


def test_a_thousand_repetitions_over_2400_annotations_are_fast():
    annotations = annotate(300, 4, noise=50, seed=1)
    assert len(annotations) == 2400

    start = time.process_time()
    split_half_reliability(annotations, seed=0)

    assert time.process_time() - start < 5


def test_the_disagreement_of_a_tuple_is_the_hand_worked_share():
    rows = [Annotation((A, B, C, D), A, D), Annotation((B, A, C, D), A, D)]
    rows += [Annotation((A, B, C, D), B, D), Annotation((A, B, C, D), A, C)]

    (found,) = tuple_disagreements(rows).values()

    # bests a a b a: 3 of 6 annotator pairs differ; worsts d d d c: 3 of 6
    assert (found.n, found.best, found.worst) == (4, 0.5, 0.5)


def test_the_disagreement_on_a_pair_counts_verdicts_on_it_alone():
    rows = [Annotation((A, B, C, D), A, D), Annotation((A, B, C, D), B, D)]
    rows += [Annotation((A, B, C, ("e", "e")), A, C)]

    found = pair_disagreements(rows)

    assert (found[A].n, found[A].best, found[A].worst) == (3, 1.0, 0.0)
    assert (found[C].best, found[C].worst) == (0.0, 0.0)
    assert found[("e", "e")].best is None


@pytest.mark.parametrize("n_pairs", [4, 5, 10, 41, 200])
def test_every_pair_stands_in_eight_of_two_n_tuples(n_pairs):
    tuples = propose_tuples(n_pairs, seed=3)

    assert len(tuples) == 2 * n_pairs
    assert all(len(set(members)) == 4 for members in tuples)
    assert set(Counter(member for members in tuples for member in members).values()) == {8}
