import json
import math
from pathlib import Path

import pytest

from benchmarks.benchmark import Case, Selection
from benchmarks.catalog import open_benchmark
from benchmarks.responses import LogProbResponse, TextResponse
from metrics.stingray import scores
from metrics.stingray_formulas import cognate_bias, cognate_comprehension
from metrics.table import OutcomeRow

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "stingray.json").read_text())


def outcome_rows(bench, answer):
    """Judge every case of the sample with the response that `answer(case)` gives."""
    rows = []
    for number, item in enumerate(bench.items(bench.sample, Selection())):
        for task in bench.tasks:
            for variant in bench.variants(task, 0):
                case = Case(item, task, variant)
                rows.append(outcome_row(number, case, answer(bench, case)))
    return rows


def outcome_row(number, case, outcome):
    item = case.item
    status = "unanswered" if outcome is None else "valid" if outcome.is_valid else "invalid"
    return OutcomeRow(
        number=number,
        item_id=item.id,
        language=item.language,
        subset=item.subset,
        unit=item.unit,
        task=case.task,
        variant=case.variant,
        status=status,
        value=None if outcome is None else outcome.value,
        detail={} if outcome is None else outcome.detail,
        baselines={} if outcome is None else outcome.baselines,
    )


def says(label_by_task):
    def answer(bench, case):
        text = label_by_task[case.task]
        return bench.judge(case, 0, {"": TextResponse(text=text)})

    return answer


def settings_of(bench):
    return bench.settings.model_dump(mode="json")


def pick(found, **wanted):
    wanted = {"setting": None, **wanted}
    (score,) = [
        score
        for score in found
        if all(getattr(score, name) == value for name, value in wanted.items())
    ]
    return score


@pytest.mark.parametrize("point", GOLDEN["comprehension"])
def test_comprehension_is_the_distance_from_nothing(point):
    assert cognate_comprehension(point["l1"], point["l2"]) == pytest.approx(
        point["value"], abs=1e-4
    )


@pytest.mark.parametrize("point", GOLDEN["bias"])
def test_bias_is_the_angle_from_even(point):
    value = cognate_bias(point["l1"], point["l2"])

    assert value == (None if point["value"] is None else pytest.approx(point["value"], abs=1e-9))


def test_bias_worked_by_hand():
    # atan2(.8, .4) = atan(2) = 1.1071487; minus π/4 = .3217506; over π/4 = .4096655
    assert cognate_bias(0.4, 0.8) == pytest.approx(0.4096655, abs=1e-7)


@pytest.mark.parametrize(("l1", "l2"), [(0.1, 0.9), (0.3, 0.31), (1.0, 0.25)])
def test_changing_the_languages_turns_the_bias_around(l1, l2):
    assert cognate_bias(l1, l2) == pytest.approx(-cognate_bias(l2, l1))
    assert cognate_comprehension(l1, l2) == cognate_comprehension(l2, l1)


def test_always_yes_and_always_c_get_what_the_paper_says():
    bench = open_benchmark("stingray", {"inference": "generation"})
    found = scores(
        outcome_rows(bench, says({"usage": "Yes", "semantic": "C"})), settings_of(bench), seed=0
    )

    usage, semantic = GOLDEN["always_yes_usage"], GOLDEN["always_c_semantic"]
    for pair in ("en_de", "id_ms", "id_tl", "zh_ja", None):
        for subset in ("true_cognate", "false_friend"):
            where = {"metric": "accuracy", "language": pair, "subset": subset}
            assert pick(found, task="usage", **where).value == usage[subset]
            assert pick(found, task="semantic", **where).value == semantic[subset]
    side = {"metric": "accuracy", "task": "usage", "subset": "false_friend"}
    assert pick(found, language="en_de:L1", **side).value == usage["false_friend_l1"]
    assert pick(found, language="en_de:L2", **side).value == usage["false_friend_l2"]


