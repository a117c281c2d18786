import json
from itertools import pairwise

import pytest

from benchmarks.dtails.annotation import (
    SentenceLine,
    add_labels,
    annotations_text,
    read_annotations,
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
        (["nonsense"], "line 1: .*Invalid JSON"),
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


def test_labels_are_added_by_row():
    line = SentenceLine.model_validate(GOOD)

    assert add_labels([line], ["weet"], "af")[0].label == "weet"
    with pytest.raises(DataError, match="no candidate row 0 in 'af'"):
        add_labels([line], [], "af")
