from dataclasses import replace

import pytest

from metrics.table import OutcomeRow
from metrics.xcomps import scores

TYPES = ("taxonomic", "overlap", "co-occurrence", "random")


def direct_row(number, value, *, language="en", subset=None, unit=None, status="valid", **detail):
    verdicts = dict.fromkeys(("sum", "tokens", "characters", "bytes"), value)
    return OutcomeRow(
        number=number,
        item_id=str(number),
        language=language,
        subset=subset or TYPES[number % 4],
        unit=unit or f"group{number // 4}",
        task="direct",
        variant="",
        status=status,
        value=value,
        detail={"verdicts": verdicts, "ties": [], **detail} if status == "valid" else {},
        baselines={"chance": 0.5} if status == "valid" else {},
    )


def meta_row(number, first, second, *, variant="", language="en"):
    """Make a row from log p(acceptable) − log p(unacceptable) in each order."""
    mean = (first + second) / 2
    return OutcomeRow(
        number=number,
        item_id=str(number),
        language=language,
        subset=TYPES[number % 4],
        unit=f"group{number // 4}",
        task="meta",
        variant=variant,
        status="valid",
        value=float(mean > 0),
        detail={
            "verdicts": {"sum": float(mean > 0), "tokens": None},
            "ties": ["sum"] if mean == 0 else [],
            "by_order": [float(first > 0), float(second > 0)],
            "is_first_chosen": [float(first > 0), float(second < 0)],
        },
        baselines={"chance": 0.5, "always-first": 0.0},
    )


def pick(found, **wanted):
    wanted = {"setting": None, "layer": None, **wanted}
    (score,) = [
        score
        for score in found
        if all(getattr(score, name) == value for name, value in wanted.items())
    ]
    return score


def test_accuracy_by_type_and_over_all_worked_by_hand():
    # two groups of four: 1 1 0 1 and 1 0 0 1
    values = (1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0)
    found = scores([direct_row(n, value) for n, value in enumerate(values)], {}, seed=0)

    where = {"metric": "accuracy", "task": "direct", "language": "en"}
    by_type = [pick(found, subset=name, **where) for name in TYPES]
    assert [score.value for score in by_type] == [1.0, 0.5, 0.0, 1.0]
    assert [(score.n, score.n_units, score.unit) for score in by_type] == [(2, 2, "group")] * 4
    overall = pick(found, subset=None, **where)
    assert (overall.value, overall.n, overall.n_units) == (5 / 8, 8, 2)
    assert overall.baselines == {"chance": 0.5}
    assert overall.interval == "bootstrap"
    assert by_type[1].interval == "wilson"


def test_the_mean_over_languages_is_unweighted():
    rows = [direct_row(n, 1.0) for n in range(4)]
    rows += [direct_row(n, 0.0, language="zh") for n in range(8)]
    rows += [direct_row(n, n % 2, language="vi") for n in range(4)]

    found = scores(rows, {}, seed=0)

    where = {"metric": "accuracy", "task": "direct", "subset": None, "language": None}
    assert pick(found, **where).value == pytest.approx((1.0 + 0.0 + 0.5) / 3)
    assert pick(found, setting="typology=analytic", **where).value == pytest.approx(0.25)
    assert not [score for score in found if score.setting == "typology=agglutinative"]


def test_an_identical_pair_is_left_out_and_reported():
    rows = [direct_row(n, 1.0) for n in range(4)]
    rows.append(direct_row(4, None, left_out="the two sentences are identical", verdicts={}))

    found = scores(rows, {}, seed=0)

    where = {"task": "direct", "language": "en", "subset": None}
    accuracy = pick(found, metric="accuracy", **where)
    assert (accuracy.value, accuracy.n, accuracy.coverage) == (1.0, 4, 1.0)
    left_out = pick(found, metric="left_out_share", **where)
    assert (left_out.value, left_out.n) == (0.2, 5)


def test_the_mean_share_of_identical_pairs_weighs_languages_equally():
    rows = [direct_row(n, 1.0, language="en") for n in range(8)]
    rows += [direct_row(n, 1.0, language="de") for n in range(3)]
    rows.append(direct_row(3, None, language="de", left_out="identical", verdicts={}))

    found = scores(rows, {}, seed=0)

    # 0 of 8 and 1 of 4: mean 1/8; of all 12 pairs together it would be 1/12
    where = {"task": "direct", "metric": "left_out_share", "subset": None}
    mean = pick(found, language=None, **where)
    assert (mean.value, mean.n, mean.n_units) == (0.125, 12, 3)
    assert mean.ci_low <= 0.125 <= mean.ci_high
    de = pick(found, language="de", **where)
    assert (de.value, de.ci_low, de.reason) == (0.25, None, "one unit alone gives no interval")


