import numpy as np
import pytest
from sklearn.metrics import f1_score

from metrics.statistics.probing import (
    Judged,
    draw_weights,
    estimate_from,
    f1_over_folds,
    layer_of_maximum,
    resampled_f1,
    unit_counts,
)
from metrics.table import OutcomeRow
from metrics.xcomps import scores

TYPES = ("taxonomic", "overlap", "co-occurrence", "random")


def judged_of(labels, decisions, folds, units):
    return Judged(
        np.array(labels, dtype=bool),
        np.array(decisions, dtype=bool),
        np.array(folds, dtype=np.intp),
        np.array(units, dtype=np.intp),
    )


def neuro_row(number, good, bad, *, language="en", fold=None, **changes):
    """Make a pair's row; `good` and `bad` are the decisions of every layer."""
    folds = {
        "fold": [number % 5, (number + 1) % 5] if fold is None else fold,
        "decisions": [good, bad],
        "control": ["0" * len(good), "1" * len(bad)],
        "words": [1, 1],
    }
    detail = {
        "n_layers": len(good),
        "control_labels": [1, 0],
        "is_repeated": [False, number == 0],
        "has_both_labels": [False, False],
        "folds": {"sentence": folds, "group": {**folds, "decisions": [bad, good]}},
        **changes,
    }
    return OutcomeRow(
        number=number,
        item_id=str(number),
        language=language,
        subset=TYPES[number % 4],
        unit=f"group{number // 4}",
        task="neuro",
        variant="",
        status="valid",
        value=0.5,
        detail=detail,
    )


def pick(found, **wanted):
    wanted = {"setting": None, "layer": None, "task": "neuro", **wanted}
    (score,) = [
        score
        for score in found
        if all(getattr(score, name) == value for name, value in wanted.items())
    ]
    return score


def test_f1_over_folds_worked_by_hand():
    # fold 0: labels 1 1 0, decisions 1 0 1: TP 1, FP 1, FN 1 → 2/4; fold 1: 1 0, said 1 0 → 1
    judged = judged_of([1, 1, 0, 1, 0], [[1], [0], [1], [1], [0]], [0, 0, 0, 1, 1], [0, 1, 1, 0, 1])

    counts = unit_counts(judged, 2)

    assert f1_over_folds(counts.sum(axis=0)).tolist() == [0.75]


def test_a_fold_without_positives_is_left_out_of_the_mean():
    # fold 0: nothing positive; fold 1: F1 1
    judged = judged_of([0, 1], [[0], [1]], [0, 1], [0, 1])

    assert f1_over_folds(unit_counts(judged, 2).sum(axis=0)).tolist() == [1.0]
    nothing = judged_of([0, 0], [[0], [0]], [0, 1], [0, 1])
    assert np.isnan(f1_over_folds(unit_counts(nothing, 2).sum(axis=0))).all()


