"""StingrayBench's figures: where the contours run, where the points stand, what is said."""

import math

import pytest

from metrics.errors import FigureError
from metrics.figures.catalog import draw_figure
from metrics.figures.stingray_bias import absolute
from metrics.figures.stingray_contours import arcs, ray_end, rays
from metrics.figures.stingray_families import family_of, parameters_of
from metrics.table import OutcomeRow

ANSWERS = {"semantic": "always-c", "usage": "always-yes"}


@pytest.fixture
def run(sample_run):
    return sample_run("stingray", ANSWERS, model="yes and both")


def panels(figure):
    return {panel["title"]["text"]: panel for panel in figure.specification["concat"]}


def points(panel):
    return panel["data"]["values"]


def random_places(panel):
    layer = next(
        layer for layer in panel["layer"] if layer["mark"].get("style") == "reference-mark"
    )
    return [(row["x"], row["y"]) for row in layer["data"]["values"]]


@pytest.mark.parametrize(
    ("bias", "x", "y"),
    # tan(π/8) = √2 − 1: half of a quarter turn to either side meets the square's edge at 41.42.
    [(0, 100, 100), (-1, 100, 0), (1, 0, 100), (-0.5, 100, 41.4214), (0.5, 41.4214, 100)],
)
def test_a_ray_leaves_the_square_where_its_bias_says(bias, x, y):
    assert ray_end(bias) == pytest.approx((x, y), abs=1e-4)


def test_the_arc_of_comprehension_20_has_radius_28_and_meets_the_diagonal_at_20():
    arc = [row for row in arcs() if row["line"] == "arc 20.0"]

    assert (arc[0]["x"], arc[0]["y"]) == pytest.approx((28.2843, 0), abs=1e-4)
    assert (arc[-1]["x"], arc[-1]["y"]) == pytest.approx((0, 28.2843), abs=1e-4)
    middle = next(row for row in arc if row["label"])
    assert (middle["x"], middle["y"], middle["label"]) == (
        pytest.approx(20),
        pytest.approx(20),
        "20",
    )


def test_an_arc_beyond_the_edge_is_cut_there():
    arc = [row for row in arcs() if row["line"] == "arc 80.0"]

    # radius² = 2·80² = 12,800; at x = 100: y = √(12,800 − 10,000) = √2,800 = 52.915
    assert (arc[0]["x"], arc[0]["y"]) == pytest.approx((100, math.sqrt(2800)))
    assert all(row["x"] <= 100 + 1e-9 and row["y"] <= 100 + 1e-9 for row in arcs())


def test_rays_carry_one_minus_the_absolute_bias():
    ends = {
        (round(row["x"], 2), round(row["y"], 2)): row["label"] for row in rays() if row["order"]
    }

    assert ends[100.0, 41.42] == ends[41.42, 100.0] == "0.5"


def test_the_plot_has_true_cognates_on_the_left_and_false_friends_on_the_right(run, compiles):
    figure = draw_figure("stingray-plot", [run])

    assert list(panels(figure)) == ["true cognates", "false friends"]
    compiles(figure)


def test_points_stand_where_always_yes_and_always_both_lead(run):
    figure = draw_figure("stingray-plot", [run])
    by_task = draw_figure("stingray-plot", [run], {"by": "task"})

    # True cognates: all right. False friends: usage .5 and .5, semantic 0 and 0; mean .25.
    (cognate,), (friend,) = (points(panel) for panel in panels(figure).values())
    assert (cognate["x"], cognate["y"]) == (100, 100)
    assert (friend["x"], friend["y"]) == (25, 25)
    (usage,) = points(panels(by_task)["usage · false friends"])
    assert (usage["x"], usage["y"]) == (50, 50)


def test_random_answers_stand_where_the_number_of_labels_says(run):
    by_task = panels(draw_figure("stingray-plot", [run], {"by": "task"}))
    both = panels(draw_figure("stingray-plot", [run]))

    assert random_places(by_task["usage · false friends"]) == [(50.0, 50.0)]
    assert random_places(by_task["semantic · true cognates"]) == [(33.33, 33.33)]
    assert random_places(both["false friends"]) == [(41.67, 41.67)]


def test_a_pairs_point_and_cross_equal_its_accuracy_scores(run, compiles):
    figure = draw_figure("stingray-plot", [run], {"by": "task,language"})

    (point,) = points(panels(figure)["en_de · usage · false friends"])
    scores = {
        score.language: score
        for score in run.scores
        if (score.metric, score.task, score.subset) == ("accuracy", "usage", "false_friend")
        and (score.language or "").startswith("en_de:")
    }
    assert point["x"] == 100 * scores["en_de:L1"].value
    assert point["x_low"] == 100 * scores["en_de:L1"].ci_low
    assert point["y_high"] == 100 * scores["en_de:L2"].ci_high
    compiles(figure)


