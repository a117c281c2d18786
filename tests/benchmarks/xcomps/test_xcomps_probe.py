import math
import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from benchmarks.xcomps.folds import property_folds, sentence_folds
from benchmarks.xcomps.probe import ProbeError, decide, fit, gram_matrix
from benchmarks.xcomps.words import word_counts


def example(n, width, seed, scale=1.0, outlier=1.0):
    """Make vectors in which one direction says a little about the label."""
    generator = np.random.default_rng(seed)
    vectors = generator.normal(size=(n, width)) * scale
    labels = np.arange(n) < n // 2
    vectors[labels, : max(1, width // 20)] += 0.5 * scale
    vectors[:, -1] *= outlier
    return vectors.astype(np.float32), labels


def reference_scores(vectors, labels, folds, c=1.0):
    """Decide with scikit-learn, run far past its default tolerance."""
    scores = np.empty(len(labels))
    for fold in np.unique(folds):
        tested = folds == fold
        model = LogisticRegression(C=c, tol=1e-8, max_iter=100_000)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(vectors[~tested].astype(np.float64), labels[~tested])
        scores[tested] = model.decision_function(vectors[tested].astype(np.float64))
    return scores


def test_two_points_worked_by_hand():
    # x = ±1, C = 1: w = 2α·1 …: α₁ = −α₂ = a, w = 2a, b = 0 by symmetry, and a = 1 − σ(2a)
    gram = gram_matrix(np.array([[1.0], [-1.0]]))

    found = fit(gram, np.array([True, False]))

    a = found.alpha[0]
    assert gram.tolist() == [[1.0, -1.0], [-1.0, 1.0]]
    assert found.alpha[1] == pytest.approx(-a)
    assert found.intercept == pytest.approx(0.0, abs=1e-9)
    assert a == pytest.approx(1 - 1 / (1 + math.exp(-2 * a)), abs=1e-9)


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

    decisions = decide(gram_matrix(vectors), labels, folds, c)

    expected = reference_scores(vectors, labels, folds, c)
    assert (decisions == (expected > 0)).all()


def test_at_the_optimum_the_weights_are_the_residuals_and_sum_to_nothing():
    vectors, labels = example(80, 200, seed=1)
    gram = gram_matrix(vectors)

    found = fit(gram, labels)

    probabilities = 1 / (1 + np.exp(-(gram @ found.alpha + found.intercept)))
    assert np.abs(found.alpha - (labels - probabilities)).max() < 1e-8
    assert abs(found.alpha.sum()) < 1e-8


def test_a_common_shift_of_all_vectors_changes_nothing():
    vectors, labels = example(60, 100, seed=2)
    folds = sentence_folds(labels, 42)

    shifted = decide(gram_matrix(vectors + 50), labels, folds)

    assert (shifted == decide(gram_matrix(vectors), labels, folds)).all()


def test_swapping_the_labels_swaps_every_decision():
    vectors, labels = example(60, 100, seed=3)
    folds = sentence_folds(labels, 42)
    gram = gram_matrix(vectors)

    assert (decide(gram, ~labels, folds) == ~decide(gram, labels, folds)).all()


def test_one_label_alone_is_always_answered():
    gram = gram_matrix(example(20, 5, seed=4)[0])
    folds = np.arange(20) % 5

    assert decide(gram, np.ones(20, dtype=bool), folds).all()
    assert not decide(gram, np.zeros(20, dtype=bool), folds).any()


def test_repeated_sentences_do_not_hinder_the_probe():
    vectors, labels = example(40, 100, seed=5)
    vectors = np.concatenate([vectors, vectors])
    labels = np.concatenate([labels, labels])
    folds = sentence_folds(labels, 42)

    decisions = decide(gram_matrix(vectors), labels, folds)

    assert (decisions == (reference_scores(vectors, labels, folds) > 0)).all()


def test_numbers_that_are_not_finite_are_refused():
    gram = np.full((10, 10), np.nan)

    with pytest.raises(ProbeError, match="no optimum"):
        fit(gram, np.arange(10) < 5)


def test_folds_are_those_of_scikit_learn_with_the_published_seed():
    labels = np.arange(60) < 30
    properties = [f"p{number % 12}" for number in range(60)]
    groups = np.array([number % 12 for number in range(60)])

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
    assert english.tolist() == [[2, 2, 1, 0, 0], [0, 0, 0, 1, 1]]
    assert chinese.tolist() == [[2, 0], [0, 1]]
    assert word_counts(["...", "!"], "en").shape == (2, 1)