def test_always_a_leans_wholly_to_the_first_language():
    bench = open_benchmark("stingray", {"inference": "generation"})
    rows = outcome_rows(bench, says({"usage": "Yes", "semantic": "A"}))

    found = scores(rows, settings_of(bench), seed=0)

    where = {"task": "semantic", "language": "id_tl", "subset": "false_friend"}
    assert pick(found, metric="cognate_bias", **where).value == pytest.approx(-1.0)
    comprehension = pick(found, metric="cognate_comprehension", **where)
    assert comprehension.value == pytest.approx(0.7071, abs=1e-4)
    # acceptance: gold A is met on both sides, gold B on neither: x = y = .5
    accepted = {"setting": "semantic_sides=acceptance", **where}
    assert pick(found, metric="cognate_bias", **accepted).value == pytest.approx(0.0)
    assert pick(found, metric="cognate_comprehension", **accepted).value == pytest.approx(0.5)


def test_a_cell_of_two_sides_worked_by_hand():
    # id_tl has three false friends. Sense L1 (gold A) answered A A B, sense L2 (gold B) B A C:
    # x = 2/3, y = 1/3; bias = (atan2(1/3, 2/3) − π/4)/(π/4) = −.4096655; √(5/9)/√2 = .5270463
    bench = open_benchmark("stingray", {"inference": "generation"})
    texts = {"id_tl/0": "A", "id_tl/2": "A", "id_tl/4": "B"}
    texts |= {"id_tl/1": "B", "id_tl/3": "A", "id_tl/5": "C"}

    def answer(bench, case):
        text = texts.get(case.item.id, "C") if case.task == "semantic" else "Yes"
        return bench.judge(case, 0, {"": TextResponse(text=text)})

    found = scores(outcome_rows(bench, answer), settings_of(bench), seed=0)

    where = {"task": "semantic", "language": "id_tl", "subset": "false_friend"}
    bias = pick(found, metric="cognate_bias", **where)
    assert bias.value == pytest.approx(-0.4096655, abs=1e-7)
    comprehension = pick(found, metric="cognate_comprehension", **where)
    assert comprehension.value == pytest.approx(0.5270463, abs=1e-7)
    assert (comprehension.n, comprehension.n_units, comprehension.unit) == (6, 3, "word")
    # acceptance, L1 accepted as gold accepts it: A A _ _ | row 5 (gold B, said C): L1 no, L2 yes
    # L1: 0 yes, 2 yes, 4 no, 1 yes, 3 no, 5 no = 3/6
    # L2: 0 yes, 2 yes, 4 no, 1 yes, 3 no, 5 yes = 4/6
    side = {**where, "metric": "accuracy", "setting": "semantic_sides=acceptance"}
    assert pick(found, **{**side, "language": "id_tl:L1"}).value == pytest.approx(3 / 6)
    assert pick(found, **{**side, "language": "id_tl:L2"}).value == pytest.approx(4 / 6)


def test_means_over_cells_are_taken_before_or_after_the_scores():
    # usage on false friends: id_tl always Yes (x = y = .5); the others answer L1 Yes, L2 No.
    # There L1: gold Yes, No → .5; L2: gold No, Yes → .5. So make zh_ja right on L1 only: (1, .5).
    bench = open_benchmark("stingray", {"inference": "generation"})

    def answer(bench, case):
        is_right = case.item.language == "zh_ja" and case.variant == "L1"
        text = case.item.fields["usage"][0] if is_right else "Yes"
        return bench.judge(case, 0, {"": TextResponse(text=text)})

    rows = [row for row in outcome_rows(bench, answer) if row.task == "usage"]
    found = scores(rows, settings_of(bench), seed=0)

    where = {"task": "usage", "language": None, "subset": "false_friend"}
    mean_x, mean_y = (3 * 0.5 + 1.0) / 4, 0.5
    assert pick(found, metric="cognate_bias", **where).value == pytest.approx(
        cognate_bias(mean_x, mean_y)
    )
    assert pick(
        found, metric="cognate_bias", setting="aggregate=scores", **where
    ).value == pytest.approx(cognate_bias(1.0, 0.5) / 4)
    assert pick(
        found, metric="cognate_comprehension", setting="aggregate=scores", **where
    ).value == pytest.approx((3 * 0.5 + cognate_comprehension(1.0, 0.5)) / 4)


