import random

import pytest

from metrics.statistics.agreement import fleiss_kappa, pabak, total_agreement


def test_a_case_worked_by_hand():
    ratings = [("A", "A", "A"), ("A", "B", "B")]

    # TA: one of two questions. Pairs: 1 and 1/3, P = 2/3; A 4/6, B 2/6, Pe = 5/9; (1/9)/(4/9).
    assert total_agreement(ratings) == 0.5
    assert pabak(ratings) == 0.0
    assert fleiss_kappa(ratings) == pytest.approx(0.25)


def test_more_categories_worked_by_hand():
    ratings = [tuple(row) for row in ("aab", "bbb", "abc", "ccc")]

    # Pairs: 1/3, 1, 0, 1: P = 7/12; a 3, b 5, c 4 of 12: Pe = 50/144; (84-50)/(144-50) = 34/94.
    assert fleiss_kappa(ratings) == pytest.approx(34 / 94)


def test_kappa_is_none_where_only_one_category_occurs():
    assert fleiss_kappa([(1, 1, 1), (1, 1, 1)]) is None
    assert total_agreement([(1, 1, 1), (1, 1, 1)]) == 1.0
    assert pabak([(1, 1, 1)]) == 1.0


def test_questions_that_someone_left_out_do_not_count():
    assert total_agreement([(1, 1, None), (1, 0, 1)]) == 0.0
    assert total_agreement([(1, None)]) is None
    assert pabak([]) is None
    assert fleiss_kappa([(1,)]) is None


def test_unequal_numbers_of_answers_have_no_kappa():
    with pytest.raises(ValueError, match=r"\[2, 3\] answers"):
        fleiss_kappa([(1, 1, 1), (1, 0)])


def test_the_order_of_annotators_does_not_matter():
    generator = random.Random(3)
    ratings = [[generator.choice("abc") for _ in range(3)] for _ in range(50)]
    turned = [row[::-1] for row in ratings]

    assert fleiss_kappa(ratings) == pytest.approx(fleiss_kappa(turned))
    assert total_agreement(ratings) == total_agreement(turned)


def test_agreement_by_chance_has_a_kappa_near_zero():
    generator = random.Random(5)
    ratings = [[generator.choice("ab") for _ in range(3)] for _ in range(20_000)]

    assert fleiss_kappa(ratings) == pytest.approx(0, abs=0.02)
    assert pabak(ratings) == pytest.approx(2 * 0.25 - 1, abs=0.02)  # all three alike: 2/8
