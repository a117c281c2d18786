"""The figures of DiBiMT show the scores, compile, and say where there is no value."""

import pytest
import vl_convert

from metrics.catalog import scores_of
from metrics.errors import FigureError
from metrics.figures.catalog import draw_figure
from metrics.figures.dibimt_cells import METRICS, verdict_counts
from metrics.figures.dibimt_errors import group_rows
from metrics.figures.dibimt_verdicts import pieces
from metrics.figures.figure import FigureRun
from metrics.figures.style import VEGA_LITE_VERSION, themed
from metrics.table import OutcomeRow

KINDS = ("verdicts", "errors", "agreement", "pos", "profile")
LONG = "hf:an-organisation/a-translation-model-whose-name-goes-on-and-on-and-on-1.2B-v0.1"


def translated(number, verdict, language="de", mu=2, delta=5, synsets=("s1",)):
    """Return one judged translation."""
    is_scored = verdict in ("GOOD", "BAD")
    detail = {
        "class": verdict,
        "mu": mu,
        "delta": delta,
        "wrong_mu": 1 if verdict == "BAD" else None,
        "matched": {"synsets": list(synsets)} if is_scored else None,
    }
    return OutcomeRow(
        number=number,
        item_id=f"i{number}",
        language=language,
        subset="NOUN" if number % 2 else "VERB",
        unit=f"lemma{number // 2}",
        task="translate",
        variant="",
        status="unanswered" if verdict is None else "valid",
        value={"GOOD": 1.0, "BAD": 0.0}.get(verdict),
        detail={} if verdict is None else detail,
        baselines={"first-sense": float(mu == 1)},
    )


def some_rows(languages=("de", "es", "zh"), shift=0):
    """Return rows of all classes; another shift is another system."""
    classes = ("GOOD", "BAD", "GOOD", "MISS", "BAD", "GOOD", "AMBIGUOUS", None)
    return [
        translated(
            number,
            classes[(number + at * number + shift) % 8],
            language,
            mu=1 + number % 4,
            delta=3 + number % 5,
            synsets=(f"s{(number + at) % 3}",),
        )
        for at, language in enumerate(languages)
        for number in range(24)
    ]


def run_of(rows, model="system"):
    """Return a run with the scores of these rows."""
    return FigureRun(f"run-{model}", "dibimt", model, {}, scores_of("dibimt", rows, {}, 0), rows)


FIRST = run_of(some_rows())
SECOND = run_of(some_rows(("de", "zh"), 3), LONG)
ALONE = run_of(some_rows(("es",), 1), "alone")


def draw(kind, *runs, **options):
    return draw_figure(f"dibimt-{kind}", runs, options)


def score_of(run, metric, language, subset=None, setting=None):
    (found,) = (
        score
        for score in run.scores
        if (score.metric, score.language, score.subset, score.setting)
        == (metric, language, subset, setting)
    )
    return found


@pytest.mark.parametrize("is_dark", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_compiles_with_long_names_and_missing_cells(kind, is_dark):
    figure = draw(kind, FIRST, SECOND, ALONE)

    specification = themed(figure, is_dark=is_dark, with_caption=True)
    svg = vl_convert.vegalite_to_svg(specification, vl_version=VEGA_LITE_VERSION)

    assert kind == "errors" or "no value" in svg
    assert "NaN" not in svg
    assert "Method: Campolungo et al. 2022" in figure.caption
    assert " n = " in figure.caption
    assert all(name in figure.alt for name in ("system", "alone"))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "agreement"])
def test_one_run_of_one_language_is_enough(kind):
    figure = draw(kind, ALONE)

    vl_convert.vegalite_to_vega(themed(figure), vl_version=VEGA_LITE_VERSION)
    assert "alone" in figure.alt


def test_the_classes_are_counted_back_from_the_scores():
    classes = ["GOOD"] * 3 + ["BAD"] * 2 + ["MISS"] * 4 + ["AMBIGUOUS"] + [None] * 5
    run = run_of([translated(number, each) for number, each in enumerate(classes)])

    assert verdict_counts(run, "de") == {"GOOD": 3, "BAD": 2, "MISS": 4, "AMBIGUOUS": 1}
    assert verdict_counts(run, "es") is None


def test_classes_are_counted_where_nothing_is_good_or_bad():
    run = run_of([translated(number, "MISS") for number in range(3)])

    assert verdict_counts(run, "de") == {"GOOD": 0, "BAD": 0, "MISS": 3, "AMBIGUOUS": 0}


def test_no_answer_at_all_is_no_value_and_not_an_empty_bar():
    run = run_of([translated(number, None) for number in range(3)])

    (row,) = draw("verdicts", run).specification["data"]["values"]

    assert (row["verdict"], row["start"]) == (None, None)