def test_the_bias_of_semantic_true_cognates_is_undefined_by_construction():
    bench = open_benchmark("stingray", {"inference": "generation"})
    rows = outcome_rows(bench, says({"usage": "Yes", "semantic": "C"}))

    found = scores(rows, settings_of(bench), seed=0)

    where = {"metric": "cognate_bias", "language": "en_de", "subset": "true_cognate"}
    cell = pick(found, task="semantic", **where)
    assert (cell.value, cell.n) == (None, 0)
    assert "by construction" in cell.reason
    # over both tasks only the usage cell counts: x = y = 1
    assert pick(found, task=None, **where).value == pytest.approx(0.0)


def test_bias_is_undefined_where_nothing_is_right():
    bench = open_benchmark("stingray", {"inference": "generation"})
    found = scores(
        outcome_rows(bench, says({"usage": "No", "semantic": "C"})), settings_of(bench), seed=0
    )

    where = {"task": "usage", "language": "en_de", "subset": "true_cognate"}
    bias = pick(found, metric="cognate_bias", **where)
    assert bias.value is None
    assert "both accuracies are 0" in bias.reason
    assert pick(found, metric="cognate_comprehension", **where).value == 0.0


def test_subsets_are_never_pooled_in_bias_and_comprehension():
    bench = open_benchmark("stingray", {"inference": "generation"})
    found = scores(
        outcome_rows(bench, says({"usage": "Yes", "semantic": "C"})), settings_of(bench), seed=0
    )

    score = pick(found, metric="cognate_comprehension", task="usage", language="en_de", subset=None)
    assert score.value is None
    assert "never pooled" in score.reason


def test_an_unreadable_answer_is_wrong_and_lowers_the_coverage():
    bench = open_benchmark("stingray", {"inference": "generation"})

    def answer(bench, case):
        text = "C" if case.item.id.endswith("/0") else "A and B"
        return bench.judge(case, 0, {"": TextResponse(text=text)})

    rows = [row for row in outcome_rows(bench, answer) if row.task == "semantic"]
    found = scores(rows, settings_of(bench), seed=0)

    where = {"task": "semantic", "language": "en_de", "subset": "true_cognate"}
    released = pick(found, metric="accuracy", **where)
    assert (released.value, released.n, released.coverage) == (pytest.approx(1 / 6), 6, 1 / 6)
    assert pick(found, metric="parsed_accuracy", **where).value == 1.0
    assert pick(found, metric="parsed_accuracy", **where).n == 1
    paper = pick(found, metric="accuracy", setting="parser=paper", **where)
    assert (paper.value, paper.coverage) == (1.0, 1.0)


def test_a_missing_answer_is_unscored_and_lowers_the_coverage():
    bench = open_benchmark("stingray")

    def answer(bench, case):
        if case.item.id.endswith("/0"):
            return None
        sums = (-1.0, -2.0) if case.task == "usage" else (-2.0, -2.0, -1.0)
        return bench.judge(case, 0, {"": LogProbResponse(sums=sums)})

    found = scores(outcome_rows(bench, answer), settings_of(bench), seed=0)

    score = pick(found, metric="accuracy", task="semantic", language="en_de", subset="true_cognate")
    assert (score.value, score.n, score.coverage) == (1.0, 5, 5 / 6)


def test_a_run_without_any_answer_has_rows_without_values():
    bench = open_benchmark("stingray")
    found = scores(outcome_rows(bench, lambda *_: None), settings_of(bench), seed=0)

    assert found
    assert all(score.value is None and score.reason for score in found)
    assert not any(isinstance(score.ci_low, float) for score in found)


def test_the_chance_point_stands_beside_every_score():
    bench = open_benchmark("stingray", {"inference": "generation"})
    found = scores(
        outcome_rows(bench, says({"usage": "Yes", "semantic": "C"})), settings_of(bench), seed=0
    )

    where = {"metric": "cognate_comprehension", "language": "en_de", "subset": "false_friend"}
    for task in ("usage", "semantic"):
        score = pick(found, task=task, **where)
        assert score.baselines["chance"] == pytest.approx(GOLDEN["chance_point"][task], abs=1e-4)
    both = pick(found, task=None, **where)
    assert both.baselines == {"chance": pytest.approx(GOLDEN["chance_point"]["both"], abs=1e-4)}
    semantic = pick(found, task="semantic", **where)
    assert semantic.baselines["always-a"] == pytest.approx(math.sqrt(0.5))
    assert semantic.baselines["always-c"] == 0.0


