"""Spearman a language, its interval, coverage and baseline; what is undefined says why."""

import dataclasses
import json
import math
from pathlib import Path

import pytest

from benchmarks.benchmark import Case, Selection
from benchmarks.catalog import open_benchmark
from metrics.catalog import scores_of
from metrics.semrel import gold_scores
from metrics.table import OutcomeRow

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/semrel_overlap.json").read_text())


def row(value, gold, *, language="amh", subset=None, status="valid", overlap=None, number=0):
    detail = {} if status == "unanswered" else {"gold": gold}
    return OutcomeRow(
        number, f"p{number}", language, subset, f"p{number}", "relatedness", "", status, value,
        detail, {} if overlap is None else {"overlap": overlap},
    )  # fmt: skip


def rows_of_baseline(folder, languages=()):
    semrel = open_benchmark("semrel")
    rows = []
    for number, item in enumerate(semrel.items(folder, Selection(languages=languages))):
        outcome = semrel.baseline(Case(item, "relatedness"), "overlap")
        rows.append(
            OutcomeRow(
                number,
                item.id,
                item.language,
                item.subset,
                item.unit,
                "relatedness",
                "",
                "valid",
                outcome.value,
                outcome.detail,
                outcome.baselines,
            )
        )
    return rows


@pytest.mark.parametrize("language", sorted(GOLDEN["spearman"]))
def test_the_overlap_baseline_is_the_published_one(real_data, language):
    rows = rows_of_baseline(real_data("semrel"), (language,))

    score = scores_of("semrel", rows, {}, 0)[0]

    assert score.language == language
    assert score.value == pytest.approx(GOLDEN["spearman"][language], abs=5e-5)
    assert score.baselines["overlap"] == score.value


def test_a_score_is_the_hand_worked_spearman_with_its_fisher_z_interval():
    # ranks of predictions 1 2 3 4 5, of gold 2 1 3 5 4: d² sum 4, rho = 1 - 6·4/(5·24) = .8
    golds = [0.2, 0.1, 0.3, 0.5, 0.4]
    rows = [row(n / 10, gold, number=n) for n, gold in enumerate(golds)]

    score = scores_of("semrel", rows, {}, 0)[0]

    # atanh .8 = 1.098612; se = sqrt((1 + .64/2)/2) = .812404; ± 1.592283
    assert score.value == pytest.approx(0.8)
    assert score.ci_low == pytest.approx(math.tanh(1.098612 - 1.592283), abs=1e-5)
    assert score.ci_high == pytest.approx(math.tanh(1.098612 + 1.592283), abs=1e-5)
    assert score.se == pytest.approx(0.36 * 0.812404, abs=1e-5)
    assert (score.n, score.n_units, score.unit) == (5, 5, "pair")
    assert (score.interval, score.coverage) == ("fisher_z", 1.0)


def test_constant_predictions_are_no_correlation_of_zero():
    rows = [row(0.5, gold / 10, number=gold) for gold in range(6)]

    score = scores_of("semrel", rows, {}, 0)[0]

    assert score.value is None
    assert score.reason == "all 6 predictions are equal"


def test_unanswered_and_unreadable_pairs_lower_the_coverage_and_stay_out():
    rows = [row(n / 10, n / 10, number=n) for n in range(6)]
    rows += [row(None, 0.1, status="unanswered", number=6), row(None, 0.9, status="invalid")]

    score = scores_of("semrel", rows, {}, 0)[0]

    assert (score.n, score.coverage) == (6, 0.75)
    assert score.value == 1.0


def test_nothing_answered_is_none_with_a_reason():
    score = scores_of("semrel", [row(None, 0.1, status="unanswered")], {}, 0)[0]

    assert score.value is None
    assert score.reason == "0 scored pairs; a correlation needs two"
    assert score.coverage == 0
    assert score.baselines == {"overlap": None}


