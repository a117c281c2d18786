import math
import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from threadpoolctl import threadpool_limits

from benchmarks.xcomps import primal
from benchmarks.xcomps.dual import DualProblem, gram_matrix
from benchmarks.xcomps.folds import property_folds, sentence_folds
from benchmarks.xcomps.newton import Losses, descend
from benchmarks.xcomps.primal import DenseMatrix, PrimalProblem, SparseMatrix
from benchmarks.xcomps.probe import Probe, ProbeError
from benchmarks.xcomps.rows import merge_rows
from benchmarks.xcomps.words import word_counts


def example(n, width, seed, scale=1.0, outlier=1.0):
    """Make vectors in which one direction says a little about the label."""
    generator = np.random.default_rng(seed)
    vectors = generator.normal(size=(n, width)) * scale
    labels = np.arange(n) < n // 2
    vectors[labels, : max(1, width // 20)] += 0.5 * scale
    vectors[:, -1] *= outlier
    return vectors.astype(np.float32), labels


def reference_scores(vectors, labels, folds, c=1.0, solver="lbfgs"):
    """Decide with scikit-learn, run far past its default tolerance.

    Where the vectors are ill-conditioned, lbfgs does not arrive in any number of steps.
    """
    scores = np.empty(len(labels))
    for fold in np.unique(folds):
        tested = folds == fold
        model = LogisticRegression(C=c, tol=1e-8, max_iter=100_000, solver=solver)
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            model.fit(vectors[~tested].astype(np.float64), labels[~tested])
        scores[tested] = model.decision_function(vectors[tested].astype(np.float64))
    return scores


def decide(vectors, labels, folds, c=1.0):
    """Decide with the probe under test, by its main set of labels."""
    return Probe(merge_rows(vectors), c).decide([labels], folds)[0]


def optimum(matrix_problem):
    found = descend(matrix_problem)
    assert found is not None
    return found


def dual_problem(vectors, labels, c=1.0):
    gram = gram_matrix(vectors)
    labels = np.asarray(labels, dtype=np.float64)
    return DualProblem(gram, gram.astype(np.float32), Losses(np.ones(len(gram)), labels, c))


def primal_problem(matrix, labels, c=1.0):
    labels = np.asarray(labels, dtype=np.float64)
    return PrimalProblem(matrix, Losses(np.ones(len(labels)), labels, c))


def test_two_points_worked_by_hand():
    # x = ±1, C = 1: w = 2α·1 …: α₁ = −α₂ = a, w = 2a, b = 0 by symmetry, and a = 1 − σ(2a)
    vectors = np.array([[1.0], [-1.0]])

    by_vector = optimum(dual_problem(vectors, [1, 0]))
    by_dimension = optimum(primal_problem(DenseMatrix(vectors), [1, 0]))

    a = by_vector.weights[0]
    assert gram_matrix(vectors).tolist() == [[1.0, -1.0], [-1.0, 1.0]]
    assert a == pytest.approx(1 - 1 / (1 + math.exp(-2 * a)), abs=1e-9)
    assert by_vector.weights[1] == pytest.approx(-a)
    assert by_vector.intercept == pytest.approx(0.0, abs=1e-9)
    assert by_dimension.weights[0] == pytest.approx(2 * a, abs=1e-9)
    assert by_dimension.intercept == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    ("n", "width", "scale", "outlier", "c"),
    [
        (60, 8, 1.0, 1.0, 1.0),
        (60, 200, 1.0, 1.0, 1.0),
        (100, 300, 0.02, 1.0, 1.0),
        (60, 100, 1.0, 30.0, 1.0),
        (100, 50, 1.0, 1.0, 10.0),
    ],
)
def test_the_probe_is_the_optimum_that_scikit_learn_comes_near(n, width, scale, outlier, c):
    vectors, labels = example(n, width, seed=n + width, scale=scale, outlier=outlier)
    folds = sentence_folds(labels, 42)

    decisions = decide(vectors, labels, folds, c)

    expected = reference_scores(vectors, labels, folds, c)
    assert (decisions == (expected > 0)).all()


@pytest.mark.parametrize(("n", "width"), [(300, 20), (80, 60)])
def test_ill_conditioned_vectors_are_decided_as_by_scikit_learn(n, width):
    generator = np.random.default_rng(n)
    spread = np.logspace(3, -3, width)
    turned, _ = np.linalg.qr(generator.normal(size=(width, width)))
    vectors = (generator.normal(size=(n, width)) * spread) @ turned + 100
    labels = generator.random(n) < 0.5
    folds = sentence_folds(labels, 42)

    decisions = decide(vectors, labels, folds)

    centred = vectors - vectors.mean(axis=0)
    expected = reference_scores(centred, labels, folds, solver="newton-cholesky")
    assert (decisions == (expected > 0)).all()


def test_weights_of_vectors_and_of_dimensions_give_the_same_scores():
    vectors, labels = example(90, 60, seed=7, outlier=50.0)

    by_vector = optimum(dual_problem(vectors, labels))
    by_dimension = optimum(primal_problem(DenseMatrix(vectors), labels))

    assert np.abs(by_vector.scores - by_dimension.scores).max() < 1e-7


def test_sparse_counts_give_the_scores_of_the_same_counts_in_an_array(monkeypatch):
    counts = word_counts([f"a{i % 3} b{i % 5} c{i % 7} d d" for i in range(60)], "en")
    labels = np.random.default_rng(3).random(60) < 0.5

    sparse = optimum(primal_problem(SparseMatrix(counts), labels))
    dense = optimum(primal_problem(DenseMatrix(counts.toarray()), labels))

    assert np.abs(sparse.scores - dense.scores).max() < 1e-7


def test_blocks_of_vectors_give_what_all_of_them_give(monkeypatch):
    vectors, labels = example(200, 12, seed=8)
    folds = sentence_folds(labels, 42)
    whole = decide(vectors, labels, folds)

    monkeypatch.setattr(primal, "BLOCK_BYTES", 8 * 12 * 7)  # seven vectors

    assert (decide(vectors, labels, folds) == whole).all()


def test_at_the_optimum_the_weights_are_the_residuals_and_sum_to_nothing():
    vectors, labels = example(80, 200, seed=1)

    found = optimum(dual_problem(vectors, labels))

    scores = gram_matrix(vectors) @ found.weights + found.intercept
    probabilities = 1 / (1 + np.exp(-scores))
    assert np.abs(found.weights - (labels - probabilities)).max() < 1e-8
    assert abs(found.weights.sum()) < 1e-8


def test_a_common_shift_of_all_vectors_changes_nothing():
    vectors, labels = example(60, 100, seed=2)
    folds = sentence_folds(labels, 42)

    shifted = decide(vectors + 50, labels, folds)

    assert (shifted == decide(vectors, labels, folds)).all()


@pytest.mark.parametrize("width", [100, 10])
def test_swapping_the_labels_swaps_every_decision(width):
    vectors, labels = example(60, width, seed=3)
    folds = sentence_folds(labels, 42)

    assert (decide(vectors, ~labels, folds) == ~decide(vectors, labels, folds)).all()


def test_several_sets_of_labels_are_decided_as_each_alone():
    vectors, labels = example(60, 100, seed=9)
    control = np.random.default_rng(1).random(60) < 0.5
    folds = sentence_folds(labels, 42)

    both = Probe(merge_rows(vectors)).decide([labels, control], folds)

    assert (both[0] == decide(vectors, labels, folds)).all()
    assert (both[1] == decide(vectors, control, folds)).all()


def test_one_label_alone_is_always_answered():
    vectors = example(20, 5, seed=4)[0]
    folds = np.arange(20) % 5

    assert decide(vectors, np.ones(20, dtype=bool), folds).all()
    assert not decide(vectors, np.zeros(20, dtype=bool), folds).any()


@pytest.mark.parametrize("width", [100, 6])
def test_repeated_sentences_are_merged_and_decided_as_by_scikit_learn(width):
    vectors, labels = example(40, width, seed=5)
    vectors = np.concatenate([vectors, vectors, vectors[:10]])
    labels = np.concatenate([labels, labels, ~labels[:10]])  # ten bear both labels
    folds = sentence_folds(labels, 42)
    rows = merge_rows(vectors)

    decisions = Probe(rows).decide([labels], folds)[0]

    assert rows.vectors.shape == (40, width)
    assert (decisions == (reference_scores(vectors, labels, folds) > 0)).all()


def test_one_vector_for_all_sentences_is_decided_by_the_majority():
    vectors = np.ones((30, 4), dtype=np.float32)
    labels = np.arange(30) < 18
    folds = np.arange(30) % 5

    assert decide(vectors, labels, folds).all()


def test_numbers_that_are_not_finite_are_refused():
    with pytest.raises(ProbeError, match="no optimum"):
        Probe(merge_rows(np.full((10, 10), np.nan)))


def test_folds_are_those_of_scikit_learn_with_the_published_seed():
    labels = np.arange(60) < 30
    properties = [f"p{number % 12}" for number in range(60)]
    groups = np.array(properties)

    by_sentence = sentence_folds(labels, 42)
    by_property = property_folds(labels, properties, 42)

    for number, (_, tested) in enumerate(
        StratifiedKFold(5, shuffle=True, random_state=42).split(labels, labels)
    ):
        assert sorted(np.flatnonzero(by_sentence == number)) == sorted(tested)
    for number, (_, tested) in enumerate(
        StratifiedGroupKFold(5, shuffle=True, random_state=42).split(labels, labels, groups)
    ):
        assert sorted(np.flatnonzero(by_property == number)) == sorted(tested)


def test_a_property_stands_in_one_fold_only():
    labels = np.arange(40) < 20
    properties = [f"p{number % 7}" for number in range(40)]

    folds = property_folds(labels, properties, 42)

    for name in set(properties):
        chosen = {fold for fold, at in zip(folds, properties, strict=True) if at == name}
        assert len(chosen) == 1


def test_too_few_sentences_or_properties_have_no_folds():
    assert sentence_folds(np.arange(8) < 4, 42) is None
    assert property_folds(np.arange(20) < 10, ["a", "b", "c", "d"] * 5, 42) is None


def test_words_are_counted_and_characters_in_chinese():
    english = word_counts(["A cat sees a cat.", "the dog"], "en")
    chinese = word_counts(["猫，猫。", "狗"], "zh")

    # a, cat, sees, the, dog
    assert english.toarray().tolist() == [[2, 2, 1, 0, 0], [0, 0, 0, 1, 1]]
    assert chinese.toarray().tolist() == [[2, 0], [0, 1]]
    assert word_counts(["...", "!"], "en").shape == (2, 1)
