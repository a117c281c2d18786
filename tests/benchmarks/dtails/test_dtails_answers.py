import pytest

from benchmarks.dtails.answers import read_released, read_strict, similarity


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("abcdefg", "abcdefgxyzuvw", 0.7),  # LCS 7: 2·7/(7+13) = 14/20
        ("kyk", "Kyk", 4 / 6),  # LCS "yk": 2·2/6
        ("", "", 1.0),
        ("", "sien", 0.0),
        ("sien", "sien", 1.0),
        ("ab", "ba", 0.5),  # LCS 1: 2/4; an edit distance would give 0
    ],
)
def test_similarity_is_twice_the_common_part_over_both_lengths(one, other, expected):
    assert similarity(one, other) == expected
    assert similarity(other, one) == expected


SHOWN = ["kyk", "sien", "gesê/sê"]


@pytest.mark.parametrize(
    ("answer", "predicted"),
    [
        ("because ...\n```sien```", "sien"),
        ("```\nsien\n```", "sien"),
        ("```answer sien```", "sien"),
        ("```answer: kyk```", "kyk"),  # ": kyk" against "kyk": 2·3/(5+3) = .75
        ("```sê```", "gesê/sê"),
        ("```gesê/sê```", "gesê/sê"),
        ("```siem```", "sien"),  # 2·3/8 = .75
        ("```Kyk```", None),  # .667: case is not folded
        ("```見る```", None),
        ("``````", None),
        ("```neither of them fits```", None),
    ],
)
def test_the_released_parser_takes_the_nearest_form_between_the_only_marks(answer, predicted):
    reading = read_released(answer, SHOWN)

    assert reading.is_marked
    assert reading.variation == predicted


@pytest.mark.parametrize("parse", [read_released, read_strict])
@pytest.mark.parametrize(
    "answer",
    [
        "",
        "sien",
        "```sien",
        "```sien``` or ```kyk```",
        "```a``` ```b``` ```c```",
        "```answer```",
        "``` answer\n```",
        "``sien``",
    ],
)
def test_an_answer_without_exactly_two_marks_is_unmarked(parse, answer):
    reading = parse(answer, SHOWN)

    assert not reading.is_marked
    assert reading.variation is None


def test_a_similarity_of_exactly_seven_tenths_is_near_enough():
    shown = ["abcdefgxyzuvw"]

    assert read_released("```abcdefg```", shown).variation == shown[0]
    assert read_released("```abcdef```", shown).variation is None  # 12/19


def test_the_first_variation_shown_wins_a_tie():
    assert read_released("```abcx```", ["abcd", "abce"]).variation == "abcd"
    assert read_released("```abcx```", ["abce", "abcd"]).variation == "abce"


def test_a_form_that_begins_another_is_not_confused_with_it():
    shown = ["問い掛ける", "問い"]

    assert read_released("```問い```", shown).variation == "問い"
    assert read_released("```問い掛ける```", shown).variation == "問い掛ける"


@pytest.mark.parametrize(
    ("answer", "predicted"),
    [
        ("```sien```", "sien"),
        ('```"sien."```', "sien"),
        ("```sê```", "gesê/sê"),
        ("```gesê/sê```", "gesê/sê"),
        ("```se\u0302```", "gesê/sê"),
        ("```siem```", None),
        ("```Sien```", None),
        ("```answer sien```", "sien"),
        ("```answer: sien```", "sien"),
    ],
)
def test_the_strict_parser_takes_only_a_listed_form(answer, predicted):
    assert read_strict(answer, SHOWN).variation == predicted