def test_the_mean_of_a_baseline_weighs_languages_equally():
    rows = [replace(direct_row(n, 1.0), baselines={"b": 1.0}) for n in range(8)]
    rows += [replace(direct_row(n, 1.0, language="de"), baselines={"b": 0.0}) for n in range(4)]

    mean = pick(
        scores(rows, {}, seed=0), task="direct", metric="accuracy", language=None, subset=None
    )

    assert mean.baselines == {"b": 0.5}


def test_a_failed_call_is_unscored_and_lowers_the_coverage():
    rows = [direct_row(n, 1.0) for n in range(3)] + [direct_row(3, None, status="unanswered")]

    found = scores(rows, {}, seed=0)

    where = {"metric": "accuracy", "task": "direct", "language": "en"}
    overall = pick(found, subset=None, **where)
    assert (overall.value, overall.n, overall.coverage) == (1.0, 3, 0.75)
    missing = pick(found, subset="random", **where)
    assert (missing.value, missing.coverage, missing.reason) == (None, 0.0, "no answer")


def test_every_normalisation_is_reported_and_the_chosen_one_is_the_headline():
    verdicts = {"sum": 0.0, "tokens": 1.0, "characters": None, "bytes": 1.0}
    rows = [direct_row(n, 1.0, verdicts=verdicts) for n in range(4)]

    found = scores(rows, {"normalisation": "tokens"}, seed=0)

    where = {"metric": "accuracy", "task": "direct", "language": "en", "subset": None}
    assert pick(found, **where).value == 1.0
    assert pick(found, setting="normalisation=sum", **where).value == 0.0
    assert pick(found, setting="normalisation=bytes", **where).value == 1.0
    characters = pick(found, setting="normalisation=characters", **where)
    assert (characters.value, characters.coverage) == (None, 0.0)


def test_meta_reports_each_order_both_and_the_first_option():
    # differences: (+, +), (+, −) mean +, (−, −), (+, −) tie
    rows = [meta_row(0, 1, 1), meta_row(1, 2, -1), meta_row(2, -1, -1), meta_row(3, 1, -1)]

    found = scores(rows, {}, seed=0)

    where = {"metric": "accuracy", "task": "meta", "language": "en", "subset": None}
    assert pick(found, **where).value == 0.5
    assert pick(found, setting="order=1", **where).value == 0.75
    assert pick(found, setting="order=2", **where).value == 0.25
    both = pick(found, setting="order=both", **where)
    assert (both.value, both.baselines["always-first"]) == (0.25, 0.0)
    # first option chosen: (1, 0), (1, 1), (0, 1), (1, 1) = 6/8
    first = pick(found, **{**where, "metric": "position_share", "setting": "answer=first"})
    assert first.value == 0.75
    assert pick(found, **{**where, "metric": "tie_share"}).value == 0.25
    tokens = pick(found, setting="normalisation=tokens", **where)
    assert (tokens.value, tokens.reason) == (None, "the answers do not hold it")


def test_prompt_styles_have_their_own_rows_and_a_spread():
    rows = [meta_row(n, 1, 1) for n in range(4)]
    rows += [meta_row(n, 1, -2, variant="labels") for n in range(4)]

    found = scores(rows, {}, seed=0)

    where = {"task": "meta", "language": "en", "subset": None}
    assert pick(found, metric="accuracy", **where).value == 1.0
    labels = pick(found, metric="accuracy", setting="prompt_style=labels", **where)
    assert labels.value == 0.0
    # accuracies by style and order: 1, 1, 1, 0
    spread = pick(found, metric="accuracy_spread", **where)
    assert (spread.value, spread.n) == (1.0, 4)


def test_rows_are_named_once_and_headlines_come_first():
    rows = [direct_row(n, n % 2, language=name) for n in range(8) for name in ("de", "zh", "tr")]
    rows += [meta_row(n, 1, -2, variant=name) for n in range(8) for name in ("", "labels")]

    found = scores(rows, {}, seed=0)

    names = [(s.metric, s.task, s.language, s.subset, s.layer, s.setting) for s in found]
    assert len(set(names)) == len(names)
    is_headline = [score.subset is None and score.setting is None for score in found]
    assert is_headline == sorted(is_headline, reverse=True)
    assert found == scores(list(reversed(rows)), {}, seed=0)
