"""What must be asked: tasks, cells, ranges, open cases."""

import pytest

from benchmarks.benchmark import Item
from benchmarks.errors import UnknownNameError
from benchmarks.requests import RequestKind
from orchestrator.errors import WrongUseError
from orchestrator.plan import cells, choose_baseline_tasks, choose_tasks, ranges
from orchestrator.spec import parse_model
from tests.orchestrator.toy import Toy

ITEM = Item("0", "en", None, "a", {"word": "a"})


def test_without_a_wish_every_task_the_model_can_serve_is_asked_and_the_rest_named():
    choice = choose_tasks(Toy(), (), {RequestKind.LOG_PROB}, "m")

    assert choice.tasks == ("pick",)
    assert choice.skipped == {"say": "needs generate"}


def test_a_wanted_task_that_the_model_cannot_serve_is_refused():
    with pytest.raises(WrongUseError, match=r"model m serves log_prob, but toy say needs generate"):
        choose_tasks(Toy(), ("say",), {RequestKind.LOG_PROB}, "m")


def test_an_unknown_task_is_refused_with_the_allowed_ones():
    with pytest.raises(UnknownNameError, match="unknown task 'x' of toy; allowed: pick, say"):
        choose_tasks(Toy(), ("x",), frozenset(RequestKind), "m")


def test_a_baseline_answers_only_its_tasks():
    choice = choose_baseline_tasks(Toy(), (), "never")

    assert choice.tasks == ("pick",)
    assert set(choice.skipped) == {"say"}
    with pytest.raises(UnknownNameError, match="unknown baseline 'x' of toy; allowed: never"):
        choose_baseline_tasks(Toy(), (), "x")
    with pytest.raises(WrongUseError, match="baseline never answers pick, not say"):
        choose_baseline_tasks(Toy(), ("say",), "never")


def test_cells_are_tasks_times_variants_and_a_given_seed_leaves_one():
    assert cells(Toy(), ("pick", "say"), None) == (("pick", ""), ("say", "seed1"), ("say", "seed2"))
    assert cells(Toy(), ("pick", "say"), 7) == (("pick", ""), ("say", ""))


def test_ranges_cover_every_item_once():
    assert list(ranges(5, 2)) == [(0, 2), (2, 4), (4, 5)]
    assert list(ranges(0, 2)) == []


@pytest.mark.parametrize("text", ["nonsense", "hf:", "replay", "baseline:", ""])
def test_a_model_that_has_no_such_form_is_refused(text):
    with pytest.raises(WrongUseError, match="allowed: demo"):
        parse_model(text)


def test_a_models_argument_may_hold_colons():
    name = parse_model("scorer:http://127.0.0.1:8101")

    assert (name.kind, name.argument) == ("scorer", "http://127.0.0.1:8101")
