import pytest

from benchmarks.benchmark import Selection
from benchmarks.catalog import open_benchmark
from benchmarks.dtails.data import read_rows, read_words
from benchmarks.dtails.variations import forms_of, parse_variations, share_a_form
from benchmarks.errors import DataError, UnknownNameError

HEADER = "concept,source language text,target language text,variations,label\n"
GOOD = "see,I see.,Ek sien.,\"['kyk', 'sien']\",sien\n"


@pytest.fixture
def expert(tmp_path):
    folder = tmp_path / "en-af"
    folder.mkdir()

    def write(content):
        path = folder / "expert_dataset.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_a_row_is_read_with_its_line(expert):
    path = expert(HEADER + 'see,"two\nlines","x","[\'kyk\']",kyk\n' + GOOD)

    first, second = read_rows(path)

    assert (first.source, first.line, second.line) == ("two\nlines", 2, 4)
    assert second.variations == ("kyk", "sien")
    assert second.number == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", r"expert_dataset\.csv: empty; its first line must be concept,"),
        (HEADER, "no row under its header"),
        (HEADER.replace(",label", ""), r"line 1: no column 'label'; it has concept,"),
        (HEADER + GOOD + "see,a,b\n", "line 3: 3 values, but the header has 5 columns"),
        (HEADER + GOOD + GOOD.replace("see", " ", 1), "line 3: the concept is empty"),
        (HEADER + "see,,x,\"['a']\",a\n", "line 2: the source language text is empty"),
        (HEADER + GOOD + GOOD.replace(",sien\n", ",ken\n"), "line 3: label 'ken' is none of"),
        (HEADER + "see,I,x,kyk;sien,kyk\n", "line 2: variations 'kyk;sien': not a list"),
        (HEADER + "see,I,x,__import__('os'),kyk\n", "line 2: variations .*: not a list"),
        (HEADER + "see,I,x,[],kyk\n", "at least one entry"),
        (HEADER + 'see,I,x,"[1, 2]",1\n', "an entry is not a text"),
        (HEADER + f"see,I,x,{'[' * 3000}{']' * 3000},a\n", "3000 opening brackets, limit 50"),
        (HEADER + f"see,I,x,\"['{'a' * 30_000}']\",a\n", "characters, limit 20000"),
        (HEADER + 'see,"never closed', "line 2: unexpected end of data"),
        (HEADER.encode() + b"see,\0,x,['a'],a\n", "line 2: a NUL character"),
        (HEADER.encode() + b"see,\xff,x,['a'],a\n", "line 2: byte 0xff is not UTF-8"),
    ],
)
def test_a_hostile_file_is_refused_with_its_line(expert, content, message):
    with pytest.raises(DataError, match=message):
        read_rows(expert(content))


def test_a_byte_order_mark_and_extra_columns_do_no_harm(expert):
    path = expert("\ufeffnote," + HEADER + "x," + GOOD)

    assert read_rows(path)[0].concept == "see"


@pytest.mark.parametrize("text", ["['a']", ' ["a"]\n', r"['a\d']"])
def test_a_list_literal_is_parsed_without_being_evaluated(text):
    assert len(parse_variations(text)) == 1


def test_forms_stand_between_slashes_and_make_variations_equal():
    assert forms_of("gesê/ sê/") == ("gesê", "sê")
    assert share_a_form("gesê/sê", "sê")
    assert not share_a_form("gesê/sê", "vertel")


def test_a_words_file_has_three_values_a_line(tmp_path):
    path = tmp_path / "af.words"
    path.write_text("see,VERB,gesien;kyk\n")
    assert read_words(path)[0].variations == ("gesien", "kyk")

    path.write_text("see,VERB\n")
    with pytest.raises(DataError, match="line 1: 2 values"):
        read_words(path)


def test_languages_are_folders_with_an_expert_file(expert, tmp_path):
    (tmp_path / "en-lv").mkdir()
    expert(HEADER + GOOD)
    benchmark = open_benchmark("dtails")

    assert benchmark.languages(tmp_path) == ("af",)
    with pytest.raises(UnknownNameError, match=r"language 'lv' is not in .*; it has: af"):
        list(benchmark.items(tmp_path, Selection(("lv",))))
    with pytest.raises(DataError, match="holds no language"):
        benchmark.languages(tmp_path / "en-lv")
    with pytest.raises(DataError, match="no data folder"):
        benchmark.languages(tmp_path / "nowhere")


def test_only_the_languages_asked_for_are_read(expert, tmp_path):
    expert(HEADER + GOOD)
    (tmp_path / "en-lv").mkdir()
    (tmp_path / "en-lv" / "expert_dataset.csv").write_text("broken")

    items = list(open_benchmark("dtails").items(tmp_path, Selection(("af",))))

    assert [item.id for item in items] == ["0"]


def test_train_labels_cannot_be_counted_without_a_train_file(expert, tmp_path):
    expert(HEADER + GOOD)
    benchmark = open_benchmark("dtails", {"frequency_from": "train"})

    with pytest.raises(DataError, match=r"train_dataset\.csv: cannot be read"):
        list(benchmark.items(tmp_path, Selection()))
