"""The table of models names tests that exist, classes that exist, and multiplies rightly."""

import ast
import re
from pathlib import Path

import pytest
import transformers

ROOT = Path(__file__).parents[2]
FIXTURES = {
    "decoder": ("tests/scorer/test_architectures.py", "DECODERS"),
    "encoder": ("tests/scorer/test_architectures.py", "ENCODERS"),
    "family": ("tests/scorer/test_seq2seq.py", "MAKERS"),
}
COLUMNS = ["model", "paper", "parameters", "class", "backend", "test", "fp32", "bf16", "int8"]


def read_rows():
    text = (ROOT / "docs/models.md").read_text().partition("| model |")[2].partition("\n\n")[0]
    lines = [line.strip("| ").split("|") for line in text.splitlines()[2:]]
    return [dict(zip(COLUMNS, map(str.strip, cells), strict=False)) for cells in lines]


ROWS = read_rows()


def parameters_of(fixture):
    """The keys of the dictionary that a fixture runs over."""
    file, name = FIXTURES[fixture]
    for node in ast.parse((ROOT / file).read_text()).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == name:
            return {key.value for key in node.value.keys}
    raise AssertionError(f"{file} has no {name}")


def test_every_test_that_the_table_names_exists():
    named = [row["test"].strip("`") for row in ROWS if row["test"] != "—"]

    assert len(named) > 40
    for test in named:
        fixture, parameter = re.fullmatch(r"(\w+)\[(\w+)\]", test).groups()
        assert parameter in parameters_of(fixture), test


def test_every_class_that_the_table_names_exists_and_is_that_of_its_test():
    for row in ROWS:
        if row["class"] == "—":
            assert row["backend"] == "none"
            continue
        name = row["class"].strip("`")
        assert hasattr(transformers, name)
        tested = row["test"].strip("`]").partition("[")[2]
        assert name.startswith(tested) or row["test"].startswith("`family")


def test_memory_is_parameters_times_bytes():
    for row in ROWS:
        number, unit = row["parameters"].split()
        billions = float(number) / {"B": 1, "M": 1000}[unit]
        for column, n_bytes in (("fp32", 4), ("bf16", 2), ("int8", 1)):
            assert float(row[column]) == pytest.approx(billions * n_bytes, abs=0.051), row
