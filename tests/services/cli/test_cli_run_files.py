"""Run files: what they say, how wrong ones are refused, and how a group goes on."""

import json

import pytest

from services.cli.exits import UsageError
from services.cli.run_files import read_run_file

WHOLE = """\
name: sweep
models: [fake, "baseline:overlap"]
benchmarks:
  - semrel
  - name: stingray
    tasks: semantic
    limit: 2
    settings:
      inference: [likelihood, generation]
limit: 3
tags: [paper]
"""


@pytest.fixture
def write(tmp_path):
    def file(text):
        path = tmp_path / "sweep.yaml"
        path.write_text(text)
        return path

    return file


@pytest.fixture
def database(monkeypatch, database_url):
    monkeypatch.setenv("DATABASE_URL", database_url)


def test_a_file_is_models_times_benchmarks_times_settings(write):
    group = read_run_file(write(WHOLE))

    specs = [entry.spec for entry in group.entries]
    assert [(spec.model, spec.benchmark, spec.limit) for spec in specs] == [
        ("fake", "semrel", 3),
        ("fake", "stingray", 2),
        ("fake", "stingray", 2),
        ("baseline:overlap", "semrel", 3),
        ("baseline:overlap", "stingray", 2),
        ("baseline:overlap", "stingray", 2),
    ]
    assert [spec.settings.get("inference") for spec in specs[:3]] == [
        None,
        "likelihood",
        "generation",
    ]
    assert [entry.line for entry in group.entries[:3]] == [4, 5, 5]
    assert group.labels.tags == ("paper", "group:sweep")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("models:", "modells:", ":2: unknown word 'modells'"),
        ("fake,", "nosuch,", ":2: unknown model 'nosuch'"),
        ("- semrel", "- nosuch", ":4: unknown benchmark 'nosuch'"),
        ("limit: 2", "limit: many", ":7: benchmarks.1.limit: "),
        ("limit: 2", "limit: 0", ":7: limit: "),
        ("inference:", "nosuch:", ":5: unknown setting"),
        ("tasks: semantic", "tasks: nosuch", ":5: unknown task 'nosuch'"),
        ("limit: 3", "limit: 3\nlimit: 4", ":11: 'limit' stands twice"),
        ("limit: 3", "limit: [3", ":11: "),
        ("- name: stingray", "- nane: stingray", ":5: unknown word 'nane'"),
        ("    limit: 2", "    data: nosuch", ":5: no data folder at "),
    ],
)
def test_what_is_wrong_is_told_with_its_line(write, old, new, reason):
    path = write(WHOLE.replace(old, new, 1))

    with pytest.raises(UsageError) as refused:
        read_run_file(path)

    assert str(refused.value).startswith(f"{path}{reason.split(' ', 1)[0]}")
    assert reason in str(refused.value)


def test_a_dry_run_prints_what_would_be_run_and_runs_nothing(command, write, database):
    code, out, _ = command("run", write(WHOLE), "--dry-run", "--json")
    _, runs, _ = command("runs", "--json")

    planned = json.loads(out)["runs"]
    assert code == 0
    assert [(each["benchmark"], each["line"]) for each in planned[:2]] == [
        ("semrel", 4),
        ("stingray", 5),
    ]
    assert all(each["n_items"] > 0 for each in planned)
    assert json.loads(runs) == []


def test_a_group_is_run_once_and_what_cannot_be_run_is_told(command, write, database):
    path = write(WHOLE.replace("fake, ", ""))
    first_code, first, _ = command("run", path, "--json")
    again_code, again, err = command("run", path, "--json")
    _, tagged, _ = command("runs", "--tag", "group:sweep", "--json")

    done, *refused = json.loads(first)["runs"]
    assert (first_code, again_code) == (1, 1)
    assert (done["status"], done["n_answered"]) == ("finished", done["n_items"])
    assert all("unknown baseline 'overlap' of stingray" in each["problem"] for each in refused)
    assert json.loads(again)["runs"][0]["run"] == done["run"]
    assert f"run {done['run']} is finished" in err
    assert [run["run"] for run in json.loads(tagged)] == [done["run"]]


def test_a_changed_entry_is_a_new_run(command, write, database):
    text = "name: g\nmodels: fake\nbenchmarks: [semrel]\nlimit: 1\n"
    _, first, _ = command("run", write(text), "--json")
    _, second, _ = command("run", write(text.replace("1", "2")), "--json")

    ids = {json.loads(each)["runs"][0]["run"] for each in (first, second)}
    assert len(ids) == 2


def test_a_paused_entry_is_taken_up(command, write, database):
    path = write("name: g\nmodels: fake\nbenchmarks: [semrel]\nlimit: 1\n")
    _, first, _ = command("run", path, "--json")
    run = json.loads(first)["runs"][0]["run"]
    command("tag", run, "seen")
    command("delete", run)
    _, second, _ = command("run", path, "--json")

    assert json.loads(second)["runs"][0]["run"] != run


def test_a_run_file_takes_no_options_of_single_runs(refused, write):
    assert "--dry-run" in refused("run", write(WHOLE), "--model", "fake")
    assert "--dry-run is for run files" in refused("run", "semrel", "--model", "fake", "--dry-run")


def test_notes_and_tags_are_kept_beside_a_run(command, database):
    command("run", "semrel", "--model", "fake", "--limit", "1", "--note", "first", "--tag", "a")
    command("tag", "last", "b", "c")
    command("tag", "last", "a", "--remove")
    command("note", "last", "second")
    _, out, _ = command("show", "last", "--json")

    shown = json.loads(out)
    assert (shown["note"], shown["tags"]) == ("second", ["b", "c"])


def test_the_cache_is_sized_and_pruned_of_what_nobody_needs(command, database):
    command("run", "semrel", "--model", "fake", "--limit", "2")
    _, size, _ = command("cache", "size", "--json")
    _, kept, _ = command("cache", "prune", "--json")
    command("delete", "last")
    _, pruned, _ = command("cache", "prune", "--json")

    [fake] = json.loads(size)["responses"]
    assert fake["provider"] == "fake"
    assert fake["n_responses"] > 0
    assert json.loads(kept)["n_responses"] == 0
    assert json.loads(pruned)["n_responses"] == fake["n_responses"]


def test_the_doctor_names_workers(command, database):
    command("run", "semrel", "--model", "fake", "--limit", "1")
    code, out, _ = command("doctor", "--json")

    [worker] = json.loads(out)["workers"]
    assert code == 0
    assert not worker["is_alive"]
