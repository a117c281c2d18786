"""The released layout in all its spellings, and rows that are refused."""

from pathlib import Path

import pytest

from benchmarks.benchmark import Selection
from benchmarks.catalog import open_benchmark
from benchmarks.errors import DataError, UnknownNameError
from benchmarks.semrel.data import file_of, labelled_files, read_pairs


def write(root: Path, place: str, text: str) -> Path:
    path = root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return path


@pytest.fixture
def folder(tmp_path):
    write(tmp_path, "Track A/amh/amh_test_with_labels.csv", 'PairID,Text,Score\na1,"x y\nx",0.5\n')
    write(tmp_path, "Track B/amh/amh_test_with_labels.csv", 'PairID,Text,Score\nb1,"p\nq",0.1\n')
    write(tmp_path, "Track A/kin/kin_test.csv", 'PairID,Text\nk1,"p\nq"\n')
    write(tmp_path, "Track B/kin/kin_test_with_labels.csv", 'PairID,Text,Score\nk1,"p\nq",1\n')
    write(tmp_path, "Track A/tel/tel_test_with_labels.csv", 'PairID,Text,Score\nt1,"p\nq",0\n')
    write(tmp_path, "Track C/esp/esp_dev_with_labels.csv", 'PairID,Text,Score\ne1,"p\nq",0\n')
    write(tmp_path, "Track C/esp/esp_test.csv", 'PairID,Text\ne9,"p\nq"\n')
    write(tmp_path, "Track C/hau/hau_dev_with_labels.csv", 'PairID,Text,Score\nh1,"p\nq",0\n')
    return tmp_path


@pytest.mark.parametrize(
    "text",
    [
        'PairID,Text,Score\np1,"one two\nthree",0.25\n',
        "PairID,Text,score\np1,one two\tthree,0.25\n",
        'Text,Score,PairID\n"one two\nthree",0.25,p1\n',
        '\ufeffscore,Text,PairID\r\n0.25,"one two\r\nthree",p1\r\n',
        ",PairID,Text,Score\n0,p1,one two\\nthree,0.25\n\n",
    ],
)
def test_every_released_spelling_gives_the_same_pair(tmp_path, text):
    (pair,) = read_pairs(write(tmp_path, "afr_test_with_labels.csv", text))

    assert (pair.id, pair.text_a, pair.text_b, pair.gold) == ("p1", "one two", "three", 0.25)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("PairID,Text,Score\n", "a header and no row"),
        ('PairID,Text\np1,"a\nb"\n', r":1: no column Score; there are PairID, Text"),
        ('PairID,Text,Score\np1,"a\nb",0.5\np2,one,0.5\n', r":4: Text holds one sentence"),
        ('PairID,Text,Score\np1,"a\nb"\n', r":2: 2 columns, but the header has 3"),
        ('PairID,Text,Score\np1,"a\nb",high\n', r":2: the score 'high' is not a number"),
        ('PairID,Text,Score\np1,"a\nb",nan\n', r":2: the score 'nan' is not a finite"),
        ('PairID,Text,Score\n,"a\nb",1\n', r":2: the PairID is empty"),
    ],
)
def test_a_row_that_cannot_be_read_is_refused_with_its_line(tmp_path, text, message):
    path = write(tmp_path, "afr_test_with_labels.csv", text)

    with pytest.raises(DataError, match=message):
        list(read_pairs(path))


def test_a_file_in_another_encoding_is_refused(tmp_path):
    path = tmp_path / "afr_test_with_labels.csv"
    path.write_bytes(b"PairID,Text,Score\np1,caf\xe9\tb,1\n")

    with pytest.raises(DataError, match="UTF-8"):
        list(read_pairs(path))


def test_a_missing_score_is_none_not_zero(tmp_path):
    path = write(tmp_path, "afr_test_with_labels.csv", "PairID,Text,Score\np1,a\tb,\n")

    assert next(read_pairs(path)).gold is None


def test_a_repeated_pair_id_gets_a_number_of_its_own(tmp_path):
    text = "PairID,Text,Score\np1,a\tb,1\np1,c\td,0\n"

    pairs = list(read_pairs(write(tmp_path, "afr_test_with_labels.csv", text)))

    assert [pair.id for pair in pairs] == ["p1", "p1#2"]


def test_track_a_is_read_before_b_before_c(folder):
    assert file_of(folder, "amh", "test").parts[-3] == "Track A"
    assert file_of(folder, "amh", "test", "B").parts[-3] == "Track B"
    assert file_of(folder, "kin", "test").parts[-3] == "Track B"


def test_telugu_is_scored_on_track_a_in_every_track(folder):
    assert labelled_files(folder, "test", "C")["tel"].parts[-3] == "Track A"
    assert "amh" not in labelled_files(folder, "test", "C")


def test_spanish_is_scored_on_dev_and_says_so(folder):
    semrel = open_benchmark("semrel")

    items = {item.language: item for item in semrel.items(folder, Selection())}

    assert items["esp"].id == "e1"
    assert items["esp"].subset == "dev"
    assert items["amh"].subset is None


def test_a_language_without_the_test_file_is_not_in_the_data(folder):
    semrel = open_benchmark("semrel")

    assert semrel.languages(folder) == ("amh", "esp", "kin", "tel")
    with pytest.raises(UnknownNameError, match="'hau' is not in the data; allowed: amh, esp"):
        list(semrel.items(folder, Selection(languages=("hau",))))


def test_the_dev_split_can_be_asked_for(folder):
    assert open_benchmark("semrel", {"split": "dev"}).languages(folder) == ("esp", "hau")


def test_only_the_languages_asked_for_are_read(folder):
    write(folder, "Track A/amh/amh_test_with_labels.csv", "broken")
    semrel = open_benchmark("semrel")

    assert len(list(semrel.items(folder, Selection(languages=("tel",))))) == 1
    assert semrel.files(folder, ("tel",)) == [folder / "Track A/tel/tel_test_with_labels.csv"]


@pytest.mark.parametrize(
    ("place", "message"), [("nowhere", "no data folder"), ("", "none of the folders 'Track A'")]
)
def test_a_folder_without_tracks_is_refused(tmp_path, place, message):
    with pytest.raises(DataError, match=message):
        open_benchmark("semrel").languages(tmp_path / place)


def test_the_limit_takes_the_first_of_each_language():
    semrel = open_benchmark("semrel")

    items = list(semrel.items(semrel.sample, Selection(limit=2)))

    assert [item.id for item in items if item.language == "afr"] == ["AFR-test-000", "AFR-test-001"]
    assert len(items) == 2 * len(semrel.languages(semrel.sample))


def test_the_sample_holds_a_few_dozen_pairs_in_five_languages():
    semrel = open_benchmark("semrel")

    items = list(semrel.items(semrel.sample, Selection()))

    assert semrel.languages(semrel.sample) == ("afr", "eng", "esp", "hin", "ind")
    assert 20 <= len(items) <= 60
    assert all(0 <= item.fields["gold"] <= 1 for item in items)
