"""DTAiLS' figures: bars, spreads and lines equal the scores; places stand beside the gold's."""

import dataclasses

import pytest

from metrics.errors import FigureError
from metrics.figures.catalog import draw_figure
from metrics.table import OutcomeRow

N_ITEMS = 6


def answers(seed_values, *, k=2):
    """Answer items of two concepts: the first place is chosen, every other time rightly."""
    return [
        OutcomeRow(
            number, f"{number}", "af", None, f"concept {number % 2}", "select", f"seed{seed}",
            "valid", values[number],
            {"n_variations": k, "position": 1, "gold_position": 1 + number % 2},
            {"frequency": 0.5, "chance": 1 / k},
        )
        for seed, values in enumerate(seed_values, start=1)
        for number in range(N_ITEMS)
    ]  # fmt: skip


@pytest.fixture
def run(run_of_rows):
    rows = answers([[1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0]])
    return run_of_rows("dtails", rows, model="model", settings={"rules": "none"})


def bars(figure):
    return [row for panel in figure.specification["concat"] for row in panel["data"]["values"]]


def test_bars_are_accuracies_and_whiskers_one_standard_deviation_over_seeds(run, compiles):
    figure = draw_figure("dtails-comparison", [run])

    # Seeds 1.0 and 0.5: mean .75; sample standard deviation √(2·.25²/1) = .353553.
    (bar,) = bars(figure)
    assert bar["value"] == 0.75
    assert (bar["low"], bar["high"]) == pytest.approx((0.75 - 0.353553, 0.75 + 0.353553), abs=1e-6)
    compiles(figure)


def test_the_interval_can_be_shown_instead(run):
    (bar,) = bars(draw_figure("dtails-comparison", [run], {"spread": "interval"}))

    score = next(s for s in run.scores if s.metric == "accuracy" and s.language == "af")
    assert (bar["low"], bar["high"]) == (score.ci_low, score.ci_high)


def test_frequency_and_chance_are_lines_of_each_panel(run):
    (panel,) = draw_figure("dtails-comparison", [run]).specification["concat"]

    lines = {
        layer["data"]["values"][0]["name"]: layer["data"]["values"][0]["at"]
        for layer in panel["layer"]
        if "data" in layer
    }
    assert lines == {"frequency": 0.5, "chance": 0.5}


def test_rules_tell_the_runs_of_one_model_apart(run):
    own = dataclasses.replace(run, run_id="r2", settings={"rules": "self"})
    other = dataclasses.replace(run, run_id="r3", settings={"rules": "/rules/gpt-4.json"})

    drawn = bars(draw_figure("dtails-comparison", [run, own, other]))

    assert [(bar["run"], bar["condition"]) for bar in drawn] == [
        ("model (rules=none)", "no rules"),
        ("model (rules=self)", "own rules"),
        ("model (rules=/rules/gpt-4.json)", "another's rules"),
    ]


def test_places_equal_the_scores_with_the_golds_share_beside(run, compiles):
    figure = draw_figure("dtails-positions", [run])

    rows = {
        (row["panel"], row["place"]): (row["value"], row["gold"])
        for row in figure.specification["data"]["values"]
    }
    assert rows == {
        ("af", "1 of 2"): (1.0, 0.5),
        ("af", "2 of 2"): (0.0, 0.5),
        ("pooled (af)", "1 of 2"): (1.0, 0.5),
        ("pooled (af)", "2 of 2"): (0.0, 0.5),
    }
    assert "position" not in figure.alt
    assert "100 %, gold 50 %" in figure.alt
    compiles(figure)


def test_the_sample_is_drawn_with_three_variations_too(sample_run, compiles):
    run = sample_run("dtails", {"select": "frequency"})

    figure = draw_figure("dtails-comparison", [run, dataclasses.replace(run, run_id="r2")])

    assert len({bar["run"] for bar in bars(figure)}) == 2
    compiles(figure)


def test_a_run_without_choices_has_no_places(run_of_rows):
    rows = [OutcomeRow(0, "0", "af", None, "c", "translate", "", "valid", 1.0)]

    with pytest.raises(FigureError, match="no run chose"):
        draw_figure("dtails-positions", [run_of_rows("dtails", rows)])
