"""What a person reads in the terminal."""

from metrics.score import Score
from services.cli.printing import print_scores


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
