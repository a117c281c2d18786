"""The figures of XCOMPS show the scores, compile, and say where there is no value."""

from dataclasses import replace

import pytest
import vl_convert

from benchmarks.xcomps.languages import groups_of, language_table
from metrics.catalog import scores_of
from metrics.errors import FigureError
from metrics.figures.catalog import draw_figure
from metrics.figures.figure import FigureRun
from metrics.figures.style import VEGA_LITE_VERSION, themed
from metrics.table import OutcomeRow
from metrics.xcomps_differences import paired_differences

TYPES = ("taxonomic", "overlap", "co-occurrence", "random")
LANGUAGES = ("de", "fr", "hu", "zh")
LONG = "hf:an-organisation/a-model-whose-name-goes-on-and-on-and-on-and-on-Instruct-v0.1"
KINDS = ("heat-map", "correlation", "typology", "layers", "peak", "differences")


def pair_row(number, task, value, language="de", **changes):
    """Return the row of one pair of sentences, judged by Direct or Meta."""
    fields = {
        "number": number,
        "item_id": str(number),
        "language": language,
        "subset": TYPES[number % 4],
        "unit": f"group{number // 4}",
        "task": task,
        "variant": "",
        "status": "unanswered" if value is None else "valid",
        "value": value,
        "detail": {},
        "baselines": {"chance": 0.5},
        **changes,
    }
    return OutcomeRow(**fields)


def probed_row(number, good, bad, language="de"):
    """Return the row of one pair; `good` and `bad` are the decisions of every layer."""
    folds = {
        "fold": [number % 2, number % 2],
        "decisions": [good, bad],
        "control": ["1" * len(good), "1" * len(bad)],
        "words": [1, 0],
    }
    detail = {
        "n_layers": len(good),
        "control_labels": [1, 0],
        "is_repeated": [False, False],
        "has_both_labels": [False, False],
        "folds": {"sentence": folds, "group": folds},
    }
    return pair_row(number, "neuro", 0.5, language, detail=detail)


def some_rows(shift=0, languages=LANGUAGES):
    """Return rows of all three tasks; another shift is another model."""
    rows = []
    for at, language in enumerate(languages):
        for number in range(16):
            right = float((number * (at + 2) + shift) % 5 > 1)
            rows.append(pair_row(number, "meta", 1 - right, language))
            rows.append(pair_row(number, "direct", right, language))
            good = "".join(str(int((number + layer + shift) % 3 > 0)) for layer in range(4))
            bad = "".join(str(int((number + at) % 4 < layer)) for layer in range(4))
            rows.append(probed_row(number, good, bad, language))
    return rows


def run_of(rows, model="base", settings=None):
    """Return a run with the scores of these rows."""
    settings = settings or {}
    found = scores_of("xcomps", rows, settings, 0)
    return FigureRun(f"run-{model}", "xcomps", model, settings, found, rows)


BASE = run_of(some_rows())
OTHER = run_of(some_rows(shift=2, languages=LANGUAGES[:3]), LONG)
DIRECT_ONLY = run_of([row for row in some_rows(3) if row.task == "direct"], "direct only")


def draw(kind, *runs, **options):
    return draw_figure(f"xcomps-{kind}", runs, options)


def cells(part):
    """Return every row of data in a specification."""
    if isinstance(part, dict):
        own = part["values"] if isinstance(part.get("values"), list) else []
        own = [row for row in own if isinstance(row, dict)]
        return own + [row for each in part.values() for row in cells(each)]
    return [row for each in part for row in cells(each)] if isinstance(part, list) else []


def cell_of(figure, **wanted):
    """Return the one row of data with these fields."""
    (found,) = (
        row
        for row in cells(dict(figure.specification))
        if all(row.get(name) == value for name, value in wanted.items())
    )
    return found


def score_of(run, metric, task, **wanted):
    wanted = {"language": None, "subset": None, "setting": None, "layer": None, **wanted}
    (found,) = (
        score
        for score in run.scores
        if (score.metric, score.task) == (metric, task)
        and all(getattr(score, name) == value for name, value in wanted.items())
    )
    return found


@pytest.mark.parametrize("is_dark", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_compiles_with_long_names_and_missing_cells(kind, is_dark):
    figure = draw(kind, BASE, OTHER, DIRECT_ONLY)

    specification = themed(figure, is_dark=is_dark, with_caption=True)
    svg = vl_convert.vegalite_to_svg(specification, vl_version=VEGA_LITE_VERSION)

    assert "no value" in svg
    assert "NaN" not in svg
    assert "direct only" in figure.alt
    assert "Method: He et al. 2025" in figure.caption
    assert " n = " in figure.caption


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "differences"])
def test_one_run_is_enough_but_for_differences(kind):
    figure = draw(kind, BASE)

    vl_convert.vegalite_to_vega(themed(figure), vl_version=VEGA_LITE_VERSION)
    assert "base" in figure.alt


