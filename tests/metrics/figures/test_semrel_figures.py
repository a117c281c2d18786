"""SemRel2024's figures: bars equal the scores, violins hold the gold, every pair is a point."""

import pytest

from metrics.errors import FigureError
from metrics.figures.catalog import draw_figure
from metrics.table import OutcomeRow


@pytest.fixture
def run(sample_run):
    return sample_run("semrel", {"relatedness": "overlap"}, model="overlap — 重なり")


def values(figure):
    return figure.specification["data"]["values"]


def test_bars_and_whiskers_equal_the_scores(run, compiles):
    figure = draw_figure("semrel-spearman", [run])

    scores = {s.language: s for s in run.scores if s.language and s.setting is None}
    assert {row["language"]: (row["value"], row["low"], row["high"]) for row in values(figure)} == {
        name: (score.value, score.ci_low, score.ci_high) for name, score in scores.items()
    }
    assert "重なり" in compiles(figure)


def test_published_values_have_a_lane_of_their_own_and_can_be_left_out(run):
    figure = draw_figure("semrel-spearman", [run])
    without = draw_figure("semrel-spearman", [run], {"published": "none"})

    marks = figure.specification["layer"][-1]["data"]["values"]
    tuned = [row for row in marks if row["system"].startswith("LaBSE, tuned on all")]
    assert {row["language"]: row["value"] for row in tuned}["hin"] == 0.77
    assert {row["run"] for row in marks} == {"published"}
    assert all("data" not in layer for layer in without.specification["layer"])


def test_constant_predictions_have_no_bar_and_say_why(run_of_rows, compiles):
    rows = [
        OutcomeRow(
            n, f"p{n}", "amh", None, f"p{n}", "relatedness", "", "valid", 0.5, {"gold": n / 5}
        )
        for n in range(5)
    ]

    figure = draw_figure("semrel-spearman", [run_of_rows("semrel", rows)])

    (row,) = values(figure)
    assert row["value"] is None
    assert row["missing"].startswith("no value")
    assert "no value in any language" in figure.alt
    compiles(figure)


def test_a_language_that_one_run_lacks_is_not_asked(run, run_of_rows):
    rows = [row for row in run.rows if row.language == "eng"]
    english = run_of_rows("semrel", rows, model="english only", run_id="r2")

    figure = draw_figure("semrel-spearman", [run, english])

    missing = {row["language"]: row["missing"] for row in values(figure) if row["run"] != run.model}
    assert missing["eng"] is None
    assert missing["hin"] == "no value: not asked"


def test_violins_hold_every_gold_score(run, compiles):
    figure = draw_figure("semrel-violins", [run])

    golds = sorted(row.detail["gold"] for row in run.rows)
    assert sorted(row["gold"] for row in values(figure)) == golds
    assert f"n = {len(golds)} pairs" in figure.caption
    compiles(figure)


def test_violins_need_an_answered_run(run_of_rows):
    row = OutcomeRow(0, "p", "amh", None, "p", "relatedness", "", "unanswered", None)

    with pytest.raises(FigureError, match="no gold score"):
        draw_figure("semrel-violins", [run_of_rows("semrel", [row])])


def test_the_scatter_has_a_point_for_every_answered_pair(run, compiles):
    figure = draw_figure("semrel-scatter", [run])

    drawn = [
        (point["gold"], point["predicted"])
        for panel in figure.specification["concat"]
        for point in panel["data"]["values"]
    ]
    assert sorted(drawn) == sorted((row.detail["gold"], row.value) for row in run.rows)
    compiles(figure)
