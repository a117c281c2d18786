"""What the command line makes of words, and what it refuses."""

import pytest

from services.cli.exits import UsageError
from services.cli.options import absolute_data, absolute_model, make_spec, read_settings


def test_settings_are_pairs_and_a_value_may_hold_an_equals_sign():
    assert read_settings(["a=1", "b=c=d", "e="]) == {"a": "1", "b": "c=d", "e": ""}


@pytest.mark.parametrize(
    ("pairs", "reason"), [(["a"], "name=value"), (["=1"], "name=value"), (["a=1", "a=2"], "twice")]
)
def test_a_setting_that_is_no_pair_or_stands_twice_is_refused(pairs, reason):
    with pytest.raises(UsageError, match=reason):
        read_settings(pairs)


@pytest.mark.parametrize(
    ("option", "value"),
    [("limit", 0), ("limit", -1), ("seed", -1), ("batch_items", 0), ("batch_items", 10**6)],
)
def test_a_number_out_of_range_is_refused_by_its_options_name(option, value):
    with pytest.raises(UsageError) as refusal:
        make_spec(benchmark="semrel", model="fake", **{option: value})

    assert f"--{option.replace('_', '-')} {value}" in str(refusal.value)


def test_files_are_spelled_from_the_root(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answers.jsonl").touch()

    assert absolute_model("replay:answers.jsonl") == f"replay:{tmp_path}/answers.jsonl"
    assert absolute_model("hf:org/name") == "hf:org/name"
    assert absolute_data(".") == str(tmp_path)


def test_a_missing_data_folder_is_refused(tmp_path):
    with pytest.raises(UsageError, match="no data folder at"):
        absolute_data(str(tmp_path / "none"))
