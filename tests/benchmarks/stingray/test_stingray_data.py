import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.benchmark import Selection
from benchmarks.errors import DataError, UnknownNameError
from benchmarks.stingray.benchmark import Stingray
from benchmarks.stingray.rows import COLUMNS

ROW = {
    "word": "gift",
    "lang1_sentence": "A gift for you.",
    "lang2_sentence": "Ein Gift für dich.",
    "lang_en_sentence": "A present for you.",
    "language_flag": "L1",
    "meaning_l1": "present",
    "meaning_l2": "poison",
    "semantic_appropriate_label": 0,
    "semantic_appropriate_answer": "L1",
    "usage_correctness_lang1_answer": "Yes",
    "usage_correctness_lang2_answer": "No",
}


def write_jsonl(folder, *rows, name="en_de.jsonl"):
    (folder / name).write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return folder


def read(folder, **selection):
    return list(Stingray().items(folder, Selection(**selection)))


def test_a_false_friend_becomes_an_item_with_both_sentences(tmp_path):
    items = read(write_jsonl(tmp_path, ROW))

    assert [item.id for item in items] == ["en_de/0"]
    assert items[0].language == "en_de"
    assert items[0].subset == "false_friend"
    assert items[0].fields["words"] == ["gift", "gift"]
    assert items[0].fields["usage"] == ["Yes", "No"]


def test_a_true_cognate_names_the_word_of_each_language(tmp_path):
    row = {
        **ROW,
        "word": "hand, Hand",
        "semantic_appropriate_label": "2",
        "semantic_appropriate_answer": "Both",
        "usage_correctness_lang2_answer": "Yes",
    }

    items = read(write_jsonl(tmp_path, row, name="en_de_common.jsonl"))

    assert items[0].subset == "true_cognate"
    assert items[0].fields["words"] == ["hand", "Hand"]
    assert items[0].fields["gold"] == "C"


def test_the_two_rows_of_a_false_friend_are_one_unit(tmp_path):
    second = {**ROW, "word": "Gift", "lang1_sentence": "other"}

    items = read(write_jsonl(tmp_path, ROW, second))

    assert len({item.unit for item in items}) == 1


def test_csv_and_parquet_say_the_same_as_json_lines(tmp_path):
    for kind in ("jsonl", "csv", "parquet"):
        (tmp_path / kind).mkdir()
    write_jsonl(tmp_path / "jsonl", ROW)
    cells = ",".join(f'"{ROW[column]}"' for column in COLUMNS)
    (tmp_path / "csv" / "en_de.csv").write_text(f"{','.join(COLUMNS)}\n{cells}\n", encoding="utf-8")
    pq.write_table(pa.Table.from_pylist([ROW]), tmp_path / "parquet" / "en_de.parquet")

    by_kind = {kind: read(tmp_path / kind) for kind in ("jsonl", "csv", "parquet")}

    assert by_kind["jsonl"] == by_kind["csv"] == by_kind["parquet"]


def test_a_csv_without_a_column_is_refused_by_name_and_line(tmp_path):
    header = [column for column in COLUMNS if column != "meaning_l1"]
    (tmp_path / "id_ms.csv").write_text(",".join(header) + "\n" + "x," * 9 + "x\n")

    with pytest.raises(DataError, match=r"id_ms\.csv, line 1: column 'meaning_l1' is missing"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("semantic_appropriate_label", 3, "label is 3; allowed: 0, 1, 2"),
        ("semantic_appropriate_label", "A", "label is 'A'; allowed: 0, 1, 2"),
        ("semantic_appropriate_label", True, "label is True; allowed"),
        ("semantic_appropriate_label", 0.0, r"label is 0\.0; allowed"),
        ("semantic_appropriate_label", None, "label is None; allowed"),
        ("semantic_appropriate_label", 1, "1 means B, but .* 'L1', which means A"),
        ("semantic_appropriate_answer", "L3", "answer is 'L3'; allowed: L1, L2, Both, A, B, C"),
        ("usage_correctness_lang1_answer", "Maybe", "'Maybe'; allowed: Yes, No"),
        ("usage_correctness_lang2_answer", "", "''; allowed: Yes, No"),
        ("language_flag", "L9", "language_flag is 'L9'; allowed: L1, L2"),
        ("word", "  ", "word is blank"),
        ("lang1_sentence", 7, "lang1_sentence is 7; a text is needed"),
        ("lang2_sentence", "a\x00b", "no text"),
        ("lang2_sentence", "a\ud800b", "no text"),
    ],
)
def test_an_unknown_value_is_refused_with_its_line(tmp_path, column, value, message):
    write_jsonl(tmp_path, ROW, {**ROW, column: value})

    with pytest.raises(DataError, match=rf"en_de\.jsonl, line 2: .*{message}"):
        read(tmp_path)


