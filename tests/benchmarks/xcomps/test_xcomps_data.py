import json

import pytest

from benchmarks.benchmark import Selection
from benchmarks.errors import DataError, UnknownNameError
from benchmarks.xcomps.benchmark import Xcomps
from benchmarks.xcomps.records import NEGATIVE_TYPES

COMPS = {
    "id": 7,
    "property": "has wheels",
    "acceptable_concept": "cart",
    "unacceptable_concept": "sled",
    "prefix_acceptable": "a cart",
    "property_phrase": "has wheels.",
    "prefix_unacceptable": "a sled",
    "negative_sample_type": "taxonomic",
    "similarity": 0.5,
}
XCOMPS = {
    "acceptable_sent": "Ein Karren hat Räder.",
    "unacceptable_sent": "Ein Schlitten hat Räder.",
    "negative_sample_type": "taxonomic",
}


def read(folder, **selection):
    return list(Xcomps().items(folder, Selection(**selection)))


def write_lines(folder, name, *rows):
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def write_object(folder, name, *rows):
    found = {str(index): row for index, row in enumerate(rows)}
    (folder / name).write_text(json.dumps(found), encoding="utf-8")
    return folder


def test_a_comps_row_becomes_an_english_item_with_its_id(tmp_path):
    (item,) = read(write_lines(tmp_path, "comps_base_part1.jsonl", COMPS))

    assert (item.id, item.language, item.subset) == ("7", "en", "taxonomic")
    assert item.fields["sentences"] == ["a cart has wheels.", "a sled has wheels."]
    assert item.unit == "has wheels|cart"
    assert item.fields["property"] == "has wheels"


def test_an_xcomps_record_is_named_by_its_index(tmp_path):
    write_object(tmp_path, "comps_de.json", XCOMPS, {**XCOMPS, "id": 99})

    items = read(tmp_path)

    assert [item.id for item in items] == ["0", "1"]
    assert items[0].fields["sentences"][1] == "Ein Schlitten hat Räder."
    assert items[0].unit == "Ein Karren hat Räder."
    assert items[0].fields["property"] == "Ein ___ hat Räder."


def test_the_sentences_of_the_third_schema_win_over_the_prefixes(tmp_path):
    row = {**COMPS, "sentence_good": "the good one", "sentence_bad": "the bad one"}
    write_lines(tmp_path, "comps_nl_new.jsonl", row)

    (item,) = read(tmp_path)

    assert (item.language, item.id) == ("nl", "7")
    assert item.fields["sentences"] == ["the good one", "the bad one"]
    assert (item.fields["prefixes"], item.fields["phrase"]) == (None, None)


def test_the_third_schema_may_be_one_json_object_or_array(tmp_path):
    row = {**COMPS, "sentence_good": "good", "sentence_bad": "bad"}
    write_object(tmp_path, "comps_nl_a.json", row)
    (tmp_path / "comps_fr_a.json").write_text(json.dumps([XCOMPS]))

    items = read(tmp_path)

    assert [(item.language, item.id) for item in items] == [("fr", "0"), ("nl", "7")]


def test_files_of_one_language_are_read_one_after_the_other(tmp_path):
    write_lines(tmp_path, "comps_base_part2.jsonl", {**COMPS, "id": 8})
    write_lines(tmp_path, "comps_base_part1.jsonl", COMPS)

    assert [item.id for item in read(tmp_path)] == ["7", "8"]
    assert Xcomps().languages(tmp_path) == ("en",)


def test_an_id_that_stands_twice_is_refused(tmp_path):
    write_lines(tmp_path, "comps_base.jsonl", COMPS, COMPS)

    with pytest.raises(DataError, match=r"line 2: item '7' stands in .*jsonl, line 1 already"):
        read(tmp_path)
    report = Xcomps().check(tmp_path, ())
    (error,) = (finding for finding in report.findings if finding.level == "error")
    assert (error.file, error.line) == ("comps_base.jsonl", 2)


def test_an_index_may_not_hold_a_slash_since_it_stands_in_keys(tmp_path):
    (tmp_path / "comps_de.json").write_text(json.dumps({"a/b": XCOMPS}))

    with pytest.raises(DataError, match="id is 'a/b'"):
        read(tmp_path)


def test_the_check_says_of_a_file_without_records_that_it_is_empty(tmp_path):
    (tmp_path / "comps_de.json").write_text("[]")

    report = Xcomps().check(tmp_path, ())

    assert [finding.level for finding in report.findings] == ["error"]


def test_a_limit_keeps_groups_whole():
    for limit, n_items in ((1, 4), (4, 4), (5, 8), (20, 20), (100, 20)):
        items = read(Xcomps.sample, languages=("en",), limit=limit)
        assert len(items) == n_items


