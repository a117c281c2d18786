import pytest

from metrics.catalog import scores_of
from metrics.default import default_scores
from metrics.statistics.intervals import wilson
from metrics.table import OutcomeRow


def row(number, value, *, language="en", unit=None, **rest):
    fields = {"task": "pick", "variant": "", "subset": None, "status": "valid", **rest}
    unit = unit or f"{language}{number}"
    return OutcomeRow(number, str(number), language, unit=unit, value=value, **fields)


def find(scores, **wanted):
    plain = {"subset": None, "setting": None, "task": "pick", **wanted}
    (found,) = [
        score
        for score in scores
        if all(getattr(score, name) == value for name, value in plain.items())
    ]
    return found


def test_an_accuracy_has_its_n_its_coverage_its_interval_and_its_baselines():
    rows = [
        row(0, 1.0, baselines={"guess": 0.5}),
        row(1, 0.0, status="invalid", baselines={"guess": 0.5}),
        row(2, None, status="invalid", baselines={"guess": 0.0}),
        row(3, None, status="unanswered"),
    ]

    score = find(default_scores("toy", "word", rows, seed=0), language="en")

    # One of two judged answers is right; one of four asked ones could be read.
    assert (score.value, score.n, score.n_units, score.coverage) == (0.5, 2, 2, 0.25)
    assert (score.ci_low, score.ci_high) == pytest.approx(wilson(1, 2))
    assert (score.benchmark, score.metric, score.unit) == ("toy", "accuracy", "word")
    assert score.baselines == {"guess": 0.5}  # the left-out answer's guess is left out too


def test_the_mean_over_languages_is_unweighted():
    rows = [row(n, 1.0) for n in range(3)] + [row(n, n % 2, language="de") for n in range(2)]

    scores = default_scores("toy", None, rows, seed=0)

    assert find(scores, language="en").value == 1
    assert find(scores, language="de").value == 0.5
    macro = find(scores, language=None)
    assert macro.value == 0.75  # (1 + 1/2) / 2
    assert macro.ci_low < 0.75 < macro.ci_high
    assert macro.n == 5


def test_the_mean_over_one_language_is_that_language():
    scores = default_scores("toy", None, [row(n, n % 2) for n in range(4)], seed=0)

    alone, macro = find(scores, language="en"), find(scores, language=None)

    assert macro == alone.model_copy(update={"language": None})


def test_rows_of_one_unit_do_not_narrow_the_interval():
    many = [row(n, float(n < 20), unit=f"u{n % 40 // 10}") for n in range(40)]

    score = find(default_scores("toy", None, many, seed=0), language="en")

    assert score.interval == "bootstrap"
    assert score.n_units == 4
    assert score.ci_low < wilson(20, 40)[0]


def test_headlines_come_before_subsets_and_variants():
    rows = [
        row(0, 1.0, subset="easy", variant="a"),
        row(1, 0.0, subset="hard", variant="b"),
        row(2, 1.0, task="say", variant="a"),
    ]

    scores = default_scores("toy", None, rows, seed=0)

    is_headline = [score.subset is None and score.setting is None for score in scores]
    assert is_headline == sorted(is_headline, reverse=True)
    assert find(scores, language="en").value == 0.5
    assert find(scores, language="en", subset="hard").value == 0
    assert find(scores, language="en", setting="variant=a").value == 1
    assert not [score for score in scores if score.task == "say" and score.setting]


def test_a_language_without_a_judged_answer_leaves_the_mean_undefined_with_a_reason():
    rows = [row(0, 1.0), row(0, None, language="de", status="unanswered")]

    scores = default_scores("toy", None, rows, seed=0)

    assert find(scores, language=None).value is None
    assert find(scores, language=None).reason == "no scored item in de"
    assert find(scores, language="de").coverage == 0


def test_scores_do_not_depend_on_the_order_of_the_rows():
    rows = [row(n, float(n % 3 == 0), unit=f"u{n % 7}") for n in range(30)]

    assert default_scores("toy", None, rows, 1)[0] == default_scores("toy", None, rows[::-1], 1)[0]


def test_a_benchmark_that_nobody_has_installed_any_more_still_gets_its_scores():
    scores = scores_of("gone", [row(0, 1.0)], {}, 0)

    assert (scores[0].value, scores[0].unit) == (1, None)