@pytest.mark.parametrize("answer", ["A", "L1", "l1"])
def test_the_answer_column_may_hold_a_letter_or_a_language(tmp_path, answer):
    items = read(write_jsonl(tmp_path, {**ROW, "semantic_appropriate_answer": answer}))

    assert items[0].fields["gold"] == "A"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("en_de.jsonl", b"", "is empty"),
        ("en_de.jsonl", b"\n \n", "is empty"),
        ("en_de.jsonl", b"{\n", "line 1: not JSON"),
        ("en_de.jsonl", b"[1]\n", "line 1: a JSON object is needed"),
        ("en_de.jsonl", b"[" * 100_000, "line 1: not JSON"),
        ("en_de.jsonl", b"\xff\xfe{}", "is not UTF-8"),
        ("en_de.csv", b"", "is empty"),
        ("en_de.csv", ",".join(COLUMNS).encode(), "is empty: it holds no rows"),
        ("en_de.csv", ",".join(COLUMNS).encode() + b'\n"a', "line 2: not CSV"),
        ("en_de.csv", ",".join(COLUMNS).encode() + b"\n" + b"x," * 20, "line 2: 21 cells"),
        ("en_de.parquet", b"no parquet", "is not Parquet"),
    ],
)
def test_a_broken_file_is_refused_in_one_sentence(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)

    with pytest.raises(DataError, match=message):
        read(tmp_path)


def test_a_configuration_in_two_formats_is_refused(tmp_path):
    write_jsonl(tmp_path, ROW)
    (tmp_path / "en_de.csv").write_text("word\n")

    with pytest.raises(DataError, match=r"both en_de\.jsonl and en_de\.csv"):
        read(tmp_path)


def test_a_pair_that_is_not_there_is_refused_by_name(tmp_path):
    write_jsonl(tmp_path, ROW)

    with pytest.raises(UnknownNameError, match=r"'zh_ja' is not in the data; allowed: en_de"):
        read(tmp_path, languages=("zh_ja",))


@pytest.mark.parametrize("name", ["missing", "."])
def test_a_folder_without_data_is_refused(tmp_path, name):
    with pytest.raises(DataError, match=r"no data folder|has no file"):
        read(tmp_path / name)


def test_only_the_languages_asked_for_are_read(tmp_path):
    write_jsonl(tmp_path, ROW)
    (tmp_path / "zh_ja.jsonl").write_text("broken")

    assert len(read(tmp_path, languages=("en_de",))) == 1


def test_the_limit_counts_the_items_of_a_pair_over_both_files():
    items = read(Stingray.sample, languages=("en_de", "id_ms"), limit=8)

    assert [item.language for item in items].count("en_de") == 8
    assert [item.subset for item in items][-2:] == ["true_cognate", "true_cognate"]


def test_the_sample_keeps_every_rule_of_the_check():
    report = Stingray().check(Stingray.sample, ())

    assert [f for f in report.findings if "the paper has" not in f.message] == []
    assert {count.language for count in report.counts} == {"id_tl", "id_ms", "zh_ja", "en_de"}


def test_the_check_names_what_breaks_a_rule(tmp_path):
    write_jsonl(tmp_path, {**ROW, "lang2_sentence": "Ein Geschenk."}, {**ROW, "language_flag": "X"})

    report = Stingray().check(tmp_path, ())

    messages = [(finding.level, finding.line, finding.message) for finding in report.findings]
    assert ("warning", 1, "'gift' does not occur in the sentence of L2") in messages
    assert any(level == "error" and line == 2 for level, line, _ in messages)
    assert any("'gift' has rows L1; a row of each sense is due" in m for _, _, m in messages)
    assert any("1 rows, the paper has 98" in message for _, _, message in messages)


@pytest.mark.parametrize(
    ("name", "word", "message"),
    [
        ("id_ms_common", "buku,bukuu", "are not identical"),
        ("id_tl_common", "Apel,Epal", "are not at most one edit apart"),
        ("en_de_common", "house,Haus", "are not at most one edit apart after case folding"),
        ("zh_ja_common", "图书馆,電話", "are not written with characters of one origin"),
        ("id_ms_common", "buku", "needed: 'l1word,l2word'"),
    ],
)
def test_the_check_knows_the_forms_of_each_pair(tmp_path, name, word, message):
    row = {**ROW, "word": word, "semantic_appropriate_label": 2, "semantic_appropriate_answer": "C"}
    write_jsonl(tmp_path, row, name=f"{name}.jsonl")

    report = Stingray().check(tmp_path, ())

    assert any(message in finding.message for finding in report.findings)
