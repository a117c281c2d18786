"""What a comparison says in one sentence, and when a gate closes."""

import pytest

from metrics.comparison import Compared
from metrics.comparison_verdict import UndecidedError, direction, gate, gated, verdict


def compared(language, difference, p_holm, metric="accuracy", **changes):
    given = {
        "metric": metric, "task": "pick", "language": language, "subset": None, "layer": None,
        "setting": None, "a": 0.5, "b": 0.5 + difference, "difference": difference,
        "ci_low": difference - 0.02, "ci_high": difference + 0.02, "p_value": p_holm,
        "p_holm": p_holm, "n": 100, "minimum_detectable": 0.0401,
    }  # fmt: skip
    return Compared(**{**given, **changes})


def test_the_verdict_counts_languages_and_says_what_could_not_be_seen():
    rows = [compared(name, 0.1, 0.01) for name in ("af", "hy", "fa")]
    rows += [compared(f"x{number}", 0.0, 1.0) for number in range(6)]
    rows += [compared(None, 0.03, 0.02), compared("af", 0.5, 0.01, subset="easy")]

    assert verdict(rows) == (
        "accuracy: B is better on 3 of 9 languages after Holm;"
        " no difference detectable below 4.1 points on the rest"
    )


def test_the_verdict_tells_better_from_worse():
    rows = [compared("af", 0.1, 0.01), compared("hy", -0.1, 0.01)]

    assert verdict(rows) == (
        "accuracy: B is better on 1 of 2 languages after Holm; worse on 1 of 2 languages after Holm"
    )
    assert verdict([compared("de", 0.1, 0.01, "sfii")]) == (
        "sfii: B is worse on 1 of 1 language after Holm"
    )


def test_without_a_finding_the_verdict_says_how_small_a_difference_could_hide():
    assert verdict([compared("af", 0.01, 0.6)]) == (
        "accuracy: no difference detectable below 4.1 points"
    )
    assert verdict([]) == "nothing to decide: no difference could be tested"


def test_several_tasks_are_counted_apart():
    rows = [compared("de", 0.1, 0.01, task=task) for task in ("direct", "meta")]

    assert verdict(rows) == "accuracy: B is better on 2 of 2 language × task cells after Holm"


def test_the_gate_closes_only_where_the_whole_interval_is_beyond_the_margin():
    # -0.05 ± 0.02: at least 0.03 is lost
    lost = [compared(None, -0.05, 0.01)]

    assert gate(lost, 0.02).is_worse
    assert not gate(lost, 0.03 + 1e-9).is_worse
    assert not gate([compared(None, 0.05, 0.01)], 0.0).is_worse
    assert gate([compared(None, 0.05, 0.01, "miss_share")], 0.02).is_worse


def test_the_gate_decides_on_the_headline_mean_unless_told_otherwise():
    rows = [
        compared("af", -0.5, 0.01), compared(None, 0.0, 1.0), compared(None, -0.5, 0.01, "f1"),
    ]  # fmt: skip

    assert [row.language for row in gated(rows, (), (), ())] == [None]
    assert not gate(gated(rows, (), (), ()), 0.02).is_worse
    assert gate(gated(rows, (), (), ("af",)), 0.02).is_worse
    assert gate(gated(rows, ("f1",), (), ()), 0.02).is_worse


def test_a_gate_without_anything_to_decide_on_says_why():
    lost = {"ci_low": None, "ci_high": None, "reason": "A: n"}
    rows = [compared(None, 0.0, None, **lost)]

    with pytest.raises(UndecidedError, match="cannot be compared: A: n"):
        gate(gated(rows, ("accuracy",), (), ()), 0.02)
    with pytest.raises(UndecidedError, match="share no score of accuracy, pick, tlh"):
        gated(rows, ("accuracy",), ("pick",), ("tlh",))
    with pytest.raises(UndecidedError, match="says nothing of better or worse"):
        gated(rows, ("cognate_bias",), (), ())


def test_every_metric_has_a_direction_or_none():
    assert [direction(name) for name in ("accuracy", "sfii", "cognate_bias")] == [1, -1, 0]
