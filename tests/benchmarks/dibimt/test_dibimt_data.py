import json
from pathlib import Path

import pytest

from benchmarks.benchmark import Selection
from benchmarks.catalog import open_benchmark
from benchmarks.dibimt.benchmark import Dibimt
from benchmarks.dibimt.data import languages_of, read_rows
from benchmarks.dibimt.records import ItemRecord, SensesRecord
from benchmarks.errors import DataError, SettingError, UnknownNameError

ROOM = Path(Dibimt.sample).parent


def read(folder, *languages):
    return list(open_benchmark("dibimt").items(folder, Selection(languages)))


def test_an_item_is_asked_once_in_each_of_its_languages(write_folder):
    items = read(write_folder())

    assert [(item.id, item.language, item.subset, item.unit) for item in items] == [
        ("shot-1", "de", "NOUN", "shot"),
        ("shot-1", "es", "NOUN", "shot"),
    ]


def test_the_limit_counts_items_of_each_language_in_file_order(write_folder, item_line):
    second = {**item_line, "id": "shot-2"}
    folder = write_folder([item_line, second])

    items = list(open_benchmark("dibimt").items(folder, Selection(limit=1)))

    assert [(item.id, item.language) for item in items] == [("shot-1", "de"), ("shot-1", "es")]


def test_a_language_that_was_not_asked_for_is_not_looked_at(write_folder, item_line):
    item_line["languages"]["de"] = {"good": "not a list"}

    items = read(write_folder([item_line]), "es")

    assert [item.language for item in items] == ["es"]


def test_a_good_lemma_always_has_the_items_synset(write_folder, item_line):
    item_line["languages"]["es"]["good"] = [{"lemma": "trago", "origin": "annotator"}]

    (item,) = read(write_folder([item_line]), "es")

    assert item.fields["good"] == [{"lemma": "trago", "synsets": ["drink"], "origin": "annotator"}]


def test_a_removed_good_lemma_is_bad(write_folder, item_line):
    item_line["languages"]["es"]["removed"] = [{"lemma": "sorbo", "synsets": ["drink"]}]

    (item,) = read(write_folder([item_line]), "es")

    assert [bad["lemma"] for bad in item.fields["bad"]] == ["disparo", "sorbo"]


def test_a_removed_lemma_that_is_listed_as_bad_too_stands_once(write_folder, item_line):
    item_line["languages"]["es"]["removed"] = [{"lemma": "Disparo", "synsets": ["drink"]}]

    (item,) = read(write_folder([item_line]), "es")

    assert [bad["lemma"] for bad in item.fields["bad"]] == ["disparo"]


def test_languages_stand_in_the_papers_order_then_by_name(write_folder, item_line):
    answers = item_line["languages"]["es"]
    item_line["languages"] = dict.fromkeys(["pl", "zh", "it", "fr", "de"], answers)

    assert languages_of(write_folder([item_line])) == ("de", "it", "zh", "fr", "pl")


def test_an_unknown_language_is_refused_with_the_known_ones(write_folder):
    with pytest.raises(UnknownNameError, match="no language 'fr'; allowed: de, es"):
        read(write_folder(), "fr")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start": 3}, "line 1: at character 3 stands ' dra', not 'shot'"),
        ({"start": -4}, "line 1: start: .*greater than or equal to 0"),
        ({"start": True}, "line 1: start: .*valid integer"),
        ({"start": 10**30}, "at character .* stands ''"),
        ({"synset": "whisky"}, "whisky is no sense of shot .* allowed: firing, pellet, drink"),
        ({"lemma": "shoot"}, r"senses.jsonl has no senses of shoot \(NOUN\)"),
        ({"pos": "ADJ"}, "line 1: pos: .*'NOUN' or 'VERB'"),
        ({"id": "a/b"}, "line 1: id"),
        ({"id": "a b"}, "line 1: id"),
        ({"id": ""}, "line 1: id"),
        ({"id": 7}, "line 1: id: .*valid string"),
        ({"sentence": "  "}, "line 1: sentence"),
        ({"surprise": 1}, "line 1: surprise: Extra inputs"),
        ({"languages": {}}, "line 1: languages"),
        ({"languages": []}, "line 1: languages"),
        ({"languages": {"Deutsch": {}}}, "'Deutsch' is no code of 2 or 3 small letters"),
        ({"languages": {"de": {}}}, "line 1: de: neither a good nor a bad lemma"),
        ({"languages": {"de": {"good": [{}]}}}, "languages.de.good.0.lemma: Field required"),
        ({"languages": {"de": {"good": [{"lemma": "*"}]}}}, r"'\*' has no word to look for"),
        ({"languages": {"de": {"good": [{"lemma": "[x|Pq]"}]}}}, "only .candidate.Px. is allowed"),
        (
            {"languages": {"de": {"good": [{"lemma": "Nuß"}], "bad": [{"lemma": "nuss"}]}}},
            "'Nuß' stands among the good and the bad lemmas",
        ),
        (
            {"languages": {"de": {"good": [{"lemma": "Nuß"}, {"lemma": "Nuss"}]}}},
            "'Nuß' stands twice among the good lemmas",
        ),
    ],
)
def test_a_broken_item_is_refused_with_its_line(write_folder, item_line, change, message):
    folder = write_folder([{**item_line, **change}])

    with pytest.raises(DataError, match=message):
        read(folder)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: not JSON"),
        ("[1]", "line 2: a list; only a JSON object is allowed"),
        ("[" * 100_000, "line 2: nested too deeply|line 2: not JSON"),
        ('{"id": 1, "id": 2}', "line 2: .*'id' stands twice"),
        ('{"start": NaN}', "line 2: .*NaN is no JSON number"),
        ('{"start": ' + "9" * 5_000 + "}", "line 2: not JSON"),
    ],
)
def test_a_line_that_is_no_item_is_refused_with_its_number(write_folder, item_line, line, message):
    folder = write_folder([item_line, line])

    with pytest.raises(DataError, match=message):
        read(folder)


