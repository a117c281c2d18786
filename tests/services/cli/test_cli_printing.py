"""What a person reads in the terminal."""

from metrics.score import Score
from services.cli.printing import (
    number,
    print_scores,
    undefined_sentences,
    without_empty_headlines,
    worth_a_glance,
)


def score(**given):
    known = {"benchmark": "b", "metric": "accuracy", "task": "t", "value": 0.5, "n": 10}
    return Score.model_validate({**known, **given})


def test_a_score_shows_its_interval_n_coverage_and_baselines(capsys):
    print_scores(
        [score(language="de", ci_low=0.25, ci_high=0.75, coverage=0.9, baselines={"chance": 0.5})]
    )

    line = capsys.readouterr().out.splitlines()[-1]
    assert line.split() == [
        *("t", "accuracy", "de", "0.500", "0.250", "0.750", "10", "90%", "▪▪▪▪▪·····"),
        *("chance", "0.500"),
    ]


def test_a_missing_value_is_a_dash_with_its_reason_never_zero(capsys):
    print_scores([score(value=None, reason="no case was answered", n=0)])

    shown = capsys.readouterr().out
    assert "0.000" not in shown
    assert "– no case was answered" in shown


def test_markup_in_data_is_shown_and_not_obeyed(capsys):
    print_scores([score(language="[red]x[/red]")])

    assert "[red]x[/red]" in capsys.readouterr().out


def test_where_a_headline_is_undefined_its_subsets_stand_in_for_it():
    whole = score(metric="bias", language="en_de", value=None, reason="never pooled", n=0)
    parts = [score(metric="bias", language="en_de", subset=name) for name in ("same", "false")]
    accuracy = score(language="en_de")

    assert without_empty_headlines([accuracy, whole, *parts]) == [accuracy, *parts]


def test_a_headline_whose_subsets_have_no_value_either_stays():
    whole = score(language="de", value=None, reason="no answer", n=0)
    part = score(language="de", subset="noun", value=None, reason="no answer", n=0)
    elsewhere = score(language="es", subset="noun")

    assert without_empty_headlines([whole, part, elsewhere]) == [whole, part, elsewhere]


def test_of_many_rows_the_subsets_of_what_is_never_pooled_and_of_the_main_score_are_shown():
    kept, left_out = [], []
    for index in range(20):
        own = {"language": f"l{index}"}
        kept += [score(**own), score(metric="ties", **own)]
        kept += [score(subset="noun", **own), score(metric="bias", subset="noun", **own)]
        left_out.append(score(metric="bias", value=None, reason="never pooled", **own))
        left_out.append(score(metric="ties", subset="noun", **own))
        left_out.append(score(setting="parser=paper", **own))

    assert worth_a_glance([*kept, *left_out]) == kept


def test_of_many_rows_only_headlines_are_shown_where_all_have_a_value():
    headlines = [score(language=f"l{number}") for number in range(40)]
    parts = [score(language=f"l{number}", subset="noun") for number in range(40)]

    assert worth_a_glance([*headlines, *parts]) == headlines


def test_a_main_score_without_a_value_is_told_with_its_reason_once():
    equal = "all 4 predictions are equal"
    rows = [
        score(metric="spearman", language="amh", value=None, reason=equal),
        score(metric="spearman", language="eng", value=None, reason=equal),
        score(metric="spearman", language=None, value=None, reason="no value for amh, eng"),
        score(metric="mfs", language="eng", value=None, reason="no BAD item"),
        score(metric="pearson", task=None, value=None, reason="too few languages"),
    ]

    assert undefined_sentences(rows) == [f"t: no spearman for amh, eng: {equal}"]


def test_a_zero_has_no_sign():
    assert [number(value) for value in (-0.0, -0.0001, -0.25)] == ["0.000", "0.000", "-0.250"]
