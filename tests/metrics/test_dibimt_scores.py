"""Hand-worked scores of DiBiMT, and a naive second calculation of every one of them."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.catalog import scores_of
from metrics.dibimt_agreement import pair_of, sense_agreement
from metrics.dibimt_groups import Group, groups, influence
from metrics.table import OutcomeRow

VALUE = {"GOOD": 1.0, "BAD": 0.0}


def row(verdict, mu=2, delta=5, wrong_mu=None, **changes):
    """Return one judged translation; `wrong_mu` matters for BAD only."""
    detail = {
        "class": verdict,
        "mu": mu,
        "delta": delta,
        "wrong_mu": wrong_mu if verdict == "BAD" else None,
        "matched": {"synsets": changes.pop("synsets", [])} if verdict in VALUE else None,
    }
    fields = {
        "number": 0,
        "item_id": "i",
        "language": "de",
        "subset": "NOUN",
        "unit": f"lemma-{delta}",
        "task": "translate",
        "variant": "",
        "status": "valid",
        "value": VALUE.get(verdict),
        "detail": detail,
        **changes,
    }
    return OutcomeRow(**fields)


def unanswered(**changes):
    """Return an item without a translation."""
    return row(None, **{"status": "unanswered", "value": None, "detail": {}, **changes})


def find(rows, metric, language="de", subset=None, setting=None):
    """Return the one score of these dimensions."""
    wanted = (metric, language, subset, setting)
    (score,) = [
        score
        for score in scores_of("dibimt", rows, {}, seed=0)
        if (score.metric, score.language, score.subset, score.setting) == wanted
    ]
    return score


def test_accuracy_is_good_over_good_and_bad_and_n_has_no_ambiguous_item():
    rows = [row("GOOD")] * 3 + [row("BAD")] * 2 + [row("MISS")] * 4 + [row("AMBIGUOUS")]

    # accuracy 3/5; N = 3 + 2 + 4 = 9: miss share 4/9; ambiguous share 1/(9 + 1)
    assert find(rows, "accuracy").value == pytest.approx(3 / 5)
    assert find(rows, "accuracy").n == 5
    assert find(rows, "miss_share").value == pytest.approx(4 / 9)
    assert find(rows, "miss_share").n == 9
    assert find(rows, "ambiguous_share").value == pytest.approx(1 / 10)
    assert find(rows, "ambiguous_share").n == 10


def test_an_unanswered_item_lowers_the_coverage_and_nothing_else():
    rows = [row("GOOD"), row("BAD"), row("MISS"), unanswered()]

    assert find(rows, "accuracy").value == 0.5
    assert find(rows, "miss_share").value == pytest.approx(1 / 3)
    assert find(rows, "accuracy").coverage == 0.75


def test_sfii_is_the_unweighted_mean_of_the_error_rates_by_mu():
    rows = [
        *[row("GOOD", mu=1)] * 3,
        row("BAD", mu=1),
        *[row("BAD", mu=2)] * 2,
        row("GOOD", mu=4),
        row("BAD", mu=4),
        row("MISS", mu=7),
        row("AMBIGUOUS", mu=8),
    ]

    # μ 1: 1/4; μ 2: 2/2; μ 4: 1/2; μ 7 and 8 have no GOOD or BAD: (.25 + 1 + .5) / 3
    assert find(rows, "sfii").value == pytest.approx(1.75 / 3)


def test_spdi_is_the_same_over_delta():
    rows = [row("GOOD", delta=3), row("BAD", delta=3), row("BAD", delta=9), row("MISS", delta=4)]

    # δ 3: 1/2; δ 9: 1/1
    assert find(rows, "spdi").value == pytest.approx(0.75)


def test_small_groups_are_left_out_of_the_second_sfii():
    rows = [*[row("GOOD", mu=1)] * 4, row("BAD", mu=1), *[row("BAD", mu=2)] * 4]

    # μ 1 has 5 items, 1/5 wrong; μ 2 has 4 items and is too small
    assert find(rows, "sfii").value == pytest.approx((0.2 + 1) / 2)
    assert find(rows, "sfii", setting="min_group=5").value == pytest.approx(0.2)
    assert find(rows, "sfii", setting="min_group=5").n == 5


def test_sfii_over_large_groups_is_undefined_where_all_are_small():
    score = find([row("GOOD"), row("BAD")], "sfii", setting="min_group=5")

    assert score.value is None
    assert score.reason == "no GOOD or BAD item in a group of at least 5 items"


def test_mfs_and_mfs_plus_are_shares_of_all_bad_items():
    rows = [
        row("BAD", mu=3, wrong_mu=1),
        row("BAD", mu=3, wrong_mu=2),
        row("BAD", mu=3, wrong_mu=5),
        row("BAD", mu=1, wrong_mu=2),
        row("BAD", mu=3, wrong_mu=None),
        row("GOOD", mu=3),
        row("MISS", mu=3),
    ]

    # took μ 1: the first of 5; took less than its own μ: the first two of 5; the one without a
    # wrong sense (a lemma that annotators added) counts below the line only
    assert find(rows, "mfs").value == pytest.approx(1 / 5)
    assert find(rows, "mfs_plus").value == pytest.approx(2 / 5)
    assert find(rows, "mfs").n == 5


def test_scores_without_items_are_null_with_a_reason():
    rows = [row("MISS")]

    reasons = {metric: find(rows, metric).reason for metric in ("accuracy", "mfs", "sfii", "spdi")}

    assert {find(rows, metric).value for metric in reasons} == {None}
    assert reasons == {
        "accuracy": "no GOOD or BAD item",
        "mfs": "no BAD item",
        "sfii": "no GOOD or BAD item in a group",
        "spdi": "no GOOD or BAD item in a group",
    }


def test_the_mean_over_languages_is_unweighted_and_undefined_if_one_is():
    german = [row("GOOD"), row("GOOD"), row("GOOD"), row("BAD")]
    spanish = [row("BAD", language="es")]
    russian = [row("MISS", language="ru")]

    # German 3/4, Spanish 0/1
    assert find(german + spanish, "accuracy", None).value == pytest.approx(0.375)
    assert find(german + spanish, "sfii", None).value == pytest.approx((0.25 + 1) / 2)
    assert find(german + russian, "accuracy", None).value is None
    assert "ru" in find(german + russian, "accuracy", None).reason


def test_each_part_of_speech_has_its_own_scores():
    rows = [row("GOOD"), row("BAD", subset="VERB"), row("GOOD", subset="VERB")]

    assert find(rows, "accuracy", subset="NOUN").value == 1.0
    assert find(rows, "accuracy", subset="VERB").value == 0.5
    assert find(rows, "sfii", subset="VERB").value == 0.5


def test_a_part_of_speech_that_one_language_lacks_is_null_there():
    rows = [row("GOOD"), row("GOOD", language="es", subset="VERB")]

    assert find(rows, "accuracy", subset="VERB").value is None
    assert find(rows, "accuracy", subset="VERB").coverage is None
    assert find(rows, "sfii", None, subset="VERB").value is None


def test_errors_by_mu_and_by_delta_are_rows_whose_n_is_the_size_of_the_group():
    rows = [row("GOOD", mu=1, delta=3), row("BAD", mu=1, delta=4), row("BAD", mu=2, delta=4)]

    by_mu = [find(rows, "accuracy", setting=f"mu={mu}") for mu in (1, 2)]
    by_delta = [find(rows, "accuracy", setting=f"delta={delta}") for delta in (3, 4)]

    assert [(score.value, score.n) for score in by_mu] == [(0.5, 2), (0.0, 1)]
    assert [(score.value, score.n) for score in by_delta] == [(1.0, 1), (0.0, 2)]


def test_headline_rows_come_first_without_subset_and_setting():
    rows = [row("GOOD"), row("BAD", language="es", subset="VERB")]

    found = scores_of("dibimt", rows, {}, seed=0)

    is_headline = [score.subset is None and score.setting is None for score in found]
    assert is_headline == sorted(is_headline, reverse=True)
    assert [(score.metric, score.language) for score in found[:3]] == [
        ("accuracy", "de"),
        ("accuracy", "es"),
        ("accuracy", None),
    ]


def test_languages_agree_where_the_matched_lemmas_share_a_synset():
    german = [
        row("GOOD", item_id="1", synsets=["a", "b"]),
        row("BAD", item_id="2", synsets=["c"]),
        row("BAD", item_id="3", synsets=[]),
        row("MISS", item_id="4"),
        row("GOOD", item_id="5", synsets=["a"]),
        row("GOOD", item_id="6", synsets=["a"]),
    ]
    spanish = [
        row("GOOD", item_id="1", language="es", synsets=["b"]),
        row("BAD", item_id="2", language="es", synsets=["d"]),
        row("BAD", item_id="3", language="es", synsets=[]),
        row("GOOD", item_id="4", language="es", synsets=["a"]),
        row("AMBIGUOUS", item_id="5", language="es"),
    ]

    # both GOOD or BAD: items 1, 2, 3; only item 1 shares a synset
    assert sense_agreement(pair_of("de_es", german, spanish)) == pytest.approx(1 / 3)
    assert find(german + spanish, "sense_agreement", "de_es").n == 3
    assert find(german + spanish, "sense_agreement", "de_es").value == pytest.approx(1 / 3)
    assert find(german + spanish, "sense_agreement", None).value == pytest.approx(1 / 3)


def test_baselines_stand_beside_the_accuracy_on_the_same_items_and_on_all():
    rows = [
        row("GOOD", baselines={"first-sense": 1.0, "wsd": 0.0}),
        row("BAD", baselines={"first-sense": 0.0, "wsd": 1.0}),
        row("MISS", baselines={"first-sense": 0.0, "wsd": 1.0}),
        row("AMBIGUOUS", baselines={"first-sense": 0.0, "wsd": None}),
    ]

    baselines = find(rows, "accuracy").baselines

    assert baselines == {
        "first-sense": 0.5,
        "first-sense_all": 0.25,
        "wsd": 0.5,
        "wsd_all": None,
    }


def test_the_order_of_the_rows_changes_no_score():
    rows = [
        row(verdict, mu=mu, delta=mu + 2, unit=f"l{mu}", language=language, item_id=f"{mu}")
        for language in ("de", "es")
        for mu, verdict in enumerate(["GOOD", "BAD", "BAD", "GOOD", "MISS"], start=1)
    ]

    forwards = {(s.metric, s.language, s.setting): s for s in scores_of("dibimt", rows, {}, 3)}
    backwards = scores_of("dibimt", [*rows[4::-1], *rows[9:4:-1]], {}, 3)

    for score in backwards:
        other = forwards[score.metric, score.language, score.setting]
        assert (score.value, score.n) == (pytest.approx(other.value), other.n)
        assert (score.ci_low, score.ci_high) == (
            pytest.approx(other.ci_low),
            pytest.approx(other.ci_high),
        )


def test_an_interval_over_lemmas_is_wider_than_one_over_items():
    lemmas = [row("GOOD" if n % 2 else "BAD", unit=f"lemma-{n}") for n in range(8)]
    repeated = [each for each in lemmas for _ in range(10)]

    few, many = find(lemmas, "accuracy"), find(repeated, "accuracy")

    assert many.n_units == few.n_units == 8
    assert many.ci_high - many.ci_low > 0.4


def test_where_every_item_is_bad_the_interval_of_sfii_is_not_a_point():
    score = find([row("BAD", mu=n, unit=f"l{n}") for n in range(1, 6)], "sfii")

    assert (score.value, score.ci_high) == (1.0, 1.0)
    assert score.ci_low < 0.7


def test_pairs_of_translations_have_a_share_of_their_own():
    def pair(value, is_paired=True, **changes):
        detail = {"is_paired": is_paired}
        return row(None, task="model_errors", value=value, detail=detail, **changes)

    rows = [
        pair(1.0),
        pair(0.0),
        pair(0.0),
        pair(None, is_paired=False),
        pair(None, is_paired=False, language="es"),
    ]

    score = find(rows, "model_error_share")

    assert (score.value, score.n, score.coverage) == (pytest.approx(1 / 3), 3, 1.0)
    assert find(rows, "model_error_share", "es").value is None
    assert find(rows, "model_error_share", None).value is None


def test_prompt_styles_have_a_spread_in_each_language_and_on_average():
    def pair(style, language, value):
        changes = {"task": "model_errors", "variant": style, "language": language, "value": value}
        return row(None, **changes, detail={"is_paired": value is not None})

    # de: 1 and 0.5; es: 0 and 1; their means: 0.5 and 0.75
    shares = {("", "de"): (1.0, 1.0), ("instruction", "de"): (1.0, 0.0)}
    shares |= {("", "es"): (0.0, 0.0), ("instruction", "es"): (1.0, 1.0)}
    rows = [pair(*key, value) for key, values in shares.items() for value in values]

    assert find(rows, "model_error_share_spread").value == 0.5
    assert find(rows, "model_error_share_spread", "es").value == 1.0
    assert find(rows, "model_error_share_spread", None).value == 0.25
    rows.append(pair("instruction", "zh", None))
    assert find(rows, "model_error_share_spread", "zh").reason == (
        "no answer in one of the ways of asking"
    )


def test_no_rows_give_no_scores():
    assert scores_of("dibimt", [], {}, seed=0) == []


ROWS = st.lists(
    st.builds(
        lambda verdict, mu, extra, wrong, item, language, pos: row(
            verdict,
            mu=mu,
            delta=mu + extra,
            wrong_mu=None if wrong in (0, mu) else wrong,
            unit=f"lemma-{item % 4}",
            item_id=str(item),
            language=language,
            subset=pos,
        ),
        st.sampled_from(["GOOD", "BAD", "MISS", "AMBIGUOUS"]),
        st.integers(1, 6),
        st.integers(0, 4),
        st.integers(0, 7),
        st.integers(0, 200),
        st.sampled_from(["de", "es", "zh"]),
        st.sampled_from(["NOUN", "VERB"]),
    ),
    max_size=60,
    unique_by=lambda each: (each.item_id, each.language),
)


def naive(rows):
    """Return (metric → value) for the rows of one language, written from the definitions."""
    tally = dict.fromkeys(("GOOD", "BAD", "MISS", "AMBIGUOUS"), 0)
    for each in rows:
        tally[each.detail["class"]] += 1
    scored = tally["GOOD"] + tally["BAD"]
    bad = [each.detail for each in rows if each.detail["class"] == "BAD"]
    above = [each for each in bad if each["wrong_mu"] and each["wrong_mu"] < each["mu"]]
    return {
        "accuracy": divide(tally["GOOD"], scored),
        "miss_share": divide(tally["MISS"], scored + tally["MISS"]),
        "ambiguous_share": divide(tally["AMBIGUOUS"], sum(tally.values())),
        "mfs": divide(sum(each["wrong_mu"] == 1 for each in bad), len(bad)),
        "mfs_plus": divide(len(above), len(bad)),
        "sfii": naive_influence(rows, "mu"),
        "spdi": naive_influence(rows, "delta"),
    }


def naive_influence(rows, by):
    rates = []
    for index in range(1, 20):
        group = [each for each in rows if each.detail[by] == index]
        good = len([each for each in group if each.detail["class"] == "GOOD"])
        bad = len([each for each in group if each.detail["class"] == "BAD"])
        if good + bad:
            rates.append(bad / (good + bad))
    return divide(math.fsum(rates), len(rates))


def divide(top, bottom):
    return top / bottom if bottom else None


@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_every_score_equals_a_naive_second_calculation(rows):
    found = {
        (score.metric, score.language): score
        for score in scores_of("dibimt", rows, {}, seed=0)
        if score.subset is None and score.setting is None
    }

    languages = sorted({each.language for each in rows})
    expected = {
        language: naive([each for each in rows if each.language == language])
        for language in languages
    }
    for language, values in expected.items():
        for metric, value in values.items():
            assert found[metric, language].value == (
                None if value is None else pytest.approx(value)
            )
    for metric in expected[languages[0]] if languages else ():
        values = [expected[language][metric] for language in languages]
        mean = None if None in values else pytest.approx(sum(values) / len(values))
        assert found[metric, None].value == mean


@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_every_score_is_a_share_inside_its_interval_or_null_with_a_reason(rows):
    for score in scores_of("dibimt", rows, {}, seed=0):
        if score.value is None:
            assert score.reason
            continue
        assert 0 <= score.value <= 1
        if score.ci_low is not None:
            assert -1e-9 <= score.ci_low <= score.ci_high <= 1 + 1e-9


@given(ROWS)
@settings(deadline=None)
def test_groups_hold_every_good_and_bad_item_once(rows):
    scored = sum(each.detail["class"] in VALUE for each in rows)

    assert sum(group.n for group in groups(rows, "mu")) == scored
    assert sum(group.n for group in groups(rows, "delta")) == scored


@given(ROWS)
@settings(deadline=None)
def test_agreement_is_the_same_whichever_language_comes_first(rows):
    german = [each for each in rows if each.language == "de"]
    spanish = [each for each in rows if each.language == "es"]

    there, back = pair_of("de_es", german, spanish), pair_of("es_de", spanish, german)
    assert sense_agreement(there) == sense_agreement(back)


def test_groups_of_equal_error_rates_give_that_rate_whatever_their_sizes():
    found = [Group(1, 3, 1), Group(2, 30, 10), Group(9, 75, 25)]

    assert influence(found) == pytest.approx(0.25)
    assert influence(found, min_group=50) == pytest.approx(0.25)
    assert influence(found, min_group=1_000) is None
