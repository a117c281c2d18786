"""What all figures share: two themes, no colour in a specification, names that differ."""

import json
import re

import pytest

from metrics.figures.catalog import draw_figure
from metrics.figures.figure import FigureRun
from metrics.figures.run_names import run_names
from metrics.figures.style import DARK, LIGHT, themed

KINDS = {
    "stingray-plot": ("stingray", {"semantic": "chance", "usage": "chance"}),
    "stingray-bias": ("stingray", {"semantic": "chance", "usage": "chance"}),
    "semrel-spearman": ("semrel", {"relatedness": "overlap"}),
    "semrel-violins": ("semrel", {"relatedness": "overlap"}),
    "dtails-comparison": ("dtails", {"select": "frequency"}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_names_no_colour_and_loads_nothing(sample_run, kind):
    benchmark, baselines = KINDS[kind]

    figure = draw_figure(kind, [sample_run(benchmark, baselines)])

    body = json.dumps({k: v for k, v in figure.specification.items() if k != "config"})
    assert not re.search(r"#[0-9A-Fa-f]{6}", body)
    assert '"url"' not in body
    assert figure.specification["description"] == figure.alt
    assert figure.caption in figure.specification["usermeta"]["caption"]
    assert "n = " in figure.caption
    assert "Method: " in figure.caption


def test_a_theme_changes_the_configuration_alone(sample_run):
    benchmark, baselines = KINDS["semrel-spearman"]
    figure = draw_figure("semrel-spearman", [sample_run(benchmark, baselines)])

    light, dark = themed(figure), themed(figure, is_dark=True)

    assert light.pop("config")["background"] == LIGHT.background
    assert dark.pop("config")["background"] == DARK.background
    assert light == dark


def test_the_caption_stands_in_the_picture_only_if_asked(sample_run):
    benchmark, baselines = KINDS["semrel-spearman"]
    figure = draw_figure("semrel-spearman", [sample_run(benchmark, baselines)])

    assert "subtitle" not in themed(figure)["title"]
    lines = themed(figure, with_caption=True)["title"]["subtitle"]
    assert " ".join(lines) == figure.caption


def named(model, run_id="01RUNAAAAAA", **settings):
    return FigureRun(run_id, "semrel", model, settings, ())


def test_runs_of_one_model_are_told_apart_by_settings_then_by_id():
    runs = [
        named("m", layer=1),
        named("m", layer=2),
        named("n", "01RUNBBBBBB"),
        named("n", "01RUNCCCCCC"),
        named("hf:/models/some/folder/encoder"),
    ]

    assert run_names(runs) == [
        "m (layer=1)", "m (layer=2)", "n (BBBBBB)", "n (CCCCCC)", "hf:encoder",
    ]  # fmt: skip


def test_two_folders_of_one_name_keep_their_paths():
    assert run_names([named("hf:/a/model"), named("hf:/b/model")]) == ["hf:/a/model", "hf:/b/model"]


def test_a_long_name_is_cut_in_the_middle_and_half_a_character_is_replaced():
    (long,) = run_names([named("x" * 100)])
    (odd,) = run_names([named("m\ud800\nb")])

    assert len(long) <= 48
    assert "…" in long
    assert odd == "m? b"
