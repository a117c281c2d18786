"""compare, gate, rejudge, export, import and selftest as a user calls them."""

import json

import pytest

from services.cli.comparing_commands import columns_for


@pytest.fixture
def stored(command, database_url, monkeypatch):
    """The command on a database of its own."""
    monkeypatch.setenv("DATABASE_URL", database_url)
    return command


def run(stored, *words):
    code, out, err = stored("run", *words, "--json")
    assert code == 0, err
    return json.loads(out)


def rejected(stored, *words):
    code, out, err = stored(*words)
    assert (code, out) == (2, ""), err
    assert len(err.splitlines()) == 1, err
    return err


GENERATED = ("stingray", "--setting", "inference=generation")


@pytest.fixture
def answers(stored, tmp_path):
    """A recording whose answers are right, but with a full stop that only one parser forgives."""
    code, out, _ = stored("requests", *GENERATED)
    assert code == 0
    path = tmp_path / "answers.jsonl"
    keys = [json.loads(line)["key"] for line in out.splitlines()]
    path.write_text(
        "".join(
            json.dumps({"key": key, "response": {"text": "C." if "semantic" in key else "Yes."}})
            + "\n"
            for key in keys
        )
    )
    return path


def test_the_same_answers_judged_again_are_those_of_a_new_run(stored, answers):
    model = f"replay:{answers}"
    before = run(stored, *GENERATED, "--model", model)

    code, out, err = stored("rejudge", "last", "--setting", "parser=paper", "--json")

    again = json.loads(out)
    fresh = run(stored, *GENERATED, "--model", model, "--setting", "parser=paper")
    assert (code, again["run"], again["score_set"]) == (0, before["run"], "judge-1;parser=paper")
    assert again["scores"] == fresh["scores"]
    assert again["scores"] != before["scores"]
    assert again["n_changed"] > 0
    assert "kept as score set" in err


def test_every_score_set_is_kept_and_can_be_asked_for(stored, answers):
    before = run(stored, *GENERATED, "--model", f"replay:{answers}")
    stored("rejudge", before["run"], "--setting", "parser=paper")

    _, out, _ = stored("scores", before["run"], "--set", "1", "--json")
    _, latest, _ = stored("scores", before["run"], "--json")

    assert json.loads(out)["scores"] == before["scores"]
    assert json.loads(latest)["score_sets"] == ["judge-1;parser=paper", "judge-1"]
    assert "score sets: 1 judge-1 · 2 judge-1;parser=paper" in stored("scores", before["run"])[1]
    message = rejected(stored, "scores", before["run"], "--set", "9")
    assert "allowed: 1 judge-1, 2 judge-1;parser=paper" in message


def test_a_setting_that_changes_what_is_asked_needs_a_new_run(stored, answers):
    run(stored, *GENERATED, "--model", f"replay:{answers}")

    asked = rejected(stored, "rejudge", "last", "--setting", "max_new_tokens=9")
    ways = rejected(stored, "rejudge", "last", "--setting", "prompt_style=all")

    assert asked == "max_new_tokens=9 changes what the model is asked: make a new run with it\n"
    assert "prompt_style=all changes what the model is asked" in ways
    assert "allowed" in rejected(stored, "rejudge", "last", "--setting", "colour=red")


def test_an_imported_run_has_no_responses_to_judge(stored, answers, tmp_path):
    before = run(stored, *GENERATED, "--model", f"replay:{answers}")
    out = tmp_path / "bundle.tar"
    assert stored("export", "last", out)[0] == 0
    assert "exists already" in rejected(stored, "export", "last", out)
    assert "ends in .tar" in rejected(stored, "export", "last", tmp_path / "x.zip")
    assert stored("delete", "last")[0] == 0

    code, text, _ = stored("import", out, "--json")

    assert (code, json.loads(text)[0]["run"]) == (0, before["run"])
    _, scores, _ = stored("scores", "last", "--json")
    assert json.loads(scores)["scores"] == before["scores"]
    assert "imported" in stored("runs")[1]
    message = rejected(stored, "rejudge", "last", "--setting", "parser=paper")
    assert message.startswith("144 stored responses of run")


def test_two_runs_are_compared_and_a_gate_decides(stored):
    first = run(stored, "stingray", "--model", "baseline:always-yes")["run"]
    second = run(stored, "stingray", "--model", "baseline:always-no")["run"]

    code, out, err = stored("compare", first, second, "--json")
    table = stored("compare", first, second)[1]

    document = json.loads(out)
    assert code == 0
    assert set(document) == {"comparisons", "verdict"}
    assert "items answered by both" in err
    assert max(len(line.rstrip()) for line in table.splitlines()) <= 90
    assert columns_for(80) == columns_for(100)[:-1]
    assert table.splitlines()[-1] == document["verdict"]
    worse, sentence, _ = stored("gate", first, second, "--margin", "0.02")
    better = stored("gate", second, first, "--margin", "0.02", "--language", "en_de")[0]
    assert (worse, better) == (1, 0)
    assert sentence.startswith("worse: B loses more than 0.02 on accuracy usage")
    assert "allowed is 0 or more" in rejected(stored, "gate", first, second, "--margin", "-1")
    message = rejected(stored, "gate", first, second, "--margin", "0", "--language", "tlh")
    assert "share no score of accuracy, tlh" in message


def test_a_baseline_has_nothing_to_judge_or_to_repeat(stored):
    run(stored, "dtails", "--model", "baseline:chance", "--task", "select")

    assert "has no responses" in rejected(stored, "rejudge", "last")
    assert "is a baseline" in rejected(stored, "selftest", "baseline:chance")


def test_exact_arithmetic_has_no_noise(stored):
    code, out, _ = stored("selftest", "fake", "--limit", "4", "--json")

    document = json.loads(out)
    assert (code, document["epsilon_nats"], document["share_within"]) == (0, 0.0, 0.0)
    assert set(document["by_arrangement"]) == {"repeated", "shuffled", "rebatched"}
    assert "does not ask for log-probabilities" in rejected(
        stored, "selftest", "fake", "--task", "neuro"
    )