def test_f1_agrees_with_scikit_learn_on_random_decisions():
    generator = np.random.default_rng(0)
    labels, folds = np.arange(100) < 50, np.arange(100) % 5
    decisions = generator.integers(2, size=(100, 4)).astype(bool)

    counts = unit_counts(judged_of(labels, decisions, folds, np.arange(100) // 4), 25)

    expected = [
        np.mean([f1_score(labels[folds == f], decisions[folds == f, at]) for f in range(5)])
        for at in range(4)
    ]
    assert f1_over_folds(counts.sum(axis=0)) == pytest.approx(expected)


def test_drawing_every_unit_once_gives_the_value_itself():
    generator = np.random.default_rng(1)
    judged = judged_of(
        np.arange(40) < 20,
        generator.integers(2, size=(40, 3)).astype(bool),
        np.arange(40) % 5,
        np.arange(40) // 4,
    )
    counts = unit_counts(judged, 10)

    drawn = resampled_f1(counts, np.ones((1, 10)))

    assert drawn[0] == pytest.approx(f1_over_folds(counts.sum(axis=0)))
    assert (draw_weights(10, seed=0).sum(axis=1) == 10).all()


def test_the_lowest_layer_wins_a_tie():
    assert layer_of_maximum([0.1, 0.9, 0.9]) == 1
    assert layer_of_maximum([np.nan, 0.2]) == 1
    assert layer_of_maximum([np.nan, np.nan]) is None


def test_an_undefined_value_has_a_reason_and_one_unit_no_interval():
    assert estimate_from(np.nan, np.zeros(3), 4, 2).reason
    alone = estimate_from(0.5, np.array([0.5, 0.5]), 4, 1)
    assert (alone.value, alone.ci_low) == (0.5, None)


def test_layers_their_mean_and_the_best_worked_by_hand():
    # layer 0 always says yes (F1 per fold 2·1/(2+1) = 2/3), layer 1 is right, layer 2 always wrong
    rows = [neuro_row(n, "110", "101", fold=[n // 4, n // 4]) for n in range(20)]

    found = scores(rows, {}, seed=0)

    where = {"metric": "f1", "language": "en"}
    for subset in (None, *TYPES):
        by_layer = [pick(found, subset=subset, layer=layer, **where).value for layer in range(3)]
        assert by_layer == pytest.approx([2 / 3, 1.0, 0.0])
        assert pick(found, subset=subset, **where).value == pytest.approx(5 / 9)
        best = pick(found, subset=subset, setting="layers=best", **where)
        assert best.value == 1.0
        top = pick(found, subset=subset, metric="layer_of_maximum", language="en")
        assert (top.value, top.ci_low, top.ci_high) == (1.0, 1.0, 1.0)  # in every resample
        assert (best.interval, best.ci_high) == ("wilson", 1.0)
        assert best.ci_low < 0.7  # five groups, all right
    mean = pick(found, subset=None, **where)
    assert (mean.n, mean.n_units, mean.unit, mean.coverage) == (40, 5, "group", 1.0)
    assert mean.baselines == {
        "always-acceptable": pytest.approx(2 / 3),
        "bag-of-words": pytest.approx(2 / 3),
        "chance": 0.5,
    }


def test_selectivity_is_f1_less_that_of_the_control():
    # control: labels 1 0, decisions 0 1: F1 0; so selectivity = F1
    rows = [neuro_row(n, "10", "00", fold=[n // 4, n // 4]) for n in range(20)]

    found = scores(rows, {}, seed=0)

    where = {"metric": "selectivity", "language": "en", "subset": None}
    assert pick(found, layer=0, **where).value == 1.0
    assert pick(found, layer=1, **where).value == 0.0


def test_both_kinds_of_folds_are_shown_and_the_chosen_one_is_the_headline():
    rows = [neuro_row(n, "1", "0", fold=[n // 4, n // 4]) for n in range(20)]

    by_sentence = scores(rows, {"folds": "sentence"}, seed=0)
    by_group = scores(rows, {"folds": "group"}, seed=0)

    where = {"metric": "f1", "language": "en", "subset": None}
    assert pick(by_sentence, **where).value == 1.0
    assert pick(by_sentence, setting="folds=group", **where).value == 0.0
    assert pick(by_group, **where).value == 0.0
    assert pick(by_group, setting="folds=sentence", **where).value == 1.0


def test_repeated_sentences_are_reported():
    rows = [neuro_row(n, "1", "0") for n in range(20)]

    found = scores(rows, {}, seed=0)

    where = {"language": "en", "subset": None}
    assert pick(found, metric="repeated_share", **where).value == pytest.approx(0.5 / 20)
    assert pick(found, metric="both_labels_share", **where).value == 0.0


def test_undecided_pairs_lower_the_coverage_and_say_why():
    rows = [neuro_row(n, "1", "0") for n in range(20)]
    lost = OutcomeRow(
        20, "20", "en", "taxonomic", "g", "neuro", "", "invalid", None, {"not_asked": "gone"}
    )
    alone = OutcomeRow(
        0, "0", "de", "random", "g", "neuro", "", "invalid", None, {"not_asked": "too few"}
    )

    found = scores([*rows, lost, alone], {}, seed=0)

    where = {"metric": "f1", "subset": None}
    assert pick(found, language="en", **where).coverage == pytest.approx(20 / 21)
    undecided = pick(found, language="de", **where)
    assert (undecided.value, undecided.reason) == (None, "too few")
    assert pick(found, language=None, **where).value is None


def test_means_over_languages_and_their_classes_are_unweighted():
    rows = [neuro_row(n, "1", "0", language="de") for n in range(20)]
    rows += [neuro_row(n, "0", "1", language="zh") for n in range(40)]

    found = scores(rows, {}, seed=0)

    where = {"metric": "f1", "subset": None, "language": None}
    assert pick(found, **where).value == pytest.approx(0.5)
    assert pick(found, setting="typology=inflectional", **where).value == pytest.approx(1.0)
    assert pick(found, setting="typology=analytic", **where).value == pytest.approx(0.0)


def direct_row(number, value, language):
    return OutcomeRow(
        number, str(number), language, TYPES[number % 4], f"group{number // 4}", "direct", "",
        "valid", value, {"verdicts": {"sum": value}, "ties": []}, {"chance": 0.5},
    )  # fmt: skip


def test_direct_and_neuro_are_correlated_over_languages():
    # Direct accuracies 1, .5, 0 and Neuro F1 1, 2/3, 0 (always yes gives 2/3): rank order the same
    decisions = {"de": ("1", "0"), "zh": ("1", "1"), "tr": ("0", "1")}
    right = {"de": (1.0, 1.0), "zh": (1.0, 0.0), "tr": (0.0, 0.0)}
    rows = []
    for language, (good, bad) in decisions.items():
        rows += [
            neuro_row(n, good, bad, language=language, fold=[n // 4, n // 4]) for n in range(20)
        ]
        rows += [direct_row(n, right[language][n // 4 % 2], language) for n in range(8)]

    found = scores(rows, {}, seed=0)

    where = {"task": None, "language": None, "subset": None}
    assert pick(found, metric="spearman", **where).value == pytest.approx(1.0)
    expected = np.corrcoef([1.0, 0.5, 0.0], [1.0, 2 / 3, 0.0])[0, 1]
    assert pick(found, metric="pearson", **where).value == pytest.approx(expected)


def test_two_languages_are_too_few_for_a_correlation():
    rows = [neuro_row(n, "1", "0", language=name) for n in range(20) for name in ("de", "zh")]
    rows += [direct_row(n, 1.0, name) for n in range(8) for name in ("de", "zh")]

    found = scores(rows, {}, seed=0)

    score = pick(found, metric="pearson", task=None, language=None, subset=None)
    assert (score.value, score.n) == (None, 2)
    assert "needs 3" in score.reason


def test_neuro_rows_are_named_once():
    rows = [neuro_row(n, "10", "01", language=name) for n in range(20) for name in ("de", "zh")]

    found = scores(rows, {}, seed=0)

    names = [(s.metric, s.task, s.language, s.subset, s.layer, s.setting) for s in found]
    assert len(set(names)) == len(names)
    assert found == scores(list(reversed(rows)), {}, seed=0)