def test_pieces_of_a_bar_follow_each_other_and_end_at_one():
    found = pieces({"GOOD": 2, "BAD": 1, "MISS": 1, "AMBIGUOUS": 0}, "shares")

    assert [(each["start"], each["end"]) for each in found] == [
        (0, 0.5), (0.5, 0.75), (0.75, 1.0), (1.0, 1.0)
    ]  # fmt: skip
    assert [each["middle"] for each in found[:3]] == [0.25, 0.625, 0.875]
    assert [
        each["end"] for each in pieces({"GOOD": 2, "BAD": 3, "MISS": 0, "AMBIGUOUS": 0}, "items")
    ][:2] == [2, 5]


def test_groups_are_those_of_the_scores_and_the_rate_is_one_less_accuracy():
    rows = [row for row in FIRST.rows if row.language == "es" and row.value is not None]

    for found in group_rows(rows, "mu", 0):
        score = score_of(FIRST, "accuracy", "es", setting=f"mu={found['index']}")
        assert found["n"] == found["good"] + found["bad"] == score.n
        assert found["value"] == pytest.approx(1 - score.value)
        if score.interval == "wilson":
            assert found["low"] == pytest.approx(1 - score.ci_high)


def test_groups_worked_by_hand_are_never_merged():
    rows = [
        translated(0, "GOOD", mu=1),
        translated(1, "BAD", mu=1),
        translated(2, "BAD", mu=7),
        translated(3, "GOOD", "es", mu=1),
    ]
    run = run_of(rows)

    figure = draw("errors", run, by="mu")

    (view,) = figure.specification["vconcat"][0]["hconcat"]
    shown = [
        (row["index"], row["good"], row["bad"], row["value"]) for row in view["data"]["values"]
    ]
    # both languages together: μ 1 has 2 GOOD, 1 BAD
    assert shown == [(1, 2, 1, pytest.approx(1 / 3)), (7, 0, 1, 1.0)]
    only = draw("errors", run, by="mu", language="es").specification["vconcat"][0]["hconcat"][0]
    assert [row["index"] for row in only["data"]["values"]] == [1]


def test_errors_of_a_part_of_speech_that_is_not_there_are_refused():
    run = run_of([translated(0, "GOOD")])

    with pytest.raises(FigureError, match="no run has a GOOD or BAD translation"):
        draw("errors", run, pos="NOUN")
    with pytest.raises(FigureError, match=r"allowed: all, de$"):
        draw("errors", run, language="fr")


def test_agreement_is_the_score_of_each_pair_and_the_mean_of_systems_is_unweighted():
    other = run_of(some_rows(shift=2), "other")

    figure = draw("agreement", FIRST, other)

    first, second, mean = (each["data"]["values"] for each in figure.specification["concat"])
    for one, two, both in zip(first, second, mean, strict=True):
        pair = f"{one['first']}_{one['second']}"
        assert one["value"] == score_of(FIRST, "sense_agreement", pair).value
        assert both["value"] == pytest.approx((one["value"] + two["value"]) / 2)


def test_the_mean_of_systems_has_no_value_where_a_system_has_none():
    figure = draw("agreement", FIRST, SECOND)

    mean = figure.specification["concat"][-1]["data"]["values"]
    values = {(cell["first"], cell["second"]): cell["value"] for cell in mean}
    assert values["de", "es"] is None
    assert values["de", "zh"] is not None


def test_agreement_needs_two_languages():
    with pytest.raises(FigureError, match="two languages; met es alone"):
        draw("agreement", ALONE)


@pytest.mark.parametrize("metric", METRICS)
def test_bars_by_part_of_speech_are_the_scores(metric):
    figure = draw("pos", FIRST, metric=metric)

    for row in figure.specification["data"]["values"]:
        language = None if row["language"] == "mean" else row["language"]
        assert row["value"] == score_of(FIRST, metric, language, row["pos"]).value


def test_a_profile_shows_every_score_of_every_language_and_their_mean():
    figure = draw("profile", FIRST)

    page = figure.specification["vconcat"][0]
    shown = {
        (row["panel"], row["language"], row["label"]): row
        for row in page["vconcat"][1]["data"]["values"]
    }
    for metric, name in METRICS.items():
        for language in ("de", "es", "zh", None):
            for part, subset in (("all words", None), ("NOUN", "NOUN"), ("VERB", "VERB")):
                score = score_of(FIRST, metric, language, subset)
                assert shown[name, language or "mean", part]["value"] == score.value
    large = score_of(FIRST, "sfii", "de", setting="min_group=5")
    assert shown["SFII, n ≥ 5", "de", "all words"]["value"] == large.value
    accuracy = score_of(FIRST, "accuracy", "de")
    shown_baseline = shown["accuracy", "de", "all words"]["first-sense"]
    assert shown_baseline == accuracy.baselines["first-sense"]


def test_runs_without_translations_are_refused():
    run = FigureRun("r", "dibimt", "m", {}, [], [])

    with pytest.raises(FigureError, match="no judged translations"):
        draw("verdicts", run)