def test_bytes_that_are_not_utf_8_are_refused(write_folder):
    folder = write_folder()
    (folder / "items.jsonl").write_bytes(b'{"id": "\xff"}\n')

    with pytest.raises(DataError, match="line 1: not UTF-8"):
        read(folder)


def test_a_line_without_an_end_is_refused_before_it_fills_the_memory(write_folder):
    folder = write_folder()
    (folder / "items.jsonl").write_bytes(b" " * 4_000_001)

    with pytest.raises(DataError, match="line 1: more than 4000000 bytes"):
        read(folder)


def test_a_byte_order_mark_and_blank_lines_do_no_harm(write_folder, item_line):
    folder = write_folder()
    text = "\ufeff" + json.dumps(item_line) + "\r\n\r\n"
    (folder / "items.jsonl").write_text(text, encoding="utf-8")

    assert len(read(folder)) == 2


def test_an_id_that_stands_twice_is_refused(write_folder, item_line):
    with pytest.raises(DataError, match="line 2: the id 'shot-1' stands in line 1 already"):
        read(write_folder([item_line, item_line]))


@pytest.mark.parametrize("name", ["items.jsonl", "senses.jsonl"])
def test_a_missing_and_an_empty_file_are_refused(write_folder, name):
    folder = write_folder()
    (folder / name).write_text("")

    with pytest.raises(DataError, match=f"{name}: the file is empty"):
        read(folder)

    (folder / name).unlink()
    with pytest.raises(DataError, match=f"{name}: no such file"):
        read(folder)


def test_a_missing_folder_is_refused(tmp_path):
    with pytest.raises(DataError, match="no such folder"):
        read(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"senses": ["a", "a"]}, "line 1: a sense of shot .* stands twice"),
        ({"senses": []}, "line 1: senses"),
        ({"counts": [1]}, "line 1: 1 counts for 4 senses"),
        ({"counts": [1, 2, 3, -1]}, "line 1: counts.3"),
    ],
)
def test_broken_senses_are_refused_with_their_line(write_folder, senses_line, change, message):
    with pytest.raises(DataError, match=message):
        read(write_folder(senses=[{**senses_line, **change}]))


def test_a_word_whose_senses_stand_twice_is_refused(write_folder, senses_line):
    with pytest.raises(DataError, match=r"line 2: shot .NOUN. has its senses already"):
        read(write_folder(senses=[senses_line, senses_line]))


def test_parts_of_speech_are_refused_where_the_lemmatiser_has_none(write_folder):
    benchmark = open_benchmark("dibimt", {"match_pos": "on"})

    with pytest.raises(SettingError, match=r"match_pos=on needs parts of speech.* 'de'"):
        list(benchmark.items(write_folder(), Selection()))


def test_a_lemmatiser_that_does_not_exist_is_refused():
    with pytest.raises(SettingError, match="unknown lemmatiser 'oracle'; allowed: default"):
        open_benchmark("dibimt", {"lemmatiser": "oracle"})


@pytest.mark.parametrize(("name", "record"), [("item", ItemRecord), ("senses", SensesRecord)])
def test_the_schemas_beside_the_readme_are_those_of_the_loader(name, record):
    written = json.loads((ROOM / f"{name}.schema.json").read_text("utf-8"))

    schema = "https://json-schema.org/draft/2020-12/schema"
    assert written == {"$schema": schema, **record.model_json_schema()}


def test_the_sample_follows_the_rules_by_which_items_are_made():
    report = open_benchmark("dibimt").check(Dibimt.sample, ())

    rule_breaches = [each for each in report.findings if each.line is not None]
    assert rule_breaches == []
    assert {(count.split, count.observed) for count in report.counts} == {
        ("items", 12),
        ("NOUN", 8),
        ("VERB", 4),
        ("lemmas", 7),
        ("synsets", 12),
    }


def test_the_expected_counts_are_the_papers():
    counts = open_benchmark("dibimt").check(Dibimt.sample, ("de",)).counts

    assert {count.split: count.expected for count in counts} == {
        "items": 597,
        "NOUN": 314,
        "VERB": 283,
        "lemmas": 305,
        "synsets": 471,
    }


def test_the_check_names_the_items_that_break_a_rule(write_folder, item_line, senses_line):
    senses_line["senses"] = ["firing", "drink"]
    item_line["source"] = "novel"
    item_line["languages"]["es"]["good"][0]["synsets"] = ["drink", "firing"]
    twin = {**item_line, "id": "shot-2", "tags": ["DISCUSS"]}

    report = open_benchmark("dibimt").check(write_folder([item_line, twin], [senses_line]), ())

    messages = {(each.line, each.message) for each in report.findings if each.line}
    assert messages == {
        (1, "shot (NOUN) has 2 senses; the paper takes words with at least 3"),
        (2, "shot (NOUN) has 2 senses; the paper takes words with at least 3"),
        (2, "line 1 has the same sense of shot (NOUN) from the same source already"),
        (2, "line 1 asks about the same word of the same sentence"),
        (2, "shot-2 is tagged DISCUSS"),
        (1, "shot-1 in es: chupito also lexicalises another sense of the word"),
        (2, "shot-2 in es: chupito also lexicalises another sense of the word"),
    }


def test_rows_keep_the_line_they_were_read_from(write_folder, item_line):
    folder = write_folder(["", item_line])

    assert [row.number for row in read_rows(folder, ("de",))] == [2]