def test_the_heat_map_prints_the_scores_and_leaves_what_is_missing_empty():
    figure = draw("heat-map", BASE, DIRECT_ONLY)

    maps = figure.specification["vconcat"]
    first, second = maps[0]["data"]["values"], maps[1]["data"]["values"]
    assert len(first) == 3 * len(LANGUAGES) * 4
    for cell in first:
        task, metric = cell["method"].lower(), "f1" if cell["method"] == "Neuro" else "accuracy"
        score = score_of(BASE, metric, task, language=cell["language"], subset=cell["type"])
        assert cell["value"] == score.value
    assert {cell["value"] for cell in second if cell["method"] == "Neuro"} == {None}
    assert "32 of 48 cells have no value" in figure.alt


def test_the_heat_map_takes_the_best_layer_where_it_is_asked():
    mean = cell_of(draw("heat-map", BASE), method="Neuro", language="hu", type="random")
    best = cell_of(
        draw("heat-map", BASE, neuro="best"), method="Neuro", language="hu", type="random"
    )

    wanted = {"language": "hu", "subset": "random"}
    assert best["value"] == score_of(BASE, "f1", "neuro", setting="layers=best", **wanted).value
    assert best["value"] > mean["value"]


def test_a_run_whose_own_summary_is_the_best_layer_still_shows_the_mean():
    run = run_of(some_rows(), settings={"neuro_summary": "best"})

    shown = cell_of(draw("heat-map", run), method="Neuro", language="de", type="random")

    assert shown["value"] == pytest.approx(
        score_of(BASE, "f1", "neuro", language="de", subset="random").value
    )


@pytest.mark.parametrize("coefficient", ["pearson", "spearman"])
@pytest.mark.parametrize(("neuro", "setting"), [("mean", None), ("best", "layers=best")])
def test_the_correlation_is_the_score_and_its_points_are_the_languages(coefficient, neuro, setting):
    figure = draw("correlation", BASE, coefficient=coefficient, neuro=neuro)

    score = score_of(BASE, coefficient, None, subset="overlap", setting=setting)
    shown, points = figure.specification["vconcat"]
    values = {row["type"]: row["value"] for row in shown["data"]["values"]}
    assert values["overlap"] == score.value
    languages = {row["language"] for row in points["data"]["values"] if row["type"] == "overlap"}
    assert languages == set(LANGUAGES)


def test_a_correlation_of_two_languages_says_why_it_has_no_value():
    figure = draw("correlation", run_of(some_rows(languages=("de", "fr"))))

    assert "2 languages; a correlation over languages needs 3" in figure.alt


def test_the_mean_of_a_class_is_the_stored_one_and_english_is_in_none():
    run = run_of(some_rows(languages=("de", "en", "fr", "hu")))

    figure = draw("typology", run)

    shown = cell_of(figure, method="Direct", type="all types", group="inflectional (2)")
    stored = score_of(run, "accuracy", "direct", setting="typology=inflectional")
    assert shown["value"] == pytest.approx(stored.value)
    de, fr = (score_of(run, "accuracy", "direct", language=name).value for name in ("de", "fr"))
    assert shown["value"] == pytest.approx((de + fr) / 2)
    groups = {row["group"] for row in cells(dict(figure.specification)) if "group" in row}
    assert groups == {"inflectional (2)", "agglutinative (1)"}


def test_languages_are_also_grouped_by_family_and_by_resources():
    by_family = draw("typology", BASE, by="family", types="all")
    by_resource = draw("typology", BASE, by="resource", types="all")

    assert cell_of(by_family, group="Romance (1)", method="Meta")["value"] is not None
    groups = {row["group"] for row in cells(dict(by_resource.specification)) if "group" in row}
    assert groups == {"class 4 (1)", "class 5 (3)"}


def test_every_language_has_a_class_of_resources_and_all_but_english_a_family():
    families = [name for members in groups_of("family").values() for name in members]
    resources = [name for members in groups_of("resource").values() for name in members]

    assert sorted(families) == sorted(set(language_table()) - {"en"})
    assert sorted(resources) == sorted(language_table())
    assert groups_of("family")["Romance"] == ("ca", "es", "fr")


