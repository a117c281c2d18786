import pytest

from benchmarks.stingray.answers import (
    chance_side_verdicts,
    parse_paper,
    parse_released,
    side_verdicts,
    swapped,
)
from benchmarks.stingray.prompts import SEMANTIC_LABELS, USAGE_LABELS


@pytest.mark.parametrize(
    ("text", "released", "paper"),
    [
        ("A", "A", "A"),
        (" C\n", "C", "C"),
        ("a", None, "A"),
        ("B.", None, "B"),
        ("(B)", None, "B"),
        ("**C**", None, "C"),
        ("Ａ", None, "A"),
        ("A and B", None, "C"),
        ("B & A", None, "C"),
        ("A, B", None, "C"),
        ("A/B", None, "C"),
        ("both", None, "C"),
        ("Both.", None, "C"),
        ("C. Both", None, "C"),
        ("The answer is: b", None, "B"),
        ("A\nB", None, "A"),
        ("A. B is wrong", None, "A"),
        ("A or B", None, None),
        ("A, B, or C", None, None),
        ("A and", None, None),
        ("A and B and C", None, None),
        ("A and C", None, None),
        ("Neither", None, None),
        ("", None, None),
        (" \n", None, None),
        ("А", None, None),
        ("甲", None, None),
        ("Apple", None, None),
        ("Yes", None, None),
    ],
)
def test_a_semantic_answer_is_read_by_both_parsers(text, released, paper):
    assert parse_released(text, SEMANTIC_LABELS) == released
    assert parse_paper(text, SEMANTIC_LABELS) == paper


@pytest.mark.parametrize(
    ("text", "released", "paper"),
    [
        ("Yes", "Yes", "Yes"),
        ("No", "No", "No"),
        ("Yes.", None, "Yes"),
        ("No,", None, "No"),
        ("YES", None, "Yes"),
        ("no, it is not", None, "No"),
        ("Yes, and it fits", None, "Yes"),
        ("Yes or no", None, None),
        ("Yes/No", None, None),
        ("Not", None, None),
        ("Maybe yes", None, None),
        ("both", None, None),
        ("A", None, None),
    ],
)
def test_a_usage_answer_is_read_by_both_parsers(text, released, paper):
    assert parse_released(text, USAGE_LABELS) == released
    assert parse_paper(text, USAGE_LABELS) == paper


@pytest.mark.parametrize(
    ("predicted", "gold", "l1", "l2"),
    [
        ("A", "A", 1.0, 1.0),
        ("B", "A", 0.0, 0.0),
        ("C", "A", 1.0, 0.0),
        ("C", "B", 0.0, 1.0),
        ("A", "C", 1.0, 0.0),
        ("C", "C", 1.0, 1.0),
        (None, "C", 0.0, 0.0),
        (None, "A", 0.0, 0.0),
    ],
)
def test_a_side_is_right_when_it_is_accepted_as_the_gold_accepts_it(predicted, gold, l1, l2):
    assert side_verdicts(predicted, gold) == {"L1": l1, "L2": l2}


def test_a_guess_accepts_each_side_two_times_in_three():
    # A and C accept L1, B and C accept L2; gold A accepts L1 only.
    assert chance_side_verdicts("A") == pytest.approx({"L1": 2 / 3, "L2": 1 / 3})
    assert chance_side_verdicts("C") == pytest.approx({"L1": 2 / 3, "L2": 2 / 3})


def test_swapping_twice_gives_the_same_letter():
    assert [swapped(swapped(letter)) for letter in "ABC"] == ["A", "B", "C"]
    assert swapped("A") == "B"
