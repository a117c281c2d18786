"""Every metric of every benchmark compared: each run's own scores, and how sure they differ."""

import random
from dataclasses import replace

import pytest

from metrics.catalog import scores_of
from metrics.comparison import DIMENSIONS, Judged, compare_runs
from metrics.comparison_matching import UnlikeError
from metrics.statistics.paired import compare_means, mcnemar_exact
from metrics.table import OutcomeRow


def row(number, value, language="de", **changes):
    given = {
        "number": number, "item_id": f"i{number}", "language": language, "subset": None,
        "unit": f"u{number}", "task": "pick", "variant": "", "status": "valid", "value": value,
    }  # fmt: skip
    return OutcomeRow(**{**given, **changes})


def stingray_rows(seed, right):
    """Semantic and usage cases of one pair: both subsets, two sentences a word."""
    rng = random.Random(seed)
    rows = []
    for number in range(60):
        subset = ("false_friend", "true_cognate")[number % 2]
        gold = "C" if subset == "true_cognate" else "AB"[number // 2 % 2]
        given = {"subset": subset, "unit": f"w{number // 4}", "language": "en_de"}
        said = gold if rng.random() < right else rng.choice("ABC")
        accepted = {"A": (1, 0), "B": (0, 1), "C": (1, 1)}
        sides = {
            side: float(accepted[said][at] == accepted[gold][at])
            for at, side in enumerate(("L1", "L2"))
        }
        detail = {
            "gold": gold, "gold_shown": gold, "predicted": said, "shown": said, "sides": sides,
        }  # fmt: skip
        rows.append(row(number, float(said == gold), task="semantic", detail=detail, **given))
        for side in ("L1", "L2"):
            yes = "Yes" if rng.random() < right else "No"
            detail = {"gold": "Yes", "gold_shown": "Yes", "predicted": yes, "shown": yes}
            more = {"task": "usage", "variant": side, "detail": detail}
            rows.append(row(number, float(yes == "Yes"), **more, **given))
    return rows


def dtails_rows(seed, right):
    rng = random.Random(seed)
    rows = []
    for language in ("af", "lv"):
        for number in range(40):
            for variant in ("seed1", "seed2"):
                hit, position = rng.random() < right, rng.randint(1, 2)
                detail = {"n_variations": 2, "position": position, "gold_position": 1}
                given = {"unit": f"c{number // 5}", "task": "select", "variant": variant}
                rows.append(row(number, float(hit), language, detail=detail, **given))
    return rows


def dibimt_rows(seed, right):
    rng = random.Random(seed)
    rows = []
    for language in ("de", "es"):
        for number in range(80):
            chance = rng.random()
            verdict = "GOOD" if chance < right else "BAD" if chance < 0.9 else "MISS"
            mu, delta = number % 4 + 1, number % 3 + 4
            detail = {
                "class": verdict, "mu": mu, "delta": delta,
                "wrong_mu": rng.randint(1, 3) if verdict == "BAD" else None,
                "matched": {"synsets": [str(rng.randint(0, 1))]},
            }  # fmt: skip
            value = {"GOOD": 1.0, "BAD": 0.0}.get(verdict)
            given = {"unit": f"lemma{number // 4}", "task": "translate", "detail": detail}
            subset = ("NOUN", "VERB")[number // 4 % 2]
            rows.append(row(number, value, language, subset=subset, **given))
    return rows


def xcomps_rows(seed, right):
    rng = random.Random(seed)
    kinds = ("taxonomic", "overlap", "co-occurrence", "random")
    rows = []
    for language in ("de", "nl"):
        for number in range(80):
            hit = float(rng.random() < right)
            given = {"subset": kinds[number % 4], "unit": f"g{number // 4}"}
            detail = {"verdicts": {"tokens": 1 - hit, "characters": hit}, "ties": []}
            rows.append(row(number, hit, language, task="direct", detail=detail, **given))
            bits = [
                ["".join(str(int(rng.random() < p)) for _ in range(3)) for p in (right, 1 - right)]
                for _ in range(2)
            ]
            fold = {
                "fold": [number % 5, (number + 1) % 5], "decisions": bits[0], "control": bits[1],
                "words": [True, rng.random() < 0.5],
            }  # fmt: skip
            detail = {
                "folds": {"sentence": fold, "group": fold}, "control_labels": [True, False],
                "is_repeated": [False, False], "has_both_labels": [False, False],
            }  # fmt: skip
            rows.append(row(number, hit, language, task="neuro", detail=detail, **given))
    return rows


def semrel_rows(seed, right):
    rng = random.Random(seed)
    golds = random.Random(0)
    return [
        row(
            number, gold + rng.gauss(0, 1 - right), language, task="relatedness",
            detail={"gold": gold}, baselines={"overlap": 1 - gold},
        )
        for language in ("amh", "hau")
        for number in range(60)
        for gold in [golds.random()]
    ]  # fmt: skip


MAKERS = {
    "stingray": (stingray_rows, {"accuracy", "cognate_bias", "cognate_comprehension"}),
    "dtails": (dtails_rows, {"accuracy", "parsed_accuracy", "position_share"}),
    "dibimt": (
        dibimt_rows,
        {"accuracy", "miss_share", "ambiguous_share", "sfii", "spdi", "mfs", "mfs_plus",
         "sense_agreement"},
    ),
    "xcomps": (xcomps_rows, {"accuracy", "f1", "selectivity", "layer_of_maximum"}),
    "semrel": (semrel_rows, {"spearman"}),
}  # fmt: skip


def key(score):
    return (
        score.metric, score.task, score.language, score.subset, score.layer, score.setting
    )  # fmt: skip


@pytest.mark.parametrize("benchmark", MAKERS)
def test_every_metric_is_compared_by_the_scores_that_both_runs_have(benchmark):
    make, metrics = MAKERS[benchmark]
    a, b = make(1, 0.6), make(2, 0.75)

    found = compare_runs(benchmark, Judged(a, {}), Judged(b, {}), 0, DIMENSIONS)

    own = [{key(s): s.value for s in scores_of(benchmark, rows, {}, 0)} for rows in (a, b)]
    assert metrics <= {compared.metric for compared in found.rows}
    for compared in found.rows:
        assert compared.a == pytest.approx(own[0][key(compared)])
        assert compared.b == pytest.approx(own[1][key(compared)])
        if compared.difference is not None and compared.ci_low is not None:
            assert compared.ci_low <= compared.difference + 1e-9
            assert compared.difference - 1e-9 <= compared.ci_high
            assert 0 < compared.p_value <= compared.p_bh <= compared.p_holm <= 1
            assert compared.minimum_detectable >= 0
    tested = {compared.metric for compared in found.rows if compared.p_value is not None}
    assert metrics <= tested


@pytest.mark.parametrize("benchmark", MAKERS)
def test_a_run_does_not_differ_from_itself(benchmark):
    rows = MAKERS[benchmark][0](1, 0.6)

    found = compare_runs(benchmark, Judged(rows, {}), Judged(rows, {}), 0)

    assert found.rows
    assert {compared.difference for compared in found.rows} <= {0.0, None}
    assert {compared.p_value for compared in found.rows} <= {1.0, None}
    assert found.matched.n_only_first == found.matched.n_only_second == 0


@pytest.mark.parametrize("benchmark", MAKERS)
def test_exchanging_the_runs_changes_every_sign(benchmark):
    make, _ = MAKERS[benchmark]
    a, b = make(1, 0.6), make(2, 0.75)

    one = compare_runs(benchmark, Judged(a, {}), Judged(b, {}), 0)
    other = compare_runs(benchmark, Judged(b, {}), Judged(a, {}), 0)

    differences = {key(c): c.difference for c in one.rows}
    for compared in other.rows:
        if compared.difference is not None:
            assert compared.difference == pytest.approx(-differences[key(compared)])


def test_a_mean_has_the_test_and_interval_of_the_plain_comparison():
    rng = random.Random(3)
    a = [row(n, float(rng.random() < 0.5), unit=f"u{n // 3}") for n in range(90)]
    b = [replace(each, value=float(rng.random() < 0.7)) for each in a]

    [compared, _] = compare_runs("toy", Judged(a, {}), Judged(b, {}), 0).rows

    plain = compare_means(
        [each.value for each in a], [each.value for each in b], [each.unit for each in a],
        ["s"] * 90, 0,
    )  # fmt: skip
    assert compared.difference == pytest.approx(plain.difference.value)
    assert compared.ci_low == pytest.approx(plain.difference.ci_low, abs=0.02)
    assert compared.p_value == pytest.approx(plain.p_value, abs=0.02)
    assert compared.minimum_detectable == pytest.approx(plain.minimum_detectable, rel=0.05)


def test_independent_items_are_tested_by_mcnemar():
    # A alone is right on 1, B alone on 5: 2·(1 + 6)/64
    a = [row(n, float(n == 0)) for n in range(10)]
    b = [row(n, float(1 <= n <= 5)) for n in range(10)]

    compared = compare_runs("toy", Judged(a, {}), Judged(b, {}), 0).rows[0]

    assert (compared.test, compared.p_value) == ("mcnemar", pytest.approx(14 / 64))
    assert compared.p_value == mcnemar_exact(1, 5)


def test_only_what_both_answered_is_compared_and_the_rest_is_counted():
    a = [row(0, 1.0), row(1, 0.0), row(2, None, status="unanswered"), row(3, 1.0)]
    b = [row(0, 0.0), row(1, None, status="unanswered"), row(2, 1.0), row(3, 1.0), row(4, 1.0)]

    found = compare_runs("toy", Judged(a, {}), Judged(b, {}), 0)

    matched = found.matched
    assert [each.item_id for each in matched.first] == ["i0", "i3"]
    assert (matched.n_items, matched.n_only_first, matched.n_only_second) == (2, 1, 2)
    assert (found.rows[0].a, found.rows[0].b, found.rows[0].n) == (1.0, 0.5, 2)


def test_runs_without_a_common_item_are_refused_with_the_reason():
    de, fr = [row(0, 1.0)], [row(0, 1.0, "fr")]

    with pytest.raises(UnlikeError, match="their languages are de and fr"):
        compare_runs("toy", Judged(de, {}), Judged(fr, {}), 0)
    with pytest.raises(UnlikeError, match="B has no answered item"):
        compare_runs("toy", Judged(de, {}), Judged([], {}), 0)


def test_a_translator_is_compared_with_a_model_that_selects_item_by_item():
    selects = dtails_rows(1, 0.6)
    translates = [
        replace(each, task="translate", variant="", detail={}, value=1.0)
        for each in selects
        if each.variant == "seed1"
    ]

    found = compare_runs("dtails", Judged(selects, {}), Judged(translates, {}), 0)

    mean = next(c for c in found.rows if c.language is None and c.metric == "accuracy")
    values = [each.value for each in selects]
    assert mean.task == "select and translate"
    assert (mean.a, mean.b) == (pytest.approx(sum(values) / len(values)), 1.0)
    assert mean.p_value < 0.05


def test_a_metric_that_is_no_function_of_units_is_named_and_left_out():
    def both_styles(seed, right):
        rows = dibimt_rows(seed, right)
        return [
            replace(each, task="model_errors", variant=style, value=float(each.number % 3 == 0),
                    detail={"is_paired": True})
            for each in rows for style in ("", "short")
        ]  # fmt: skip

    a, b = both_styles(1, 0.5), both_styles(2, 0.5)

    found = compare_runs("dibimt", Judged(a, {}), Judged(b, {}), 0)

    assert found.untested == ("model_error_share_spread",)
    assert {compared.metric for compared in found.rows} == {"model_error_share"}


def test_the_same_seed_gives_the_same_comparison():
    a, b = dibimt_rows(1, 0.5), dibimt_rows(2, 0.6)

    one, other = (compare_runs("dibimt", Judged(a, {}), Judged(b, {}), 7) for _ in range(2))

    assert one.rows == other.rows
