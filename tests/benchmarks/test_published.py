"""The papers' numbers: every one has a place, a source, and the range of what it measures."""

import json

import pytest

from benchmarks.catalog import BENCHMARKS
from benchmarks.errors import UnknownNameError
from benchmarks.published import published_by_key, published_tables


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_every_benchmark_ships_what_its_paper_reports(benchmark):
    tables = published_tables(benchmark)

    assert tables.benchmark == benchmark
    assert {row.source for row in tables.rows} == set(tables.sources)
    assert tables.missing, "a paper has more tables than could be read; say which"


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_no_value_stands_twice_and_all_are_fractions_or_counts(benchmark):
    values = list(published_tables(benchmark).values())

    places = [(each.table, each.system, each.metric, each.language, each.subset) for each in values]
    assert len(set(places)) == len(values)
    for each in values:
        if each.metric.startswith("n_"):
            assert each.value == int(each.value) > 0
        else:
            assert -1 <= each.value <= 1


def test_the_known_errors_are_tagged():
    semrel, dibimt = published_tables("semrel"), published_tables("dibimt")

    (wrong,) = [each for each in semrel.values() if each.known_error]
    assert (wrong.table, wrong.language, wrong.value) == ("4", "eng", 2500)
    assert "4" in {each.table for each in semrel.known_errors}
    assert [(each.table, each.cell) for each in dibimt.known_errors] == [("6", "ALL")]


def test_the_counts_of_the_papers_add_up():
    stingray = list(published_tables("stingray").values())
    dtails = list(published_tables("dtails").values())

    items = [each for each in stingray if each.metric == "n_items"]
    assert sum(each.value for each in items if each.language) == 705
    (whole,) = [each.value for each in items if each.language is None]
    assert whole == 705
    rows = {each.language: each.value for each in dtails if each.metric == "n_items"}
    assert sum(n for language, n in rows.items() if language) == rows[None] == 1377


def test_what_stands_beside_a_score_shares_its_task_metric_and_language():
    beside = published_by_key("semrel")["relatedness", "spearman", "tel", None]

    found = {each.system: each.value for each in beside}
    assert found["LaBSE, untuned"] == 0.80
    assert found["LaBSE, tuned on all train sets together"] == 0.82
    assert found["lexical overlap"] == 0.70


def test_spanish_values_say_that_they_are_on_another_split():
    beside = published_by_key("semrel")["relatedness", "spearman", "esp", None]

    assert all("test split" in each.note for each in beside)


def test_overlap_as_released_is_the_golden_overlap_rounded(request):
    golden = request.path.parents[1] / "golden" / "semrel_overlap.json"
    exact = json.loads(golden.read_text("utf-8"))
    released = {
        each.language: each.value
        for each in published_tables("semrel").values()
        if each.system == "lexical overlap"
    }

    for language, value in exact["spearman"].items():
        assert round(value, 2) == released[language]


def test_an_unknown_benchmark_is_refused():
    with pytest.raises(UnknownNameError, match="unknown benchmark 'x'"):
        published_tables("x")