def test_a_side_without_an_answer_is_named_and_not_drawn_at_zero(run_of_rows):
    rows = [
        OutcomeRow(0, "0", "en_de", "false_friend", "gift", "usage", side, "unanswered", None)
        for side in ("L1", "L2")
    ]

    figure = draw_figure("stingray-plot", [run_of_rows("stingray", rows, model="silent")])

    panel = panels(figure)["false friends"]
    assert points(panel) == []
    assert panel["title"]["subtitle"] == ["silent: no value: a side has no answer"]
    assert "no run has a value" in figure.alt


@pytest.mark.parametrize("task", ["all", "semantic", "usage"])
def test_comprehension_and_bias_equal_the_scores(run, compiles, task):
    drawn = {
        kind: draw_figure(f"stingray-{kind}", [run], {"task": task})
        for kind in ("comprehension", "bias")
    }

    scores = {
        (score.metric, score.language or "all pairs", score.subset.replace("_", " ") + "s"): score
        for score in run.scores
        if score.subset
        and score.setting is None
        and score.task == (None if task == "all" else task)
    }
    for kind, factor in (("comprehension", 100), ("bias", 1)):
        for row in drawn[kind].specification["data"]["values"]:
            value = scores[f"cognate_{kind}", row["pair"], row["subset"]].value
            assert row["value"] == (None if value is None else factor * value)
            assert (row["missing"] is None) == (value is not None)
        compiles(drawn[kind])


def test_a_long_reason_is_numbered_and_stands_in_the_caption(run):
    figure = draw_figure("stingray-bias", [run], {"task": "semantic"})

    missing = {row["missing"] for row in figure.specification["data"]["values"]}
    assert "no value (1)" in missing
    assert "(1) even by construction" in figure.caption


def test_the_interval_of_an_absolute_bias_begins_at_0_where_the_signed_one_holds_it():
    assert absolute({"value": -0.2, "low": -0.6, "high": 0.1}) == {
        "value": 0.2, "low": 0.0, "high": 0.6,
    }  # fmt: skip
    assert absolute({"value": -0.4, "low": -0.6, "high": -0.1}) == {
        "value": 0.4, "low": 0.1, "high": 0.6,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("model", "family", "billions"),
    [
        ("hf:Qwen/Qwen2.5-0.5B-Instruct", "Qwen-2.5", 0.5),
        ("bloomz-560m", "BLOOMZ", 0.56),
        ("hf:bigscience/bloomz-7b1", "BLOOMZ", 7.1),
        ("openai:gpt-4o-mini", "GPT-4o mini", None),
        ("CohereForAI/aya-101", "Aya-101", 13.0),
        ("meta-llama/Llama-3.1-70B", "Llama-3.1", 70.0),
        ("phi-3-mini-4k", "Phi-3", None),
        ("fake", "other", None),
    ],
)
def test_family_and_size_are_read_in_a_models_name(model, family, billions):
    assert family_of(model) == family
    assert parameters_of(model, {}) == billions


def test_scale_has_a_line_a_family_and_names_the_runs_without_a_size(sample_run, compiles):
    runs = [
        sample_run("stingray", ANSWERS, model=model, run_id=model)
        for model in ("Llama-3.1-8B", "Llama-3.1-70B", "nameless")
    ]

    figure = draw_figure("stingray-parameters", runs)

    sizes = {(row["run"], row["parameters"]) for row in figure.specification["data"]["values"]}
    assert sizes == {("Llama-3.1-8B", 8.0), ("Llama-3.1-70B", 70.0)}
    assert "Without a known size: nameless" in figure.caption
    compiles(figure)
    given = draw_figure("stingray-parameters", runs, {"sizes": "nameless:3"})
    assert "Without a known size" not in given.caption


def test_runs_without_any_size_are_refused(run):
    with pytest.raises(FigureError, match="no size in the models' names"):
        draw_figure("stingray-parameters", [run])
    with pytest.raises(FigureError, match="expected name:number"):
        draw_figure("stingray-parameters", [run], {"sizes": "yes:big"})


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("stingray-plot", {"by": "colour"}, "allowed: all, task"),
        ("stingray-plot", {"size": "3"}, "no option 'size'"),
        ("semrel-violins", {}, "draws runs of semrel; met stingray"),
        ("pie", {}, "unknown figure 'pie'"),
    ],
)
def test_wrong_use_is_one_clear_sentence(run, kind, options, message):
    with pytest.raises(FigureError, match=message):
        draw_figure(kind, [run], options)
