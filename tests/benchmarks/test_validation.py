"""A refused value is told in one clean clause."""

from pathlib import Path

import pytest
from pydantic import TypeAdapter, ValidationError

from benchmarks.catalog import open_benchmark
from benchmarks.dtails.annotation import read_annotations
from benchmarks.dtails.rules_artefact import read_artefact
from benchmarks.errors import DataError, SettingError
from benchmarks.validation import first_problem


def test_a_problem_without_a_place_is_its_reason_alone() -> None:
    with pytest.raises(ValidationError) as met:
        TypeAdapter(int).validate_python("many")

    assert first_problem(met.value).startswith("Input should be a valid integer")


@pytest.mark.parametrize("name", ["xcomps", "dibimt", "dtails", "semrel"])
def test_a_refusal_of_settings_that_do_not_go_together_names_no_value(name: str) -> None:
    with pytest.raises(SettingError) as met:
        open_benchmark(name, {"prompt_style": "file"})

    assert str(met.value) == f"{name}: prompt_style=file needs prompt_file=<path>"


def test_a_missing_prompt_file_is_told_without_a_number() -> None:
    with pytest.raises(SettingError) as met:
        open_benchmark("dibimt", {"prompt_file": "nowhere.json"})

    assert str(met.value) == (
        "setting prompt_file='nowhere.json' of dibimt: prompt file nowhere.json cannot be read:"
        " No such file or directory"
    )


@pytest.mark.parametrize(
    ("line", "clause"),
    [
        ("no JSON", "line 1: not JSON: expected ident at line 1 column 2"),
        ("{}", "line 1: no 'study'"),
        ('{"study": "x"}', "line 1: 'study' is 'x'; allowed: 'rules', 'sentences'"),
    ],
)
def test_an_annotation_that_cannot_be_read_is_told_plainly(
    tmp_path: Path, line: str, clause: str
) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(line + "\n")

    with pytest.raises(DataError) as met:
        read_annotations(path)

    assert str(met.value) == f"{path}, {clause}"


def test_an_artefact_that_is_no_json_is_told_plainly(tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    path.write_text("x")

    with pytest.raises(SettingError, match=r"not a rules artefact \(not JSON: expected value"):
        read_artefact(path)
