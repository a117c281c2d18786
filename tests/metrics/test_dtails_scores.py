import random
from statistics import fmean, stdev

import pytest

from metrics.catalog import scores_of
from metrics.table import OutcomeRow

SEEDS = ("seed1", "seed2", "seed3")


def row(number, value, **changes):
    given = {
        "number": number,
        "item_id": str(number),
        "language": "af",
        "subset": None,
        "unit": "see",
        "task": "select",
        "variant": "seed1",
        "status": "valid",
        "value": value,
        "baselines": {"frequency": 1.0, "chance": 0.5},
    }
    return OutcomeRow(**{**given, **changes})


def find(found, **wanted):
    defaults = {"metric": "accuracy", "task": "select", "subset": None, "setting": None}
    wanted = {**defaults, **wanted}
    (score,) = [s for s in found if all(getattr(s, k) == v for k, v in wanted.items())]
    return score


def test_accuracy_is_over_items_each_the_mean_of_its_seeds():
    rows = [
        row(0, 1.0, variant="seed1"),
        row(0, 0.0, variant="seed2"),
        row(1, 1.0, variant="seed1", unit="grow"),
        row(1, 1.0, variant="seed2", unit="grow"),
    ]

    score = find(scores_of("dtails", rows, {}, 0), language="af")

    # Items .5 and 1; seeds 1.0 and .5: sd = .5/√2.
    assert score.value == 0.75
    assert score.sd == pytest.approx(0.5 / 2**0.5)
    assert (score.n, score.n_units, score.coverage) == (2, 2, 1.0)
    assert score.baselines == {"frequency": 1.0, "chance": 0.5}
    assert score.ci_low <= score.value <= score.ci_high


def test_an_unanswered_case_is_left_out_and_an_unreadable_one_is_wrong():
    rows = [
        row(0, 1.0),
        row(1, 0.0, status="invalid"),
        row(2, None, status="unanswered", baselines={}),
    ]

    found = scores_of("dtails", rows, {}, 0)

    accuracy, parsed = (
        find(found, language="af"),
        find(found, language="af", metric="parsed_accuracy"),
    )
    assert (accuracy.value, accuracy.n, accuracy.coverage) == (0.5, 2, pytest.approx(1 / 3))
    assert (parsed.value, parsed.n) == (1.0, 1)


def test_parsed_accuracy_counts_every_answer_that_could_be_read():
    rows = [
        *(row(0, 1.0, variant=seed) for seed in SEEDS),
        row(1, 1.0, variant="seed1"),
        row(1, 0.0, variant="seed2"),
        row(1, 0.0, variant="seed3", status="invalid"),
    ]

    parsed = find(scores_of("dtails", rows, {}, 0), language="af", metric="parsed_accuracy")

    assert (parsed.value, parsed.n) == (0.8, 5)


def test_the_macro_mean_weighs_languages_alike():
    rows = [row(0, 1.0), row(1, 1.0), row(2, 0.0, language="ja"), row(3, 0.0, language="ja")]

    macro = find(scores_of("dtails", rows, {}, 0), language=None)

    assert (macro.value, macro.n) == (0.5, 4)


def test_one_seed_has_no_spread():
    assert find(scores_of("dtails", [row(0, 1.0), row(1, 0.0)], {}, 0), language="af").sd is None


def test_a_run_without_an_answer_has_a_reason_not_a_zero():
    rows = [row(0, None, status="unanswered", baselines={})]

    score = find(scores_of("dtails", rows, {}, 0), language="af")

    assert score.value is None
    assert score.reason
    assert score.coverage == 0.0


def test_headlines_come_first():
    rows = [row(0, 1.0), row(0, 1.0, task="translate", variant="")]

    found = scores_of("dtails", rows, {}, 0)

    n_headlines = sum(score.subset is None and score.setting is None for score in found)
    assert all(s.subset is None and s.setting is None for s in found[:n_headlines])
    assert [(s.task, s.metric) for s in found[:2]] == [("select", "accuracy")] * 2


def test_the_other_parser_is_a_row_of_its_own():
    verdicts = {"released": {"value": 1.0}, "strict": {"value": 0.0}}
    rows = [row(0, 1.0, detail={"parsers": verdicts})]

    found = scores_of("dtails", rows, {"parser": "released"}, 0)
    turned = scores_of("dtails", rows, {"parser": "strict"}, 0)

    assert find(found, language="af", setting="parser=strict").value == 0.0
    assert find(turned, language="af", setting="parser=released").value == 1.0


