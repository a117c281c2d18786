"""The start for simple benchmarks reads lines, and says what is wrong with them."""

from pathlib import Path

import pytest

from benchmarks.benchmark import BenchmarkSettings, Case, Selection
from benchmarks.errors import DataError, UnknownNameError
from benchmarks.simple import SimpleBenchmark


class Colours(SimpleBenchmark):
    name = "colours"
    tasks = ("say",)
    columns = ("word",)
    prompt = "Which colour has {word}?"
    sample = Path()


@pytest.fixture
def colours():
    return Colours(BenchmarkSettings())


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "en.jsonl").write_text('{"word": "snow"}\n\n{"word": "coal", "unit": "u"}\n')
    (tmp_path / "de.jsonl").write_text('\ufeff{"word": "Schnee", "subset": "noun"}\n')
    return tmp_path


def test_each_line_is_an_item_whose_id_is_its_place(colours, folder):
    items = list(colours.items(folder, Selection()))

    assert [(item.language, item.id) for item in items] == [("de", "0"), ("en", "0"), ("en", "2")]
    assert [item.unit for item in items] == ["de/0", "en/0", "u"]
    assert [item.subset for item in items] == ["noun", None, None]
    assert items[2].fields == {"word": "coal"}
    assert colours.key(Case(items[2], "say")) == "colours/say/en/2"


def test_a_limit_holds_for_each_language(colours, folder):
    items = list(colours.items(folder, Selection(limit=1)))

    assert [(item.language, item.id) for item in items] == [("de", "0"), ("en", "0")]


def test_a_check_counts_the_items(colours, folder):
    report = colours.check(folder, ("en",))

    assert [(count.language, count.observed) for count in report.counts] == [("en", 2)]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"word": "snow"', r"en\.jsonl:1: not JSON"),
        (b"[" * 100_000, r"en\.jsonl:1: not JSON"),
        (b'{"colour": "white"}', r"en\.jsonl:1: no 'word'; a line holds word"),
        (b'["word"]', r"en\.jsonl:1: no 'word'; a line holds word"),
        (b'{"word": "\xff"}', r"en\.jsonl:1: not JSON"),
    ],
)
def test_a_wrong_line_is_named(colours, tmp_path, line, why):
    (tmp_path / "en.jsonl").write_bytes(line)

    with pytest.raises(DataError, match=why):
        list(colours.items(tmp_path, Selection()))


def test_a_folder_without_files_and_a_language_that_is_not_there_are_refused(
    colours, folder, tmp_path
):
    with pytest.raises(DataError, match=r"holds no <language>\.jsonl"):
        colours.languages(tmp_path / "none")
    with pytest.raises(UnknownNameError, match="no language 'fr'; it has: de, en"):
        list(colours.items(folder, Selection(("fr",))))
    with pytest.raises(UnknownNameError, match="unknown baseline 'x' of colours; allowed: none"):
        colours.baseline(next(colours.items(folder, Selection())), "x")