def test_the_sample_has_whole_groups_of_the_four_types():
    items = read(Xcomps.sample)

    by_group = {}
    for item in items:
        by_group.setdefault((item.language, item.unit), []).append(item.subset)
    assert {item.language for item in items} == {"de", "en", "zh"}
    assert all(sorted(types) == sorted(NEGATIVE_TYPES) for types in by_group.values())
    assert Xcomps().check(Xcomps.sample, ()).findings == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"negative_sample_type": "other"}, "'other'; allowed: taxonomic, overlap"),
        ({"negative_sample_type": None}, "negative_sample_type is None; a text is needed"),
        ({"prefix_acceptable": ""}, "prefix_acceptable is ''; a text is needed"),
        ({"prefix_acceptable": ["a"]}, "prefix_acceptable is .*; a text is needed"),
        ({"property_phrase": "a\x00"}, "no text"),
        ({"property_phrase": "a\ud800"}, "no text"),
        ({"id": True}, "id is True"),
        ({"id": 1.5}, r"id is 1\.5"),
        ({"id": " "}, "id is ' '"),
        ({"id": "a/b"}, "id is 'a/b'"),
    ],
)
def test_a_value_that_is_not_allowed_is_refused_with_its_line(tmp_path, change, message):
    write_lines(tmp_path, "comps_base.jsonl", {**COMPS, "id": 1}, {**COMPS, **change})

    with pytest.raises(DataError, match=rf"comps_base\.jsonl, line 2: .*{message}"):
        read(tmp_path)


@pytest.mark.parametrize("column", ["negative_sample_type", "property_phrase", "prefix_acceptable"])
def test_a_missing_column_is_named(tmp_path, column):
    row = {name: value for name, value in COMPS.items() if name != column}
    write_lines(tmp_path, "comps_base.jsonl", row)

    with pytest.raises(DataError, match=rf"line 1: column '{column}' is missing"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("comps_base.jsonl", b"", "is empty"),
        ("comps_base.jsonl", b" \n", "is empty"),
        ("comps_base.jsonl", b"{]\n", "line 1: not JSON"),
        ("comps_base.jsonl", b"[]\n", "line 1: a JSON object is needed"),
        ("comps_base.jsonl", b'{"id": 1, "id": 2}\n', "key 'id' stands there twice"),
        ("comps_base.jsonl", b"{}\n", "needs acceptable_sent and unacceptable_sent"),
        ("comps_de.json", b"{}", "is empty: it holds no records"),
        ("comps_de.json", b"3", "a JSON object .* is needed"),
        ("comps_de.json", b'{"0": 3}', "record '0': a JSON object is needed"),
        ("comps_de.json", b"[" * 100_000, "not JSON"),
        ("comps_de.json", b"\xff", "is not UTF-8"),
    ],
)
def test_a_broken_file_is_refused_in_one_sentence(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)

    with pytest.raises(DataError, match=message):
        read(tmp_path)


@pytest.mark.parametrize("name", ["missing", "."])
def test_a_folder_without_data_is_refused(tmp_path, name):
    with pytest.raises(DataError, match=r"no data folder|has no file comps_base"):
        read(tmp_path / name)


def test_a_language_that_is_not_there_is_refused_by_name(tmp_path):
    write_lines(tmp_path, "comps_base.jsonl", COMPS)
    (tmp_path / "comps_wugs.jsonl").write_text("{}")

    with pytest.raises(UnknownNameError, match=r"'de' is not in the data; allowed: en$"):
        read(tmp_path, languages=("de",))


def test_the_check_reports_identical_pairs_and_broken_groups(tmp_path):
    same = {**XCOMPS, "unacceptable_sent": XCOMPS["acceptable_sent"]}
    apart = {**XCOMPS, "acceptable_sent": "Alles anders", "negative_sample_type": "random"}
    write_object(tmp_path, "comps_de.json", same, apart, {"acceptable_sent": 1})

    report = Xcomps().check(tmp_path, ())

    messages = [finding.message for finding in report.findings]
    assert any("pair 0: the two sentences are identical" in message for message in messages)
    assert any("has 1 pairs: random" in message for message in messages)
    assert any("1 pairs share nothing" in message for message in messages)
    assert [finding.level for finding in report.findings].count("error") == 1
    observed = {count.split: count.observed for count in report.counts}
    assert (observed["pairs"], observed["identical pairs"]) == (2, 1)


def test_the_released_english_pairs_stand_in_whole_groups(real_data):
    folder = real_data("comps")

    items = read(folder, languages=("en",))

    assert len(items) == 1348
    assert len({item.unit for item in items}) == 337
    assert len(read(folder, languages=("en",), limit=100)) == 100