def test_the_other_matcher_too():
    verdicts = {"released": {"value": 0.0}, "strict": {"value": 1.0}}
    rows = [row(0, 0.0, task="translate", variant="", detail={"matchers": verdicts})]

    found = scores_of("dtails", rows, {"matcher": "released"}, 0)

    score = find(found, language="af", task="translate", setting="matcher=strict")
    assert score.value == 1.0


def test_styles_are_told_apart_and_their_spread_is_shown():
    rows = [row(0, 1.0), row(0, 0.0, variant="seed1.short")]

    found = scores_of("dtails", rows, {}, 0)

    assert find(found, language="af").value == 1.0
    assert find(found, language="af", setting="prompt_style=short").value == 0.0
    both = find(found, language="af", setting="prompt_style=all")
    assert (both.value, both.sd) == (0.5, pytest.approx(0.5**0.5))
    for language in ("af", None):
        spread = find(found, metric="accuracy_spread", language=language)
        assert (spread.value, spread.n, spread.unit) == (1.0, 2, "way of asking")
        assert (spread.ci_low, spread.ci_high, spread.reason) == (None, None, None)
    is_headline = [score.subset is None and score.setting is None for score in found]
    assert is_headline == sorted(is_headline, reverse=True)


def test_one_style_has_no_spread_and_a_style_without_an_answer_an_unknown_one():
    asked_once = [row(0, 1.0, variant="seed1"), row(0, 0.0, variant="seed2")]
    unanswered = [row(0, 1.0), row(0, None, variant="seed1.short", status="unanswered")]

    assert not [
        score
        for score in scores_of("dtails", asked_once, {}, 0)
        if score.metric == "accuracy_spread"
    ]
    spread = find(scores_of("dtails", unanswered, {}, 0), metric="accuracy_spread", language="af")
    assert (spread.value, spread.reason) == (None, "no answer in one of the ways of asking")


def test_concepts_have_rows_and_a_mean_of_their_own():
    rows = [row(0, 1.0), row(1, 1.0), row(2, 1.0), row(3, 0.0, unit="grow")]

    found = scores_of("dtails", rows, {}, 0)

    see = find(found, language="af", subset="see")
    assert (see.value, see.n, see.n_units, see.unit) == (1.0, 3, 1, "concept")
    assert (see.ci_low, see.interval) == (None, None)
    assert see.reason == "one unit alone gives no interval"
    assert find(found, language="af", subset="grow").value == 0.0
    assert find(found, language="af", setting="average=concept").value == 0.5
    assert find(found, language="af").value == 0.75


def placed(number, position, gold, k, **changes):
    detail = {"position": position, "gold_position": gold, "n_variations": k}
    return row(number, float(position == gold), detail=detail, **changes)


def test_position_shares_count_parsed_answers_beside_the_gold():
    rows = [
        placed(0, 1, 1, 2),
        placed(1, 1, 2, 2),
        placed(2, 2, 2, 2),
        placed(3, None, 1, 2, status="invalid"),
        placed(4, 3, 3, 3),
        placed(5, 1, 1, 4),
        placed(6, 2, 2, 2, language="hi"),
    ]

    found = scores_of("dtails", rows, {}, 0)

    first = find(found, metric="position_share", language="af", setting="k=2;position=1")
    assert first.value == pytest.approx(2 / 3)
    assert (first.n, first.coverage) == (3, 0.75)
    assert first.baselines == {"gold": pytest.approx(1 / 3), "uniform": 0.5}
    pooled = find(found, metric="position_share", setting="k=2;pool=af;position=2")
    assert (pooled.language, pooled.value) == (None, pytest.approx(1 / 3))
    assert not [s for s in found if s.setting and s.setting.startswith("k=4")]


def test_random_runs_agree_with_a_plain_computation():
    generator = random.Random(11)
    rows = [
        row(
            number,
            generator.choice([0.0, 1.0]),
            variant=variant,
            unit=f"w{number % 7}",
            language=["af", "ja"][number % 2],
        )
        for number in range(200)
        for variant in SEEDS
    ]

    found = scores_of("dtails", rows, {}, 1)

    by_seed = [
        fmean(r.value for r in rows if r.language == "ja" and r.variant == seed) for seed in SEEDS
    ]
    score = find(found, language="ja")
    assert score.value == pytest.approx(fmean(by_seed))
    assert score.sd == pytest.approx(stdev(by_seed))
    assert scores_of("dtails", rows, {}, 1) == found