def test_curves_are_the_scores_by_layer_and_the_control_is_f1_less_selectivity():
    figure = draw("layers", BASE, lines="all", type="overlap")

    for layer in range(4):
        shown = cell_of(figure, label="base", language="fr", layer=layer)
        wanted = {"language": "fr", "subset": "overlap", "layer": layer}
        f1, more = (score_of(BASE, name, "neuro", **wanted) for name in ("f1", "selectivity"))
        assert (shown["value"], shown["low"], shown["high"]) == (f1.value, f1.ci_low, f1.ci_high)
        assert shown["control"] == pytest.approx(f1.value - more.value)
        # calling every sentence of one random label a pair right is F1 2/3
        assert shown["control"] == pytest.approx(2 / 3)
        assert shown["words"] == 1.0
    assert cell_of(figure, language="mean of languages", layer=2, label="base")["value"] is not None


def test_selectivity_refuses_the_lines_that_stand_beside_f1():
    with pytest.raises(FigureError, match="lines=control stands beside show=f1 only"):
        draw("layers", BASE, show="selectivity", lines="control")
    with pytest.raises(FigureError, match="no scores of neuro"):
        draw("layers", DIRECT_ONLY)


def test_the_peak_is_the_lowest_layer_of_a_tie_also_as_a_share_of_the_depth():
    # layer 0 decides all wrong, layers 1 and 2 all right
    rows = [probed_row(number, "011", "100", name) for name in ("de", "zh") for number in range(8)]
    run = run_of(rows)

    layers, shares = draw("peak", run), draw("peak", run, depth="share")

    assert cell_of(layers, language="zh", type="random")["value"] == 1
    assert cell_of(shares, language="zh", type="random")["value"] == 1 / 2


def test_a_difference_is_the_other_less_the_first_on_the_pairs_that_both_answered():
    first = [pair_row(number, "direct", float(number < 4)) for number in range(8)]
    second = [pair_row(number, "direct", float(number != 7)) for number in range(8)]
    second[0] = pair_row(0, "direct", None)

    found = {
        (each.language, each.subset): each.estimate
        for each in paired_differences(first, second, {}, 0)
    }

    # pair 0 is left out: 3 of 7 right, then 6 of 7
    assert found["de", None].value == pytest.approx(3 / 7)
    assert found["de", None].n == 7
    assert found["de", "random"].value == 0  # pairs 3 and 7: right and wrong with both
    assert found[None, None].value == found["de", None].value


def test_a_difference_of_probes_is_the_difference_of_their_scores():
    rows, others = some_rows(), some_rows(shift=2)

    found = paired_differences(rows, others, {}, 0)

    before, after = run_of(rows), run_of(others)
    for each in found:
        if each.task == "neuro" and each.language is not None:
            wanted = {"language": each.language, "subset": each.subset}
            one, other = (score_of(run, "f1", "neuro", **wanted).value for run in (before, after))
            assert each.estimate.value == pytest.approx(other - one)
            assert each.estimate.ci_low <= each.estimate.value <= each.estimate.ci_high


def test_a_run_does_not_differ_from_itself():
    found = paired_differences(BASE.rows, BASE.rows, {}, 0)

    assert {each.estimate.value for each in found} == {0.0}


def test_left_out_pairs_count_in_no_difference():
    rows = [pair_row(number, "direct", 1.0) for number in range(4)]
    rows[1] = replace(rows[1], value=None, detail={"left_out": "identical"})

    found = paired_differences(rows, rows, {}, 0)
    (overall,) = (each for each in found if each.language == "de" and each.subset is None)

    assert overall.estimate.n == 3


def test_differences_need_two_runs_that_share_pairs():
    with pytest.raises(FigureError, match="needs a first run and one to compare"):
        draw("differences", BASE)
    stranger = run_of(some_rows(languages=("ru",)), "stranger")
    with pytest.raises(FigureError, match="share no pair of sentences"):
        draw("differences", BASE, stranger)


def test_a_cell_that_only_one_run_has_is_empty_in_the_differences():
    figure = draw("differences", BASE, OTHER, DIRECT_ONLY, types="all")

    missing = cell_of(figure, label="direct only", method="Neuro", language="mean")
    assert (missing["value"], missing["reason"]) == (None, "not asked in both runs")
    assert "direct only, Neuro: no value" in figure.alt


def test_unknown_options_and_values_are_refused_with_what_is_allowed():
    with pytest.raises(FigureError, match="no option 'colour'; allowed: neuro"):
        draw("heat-map", BASE, colour="red")
    with pytest.raises(FigureError, match="allowed: typology, family, resource"):
        draw("typology", BASE, by="script")
