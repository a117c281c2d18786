import json
from itertools import pairwise

import pytest

from benchmarks.dtails.annotation import (
    Placed,
    SentenceLine,
    add_labels,
    annotations_text,
    is_answered,
    read_annotations,
    read_placed,
)
from benchmarks.dtails.annotation_tasks import rules_tasks, sentence_tasks
from benchmarks.dtails.data import Row
from benchmarks.errors import DataError

ROWS = [
    Row(n, n + 2, f"concept{n % 4}", f"Sentence {n}.", "x", ("a", "b", "c"), "a") for n in range(24)
]
GOOD = {
    "study": "sentences",
    "annotator": "A1",
    "language": "af",
    "concept": "know",
    "variations": ["weet", "ken"],
    "item": 0,
    "source": "I know.",
    "choice": "weet",
    "confidence": "Absolutely sure",
}


def test_annotators_see_the_same_sentences_each_in_an_order_of_their_own():
    tasks = sentence_tasks("af", ROWS, ["A1", "A2"], 7)

    first, second = tasks["A1"], tasks["A2"]
    assert sorted(line.item for line in first) == sorted(line.item for line in second)
    assert [line.item for line in first] != [line.item for line in second]
    assert [line.concept for line in first] != [line.concept for line in second]
    assert any(
        one.variations != other.variations
        for one in first
        for other in second
        if one.item == other.item
    )
    assert tasks == sentence_tasks("af", ROWS, ["A1", "A2"], 7)


def test_the_sentences_of_a_concept_stay_together():
    concepts = [line.concept for line in sentence_tasks("af", ROWS, ["A1"], 7)["A1"]]

    changes = sum(one != other for one, other in pairwise(concepts))
    assert changes == 3


def test_files_for_annotators_hide_the_labels():
    text = annotations_text(sentence_tasks("af", ROWS, ["A1"], 7)["A1"])

    assert "label" not in text
    assert json.loads(text.splitlines()[0])["choice"] is None


def test_rules_are_shown_beside_their_variations():
    tasks = rules_tasks("af", {"know": ("weet", "ken")}, {"know": {"ken": "a person"}}, ["B1"], 1)

    (line,) = tasks["B1"]
    assert sorted(line.variations) == ["ken", "weet"]
    assert (line.rules, line.rule_is_correct) == ({"ken": "a person"}, {"ken": None})


def test_what_is_written_can_be_read_again(tmp_path):
    lines = sentence_tasks("af", ROWS, ["A1"], 7)["A1"]
    path = tmp_path / "answers.jsonl"
    path.write_text(annotations_text(lines))

    assert read_annotations(path) == lines


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "no annotation"),
        (["nonsense"], "line 1: not JSON"),
        ([{**GOOD, "choice": "besef"}], r"line 1: .*'besef' is none of the variations"),
        ([{**GOOD, "confidence": "maybe"}], "line 1: .*confidence"),
        ([{**GOOD, "annotator": "jan@example.org"}], "line 1: .*annotator"),
        ([{**GOOD, "study": "other"}], "line 1"),
        ([GOOD, {**GOOD, "choice": "ken"}], "line 2: A1 answers the question of line 1 again"),
        (
            [
                GOOD,
                {
                    "study": "rules",
                    "annotator": "A1",
                    "language": "af",
                    "concept": "know",
                    "variations": ["weet"],
                },
            ],
            "line 2: annotator A1 is in both studies",
        ),
        (
            [
                {
                    "study": "rules",
                    "annotator": "A1",
                    "language": "af",
                    "concept": "know",
                    "variations": ["weet"],
                    "wrong_variations": ["ken"],
                }
            ],
            "'ken' is none of the variations",
        ),
    ],
)
def test_a_broken_file_is_refused_with_its_line(tmp_path, lines, message):
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(f"{x if isinstance(x, str) else json.dumps(x)}\n" for x in lines))

    with pytest.raises(DataError, match=message):
        read_annotations(path)


ROW = Row(0, 2, "know", "I know.", "x", ("ken", "weet"), "weet")


def test_labels_are_added_by_row():
    answer = Placed(SentenceLine.model_validate(GOOD), "a.jsonl, line 1")

    assert add_labels([answer], [ROW], "af")[0].label == "weet"
    with pytest.raises(DataError, match=r"a\.jsonl, line 1: no candidate row 0 in 'af'"):
        add_labels([answer], [], "af")


def test_an_answer_about_another_sentence_gets_no_label():
    answer = Placed(SentenceLine.model_validate({**GOOD, "source": "We know."}), "line 1")

    with pytest.raises(DataError, match="candidate row 0 is another sentence"):
        add_labels([answer], [ROW], "af")


def test_nobody_is_in_both_studies_even_in_two_files(tmp_path):
    rules = {"study": "rules", "annotator": "A1", "language": "af", "concept": "a"}
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    one.write_text(json.dumps(GOOD))
    other.write_text(json.dumps({**rules, "variations": ["x"]}))

    with pytest.raises(DataError, match=r"other\.jsonl, line 1: annotator A1 is in both studies"):
        read_placed([one, other])


def test_the_same_answers_in_two_files_are_refused(tmp_path):
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    for path in (one, other):
        path.write_text(json.dumps(GOOD))

    with pytest.raises(DataError, match=r"answers the question of .*one\.jsonl, line 1 again"):
        read_placed([one, other])


def test_a_question_is_answered_when_all_its_parts_are():
    line = SentenceLine.model_validate(GOOD)
    blank = rules_tasks("af", {"a": ("x",)}, {"a": {"x": "?"}}, ["B1"], 1)["B1"][0]
    given = {"is_any_missing": False, "wrong_variations": ()}

    assert is_answered(line)
    assert not is_answered(line.model_copy(update={"confidence": None}))
    assert not is_answered(blank)
    assert not is_answered(blank.model_copy(update=given))
    assert is_answered(blank.model_copy(update={**given, "rule_is_correct": {"x": True}}))
