"""Best-Worst tuples in all the spellings they come in, and what they add up to."""

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.errors import DataError
from benchmarks.semrel.bws import Annotation, pair_key, pair_scores, read_bws, read_pair

HEADER = ["SentPair1", "SentPai2", "SentPair3", "SentPair4", "Best", "Worst"]
PAIRS = ["['a one', 'a two']", "['b one', 'b two']", "['c one', 'c two']", "['d one', 'd two']"]


def write(path: Path, *rows: list[str]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


@pytest.mark.parametrize(
    ("cell", "pair"),
    [
        ("['one', 'two']", ("one", "two")),
        ('["it\'s", "two"]', ("it's", "two")),
        ("['it's', 'two']", ("it's", "two")),
        ("['one', 'two']*", ("one", "two")),
        ("['one', 'two'],", ("one", "two")),
        (" [ 'one' ,'two' ] ", ("one", "two")),
        ("""['say "no"', "it's"]""", ('say "no"', "it's")),
        ("['a, b', 'c']", ("a, b", "c")),
        ("['a\\d', 'c']", ("a\\d", "c")),
        ("['one']", None),
        ("['one', 'two', 'three']", None),
        ("['o'ne', 'two', 'three']", None),
        ("[1, 2]", None),
        ("Item1", None),
        ("", None),
        ("[" * 5000, None),
        ("['" + "a" * 30_000 + "', 'b']", None),
    ],
)
def test_a_cell_is_two_sentences_even_where_its_quoting_is_broken(cell, pair):
    assert read_pair(cell) == pair


def test_two_spellings_of_a_pair_are_one_pair():
    composed, other = pair_key(("caf\u00e9 1!", "x  y")), pair_key(("cafe\u0301\u200b 1", "xy."))

    assert composed == other
    assert pair_key(("a", "b")) != pair_key(("b", "a"))


def test_both_released_headers_are_read(tmp_path):
    other = ["pair_1", "pair_2", "pair_3", "pair_4", "Most_Related", "Least_Related"]

    one = read_bws(write(tmp_path / "a.csv", HEADER, [*PAIRS, "1", "4"]))
    two = read_bws(write(tmp_path / "b.csv", other, [*PAIRS, "1", "4"]))

    assert one.annotations == two.annotations
    assert one.annotations[0].best == ("aone", "atwo")
    assert one.text_by_pair[("done", "dtwo")] == "d one\nd two"


def test_columns_are_found_by_name_wherever_they_stand(tmp_path):
    header = ["annotator", "Worst", "Best", *HEADER[:4]]

    found = read_bws(write(tmp_path / "a.csv", header, ["x", "4", "1", *PAIRS]))

    assert found.annotations[0].worst == ("done", "dtwo")


def test_a_header_in_the_middle_is_passed_over_and_bad_rows_are_counted(tmp_path):
    rows = [
        [*PAIRS, "1", "4"],
        ["Item1", "Item2", "Item3", "Item4", "Most related", "Least Related"],
        [*PAIRS, "2", "2"],
        [*PAIRS, "0", "3"],
        [*PAIRS, "1", "5"],
        [*PAIRS, "", "1"],
        [*PAIRS[:3], "['only one']", "1", "2"],
        [*PAIRS, "2", "1.0"],
    ]

    found = read_bws(write(tmp_path / "a.csv", HEADER, *rows))

    assert len(found.annotations) == 2
    assert found.n_headers == 1
    assert found.dropped == {
        "best and worst are the same": 1,
        "best or worst is not one of 1 to 4": 3,
        "a cell is not a list of two sentences": 1,
    }


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "the file is empty"),
        ([["a", "b"]], ":1: four pairs, a best .* there are a, b"),
        ([HEADER[:5]], ":1: four pairs"),
    ],
)
def test_a_file_that_is_no_bws_file_is_refused(tmp_path, rows, message):
    with pytest.raises(DataError, match=message):
        read_bws(write(tmp_path / "a.csv", *rows))


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        read_bws(tmp_path / "none.csv")


def test_scores_are_the_hand_worked_counts():
    a, b, c, d, e = ((name, name) for name in "abcde")
    annotations = [
        Annotation((a, b, c, d), a, d),
        Annotation((d, c, b, a), a, c),
        Annotation((a, b, c, e), e, a),
    ]

    scores = pair_scores(annotations)

    # a: best 2, worst 1 of 3 → (1/3 + 1)/2; d: worst 1 of 2 → 1/4; e: best 1 of 1 → 1
    assert scores == {
        a: pytest.approx(2 / 3),
        b: 0.5,
        c: pytest.approx(1 / 3),
        d: 0.25,
        e: 1.0,
    }


@given(st.lists(st.permutations(range(6)), min_size=1, max_size=30))
def test_scores_balance_around_one_half_weighted_by_n(orders):
    annotations = [
        Annotation(tuple((f"{n}", "") for n in order[:4]), (f"{order[0]}", ""), (f"{order[3]}", ""))
        for order in orders
    ]

    scores = pair_scores(annotations)

    n = {key: sum(key in annotation.pairs for annotation in annotations) for key in scores}
    assert sum(n[key] * (score - 0.5) for key, score in scores.items()) == pytest.approx(0)
    assert all(0 <= score <= 1 for score in scores.values())