def test_label_shares_are_reported_with_the_gold_beside_them():
    bench = open_benchmark("stingray", {"inference": "generation"})
    found = scores(
        outcome_rows(bench, says({"usage": "Yes", "semantic": "A"})), settings_of(bench), seed=0
    )

    where = {"metric": "position_share", "task": "semantic", "language": "en_de"}
    shares = [
        pick(found, subset="false_friend", setting=f"answer={label}", **where) for label in "ABC"
    ]
    assert [share.value for share in shares] == [1.0, 0.0, 0.0]
    assert [share.baselines["gold"] for share in shares] == [0.5, 0.5, 0.0]


def test_ties_are_counted():
    bench = open_benchmark("stingray")

    def answer(bench, case):
        sums = (-1.0, -1.0) if case.task == "usage" else (-1.0, -2.0, -3.0)
        return bench.judge(case, 0, {"": LogProbResponse(sums=sums)})

    found = scores(outcome_rows(bench, answer), settings_of(bench), seed=0)

    where = {"metric": "tie_share", "language": "en_de", "subset": None}
    assert pick(found, task="usage", **where).value == 1.0
    assert pick(found, task="semantic", **where).value == 0.0


def test_all_styles_have_scores_and_a_spread():
    # The default style answers everything right, the swapped one always says A, which is B: wrong.
    bench = open_benchmark("stingray", {"prompt_style": "all"})

    def answer(bench, case):
        if case.task == "usage":
            sums = (-1.0, -2.0) if "." not in case.variant else (-2.0, -1.0)
        else:
            sums = (-2.0, -2.0, -1.0) if not case.variant else (-1.0, -2.0, -2.0)
        return bench.judge(case, 0, {"": LogProbResponse(sums=sums)})

    found = scores(outcome_rows(bench, answer), settings_of(bench), seed=0)

    where = {"metric": "accuracy", "language": "en_de", "subset": "true_cognate"}
    assert pick(found, task="usage", **where).value == 1.0
    assert pick(found, task="usage", setting="prompt_style=paper", **where).value == 0.0
    swapped = {**where, "setting": "option_order=l2-first;prompt_style=released"}
    assert pick(found, task="semantic", **swapped).value == 0.0
    spread = pick(found, **{**where, "metric": "accuracy_spread"}, task="semantic")
    assert (spread.value, spread.n) == (1.0, 4)


def test_headline_rows_come_first_and_every_row_is_named_once():
    bench = open_benchmark("stingray", {"inference": "generation"})
    found = scores(
        outcome_rows(bench, says({"usage": "Yes", "semantic": "C"})), settings_of(bench), seed=0
    )

    names = [(s.metric, s.task, s.language, s.subset, s.layer, s.setting) for s in found]
    assert len(set(names)) == len(names)
    is_headline = [score.subset is None and score.setting is None for score in found]
    assert is_headline == sorted(is_headline, reverse=True)


def test_scores_are_the_same_when_made_again_and_hold_their_values():
    bench = open_benchmark("stingray")
    answers = {0: (-1.0, -2.0, -3.0), 1: (-2.0, -1.0, -3.0), 2: (-3.0, -2.0, -1.0)}

    def answer(bench, case):
        number = sum(map(ord, case.item.id))
        sums = answers[number % 3] if case.task == "semantic" else answers[number % 2][:2]
        return bench.judge(case, 0, {"": LogProbResponse(sums=sums)})

    rows = outcome_rows(bench, answer)
    first = scores(rows, settings_of(bench), seed=3)

    assert scores(list(reversed(rows)), settings_of(bench), seed=3) == first
    for score in first:
        if score.value is not None and score.ci_low is not None and score.ci_high is not None:
            assert score.ci_low <= score.value + 1e-12
            assert score.ci_high >= score.value - 1e-12


def test_a_baseline_is_the_same_by_every_parser():
    bench = open_benchmark("stingray", {"inference": "generation"})
    rows = outcome_rows(bench, lambda bench, case: bench.baseline(case, "chance"))

    found = scores(rows, settings_of(bench), seed=0)

    where = {"metric": "accuracy", "task": "usage", "language": "en_de", "subset": None}
    assert pick(found, **where).value == 0.5
    assert pick(found, setting="parser=paper", **where).value == 0.5