def test_the_mean_over_languages_is_unweighted():
    rows = [row(n, g, number=n) for n, g in enumerate([1, 0, 2, 4, 3])]
    rows += [row(n, n, language="tel", number=n) for n in range(9)]
    rows += [row(0, n, language="arq", number=n) for n in range(9)]

    amh, tel, arq, mean = (
        scores_of("semrel", rows[:14], {}, 0)[:2] + scores_of("semrel", rows, {}, 0)[2:4]
    )

    assert mean.language is None
    assert mean.value is None
    assert mean.reason == "no value for arq"
    assert scores_of("semrel", rows[:14], {}, 0)[2].value == pytest.approx((0.8 + 1) / 2)
    assert (amh.language, tel.language, arq.language) == ("amh", "tel", "arq")


def test_a_cell_on_the_dev_split_is_tagged_beside_its_headline():
    rows = [row(n, n % 4, language="esp", subset="dev", number=n) for n in range(8)]

    headline, mean, tagged = scores_of("semrel", rows, {}, 0)

    assert (headline.language, headline.subset, headline.setting) == ("esp", None, None)
    assert (tagged.language, tagged.setting) == ("esp", "split=dev")
    assert tagged.value == headline.value == mean.value


def test_no_rows_give_no_scores():
    assert scores_of("semrel", [], {}, 0) == []


def test_the_sample_runs_through():
    rows = rows_of_baseline(open_benchmark("semrel").sample)

    found = scores_of("semrel", rows, {}, 0)

    assert [score.language for score in found[:6]] == ["afr", "eng", "esp", "hin", "ind", None]
    assert all(-1 < score.ci_low < score.value < score.ci_high < 1 for score in found)


def test_prompt_styles_have_rows_of_their_own_and_a_spread():
    golds = [0.2, 0.1, 0.3, 0.5, 0.4]
    rows = [row(n, gold, number=n) for n, gold in enumerate(golds)]
    rows += [
        dataclasses.replace(row(gold, gold, number=n), variant="scale.swapped")
        for n, gold in enumerate(golds)
    ]

    found = scores_of("semrel", rows, {}, 0)

    values = {
        (score.language, score.setting): score for score in found if score.metric == "spearman"
    }
    apart = {score.language: score for score in found if score.metric == "spearman_spread"}
    other = "order=swapped;prompt_style=scale"
    assert found[0].setting is None
    assert values["amh", None].value == pytest.approx(0.8)
    assert values["amh", other].value == values[None, other].value == 1.0
    spread = values["amh", "prompt_style=all"]
    # .8 and 1: mean .9, sample standard deviation .2/√2
    assert (spread.value, spread.sd) == (pytest.approx(0.9), pytest.approx(0.2 / math.sqrt(2)))
    assert (spread.n, spread.ci_low) == (5, None)
    assert set(apart) == {"amh", None}
    assert apart[None].value == apart["amh"].value == pytest.approx(0.2)
    assert (apart["amh"].n, apart["amh"].unit, apart["amh"].setting) == (2, "way of asking", None)


def test_a_style_with_constant_answers_leaves_no_spread():
    golds = [0.2, 0.1, 0.3]
    rows = [row(gold, gold, number=n) for n, gold in enumerate(golds)]
    rows += [
        dataclasses.replace(row(0.5, gold, number=n), variant="scale")
        for n, gold in enumerate(golds)
    ]

    found = scores_of("semrel", rows, {}, 0)

    [spread, _] = [score for score in found if score.metric == "spearman_spread"]
    assert (spread.value, spread.n) == (None, 2)
    assert spread.reason == "no correlation in one of the ways of asking"


def test_violins_are_drawn_from_the_gold_scores_of_each_language():
    rows = [row(0, 0.4), row(0, 0.1), row(0, 0.9, language="tel"), row(0, None, language="arq")]

    assert gold_scores(rows) == {"amh": [0.1, 0.4], "tel": [0.9]}
