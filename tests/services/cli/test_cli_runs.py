"""The command as a user runs it: a process of its own, its exit code, its two streams."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
N_PAIRS = 600
TIMEOUT_S = 120


@pytest.fixture
def environment(database_url, tmp_path):
    return {
        **os.environ,
        "DATABASE_URL": database_url,
        "POLYSENSE_HOME": str(tmp_path / "a home"),
        "COLUMNS": "80",
    }


@pytest.fixture
def polysense(environment, tmp_path):
    def call(*words):
        return subprocess.run(
            [sys.executable, "-m", "services.cli.main", *words],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )

    return call


@pytest.fixture
def pairs(tmp_path):
    """A COMPS file whose right sentences are the shorter ones in two pairs of three."""
    folder = tmp_path / "comps data"
    folder.mkdir()
    kinds = ("taxonomic", "overlap", "co-occurrence", "random")
    lines = []
    for number in range(N_PAIRS):
        long = "x" * (number % 3 + 1)
        record = {
            "id": number + 1,
            "property": f"property {number // 4}",
            "acceptable_concept": "ab",
            "unacceptable_concept": f"c{long}",
            "prefix_acceptable": "a ab",
            "property_phrase": f"does {number}.",
            "prefix_unacceptable": f"a c{long}",
            "negative_sample_type": kinds[number % 4],
            "similarity": 0.5,
        }
        lines.append(json.dumps(record))
    (folder / "comps_base.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def headline(document, metric="accuracy"):
    [score] = [
        score
        for score in document["scores"]
        if score["metric"] == metric
        and score["language"] is None
        and score["subset"] is None
        and score["setting"] is None
    ]
    return score


def test_a_run_prints_one_json_document_and_nothing_else(polysense, pairs):
    done = polysense(
        "run", "xcomps", "--task", "direct", "--model", "fake", "--data", str(pairs), "--json"
    )

    document = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert (document["schema"], document["status"]) == (1, "finished")
    assert document["n_items"] == document["n_answered"] == N_PAIRS
    # -1 nat a character: "ab" against "cx", "cxx", "cxxx": a tie (wrong), right, right.
    assert headline(document)["value"] == pytest.approx(2 / 3)


def test_a_killed_run_that_is_resumed_loses_and_doubles_nothing(polysense, environment, pairs):
    words = ["run", "xcomps", "--task", "direct", "--model", "fake", "--data", str(pairs)]
    undisturbed = json.loads(polysense(*words, "--json").stdout)
    process = subprocess.Popen(
        [sys.executable, "-m", "services.cli.main", *words, "--batch-items", "1", "--no-cache"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    process.stderr.readline()  # the run is stored
    time.sleep(0.8)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stderr.close()
    before = json.loads(polysense("show", "last", "--json").stdout)

    done = polysense("resume", "last", "--json")

    document = json.loads(done.stdout)
    assert before["status"] in {"queued", "running"}
    assert before["n_outcomes"] < N_PAIRS
    assert (done.returncode, document["status"]) == (0, "finished"), done.stderr
    assert document["run"] == before["run"]
    assert document["n_answered"] == N_PAIRS
    assert headline(document)["value"] == headline(undisturbed)["value"]
    numbers = [
        json.loads(line)["number"] for line in polysense("outcomes", "last").stdout.splitlines()
    ]
    assert numbers == list(range(N_PAIRS))


def test_recorded_answers_give_the_scores_that_a_hand_gives(polysense, pairs, tmp_path):
    asked = polysense(
        "requests", "xcomps", "--task", "direct", "--data", str(pairs), "--limit", "4"
    ).stdout
    answers = tmp_path / "answers.jsonl"
    # The acceptable sentence is likelier in the first, second and third pair of the group.
    lines = []
    for request in map(json.loads, asked.splitlines()):
        number, part = request["key"].rsplit("/", 2)[1:]
        is_likelier = (part == "acceptable") == (int(number) < 4)
        lines.append({"key": request["key"], "response": {"sums": [-1.0 if is_likelier else -2.0]}})
    lines.append({"key": "xcomps/direct/en/999/acceptable", "response": {"sums": [-1.0]}})
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines))
    words = ["run", "xcomps", "--task", "direct", "--data", str(pairs), "--limit", "4", "--json"]

    done = polysense(*words, "--model", f"replay:{answers}")

    document = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert headline(document)["value"] == 0.75
    assert "ignored 1 recorded keys" in done.stderr


def test_a_missing_answer_is_an_unanswered_item_and_exit_code_1(polysense, pairs, tmp_path):
    answers = tmp_path / "answers.jsonl"
    answers.write_text(
        "".join(
            json.dumps({"key": f"xcomps/direct/en/1/{part}", "response": {"sums": [value]}}) + "\n"
            for part, value in (("acceptable", -1.0), ("unacceptable", -2.0))
        )
    )
    words = ["run", "xcomps", "--task", "direct", "--data", str(pairs), "--limit", "4", "--json"]

    done = polysense(*words, "--model", f"replay:{answers}")

    document = json.loads(done.stdout)
    assert done.returncode == 1
    assert (document["n_items"], document["n_answered"]) == (4, 1)
    assert headline(document)["value"] == 1.0
    assert headline(document)["coverage"] == 0.25


def test_constant_answers_are_told_as_an_error_and_shown_as_a_dash(polysense, tmp_path):
    asked = polysense("requests", "semrel", "--setting", "inference=rating", "--language", "eng")
    answers = tmp_path / "answers.jsonl"
    lines = [
        {"key": json.loads(line)["key"], "response": {"text": "0.5"}}
        for line in asked.stdout.splitlines()
    ]
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines))
    words = ["run", "semrel", "--setting", "inference=rating", "--language", "eng"]

    done = polysense(*words, "--model", f"replay:{answers}")

    reason = f"all {len(lines)} predictions are equal"
    assert done.returncode == 0, done.stderr
    assert f"relatedness: no spearman for eng: {reason}" in done.stderr.splitlines()
    [row] = [line.split() for line in done.stdout.splitlines() if " eng " in line]
    assert row[:4] == ["relatedness", "spearman", "eng", "–"]
    assert done.stdout.count(reason) == 1


def test_what_must_not_be_pooled_is_shown_by_subset(polysense):
    done = polysense("run", "stingray", "--model", "fake", "--language", "en_de")

    lines = [line.split() for line in done.stdout.splitlines()]
    of_subsets = [line for line in lines if "cognate_comprehension" in line]
    assert done.returncode == 0, done.stderr
    assert {line[3] for line in of_subsets} == {"false_friend", "true_cognate"}
    assert "–" not in {line[4] for line in of_subsets}
    assert {line[3] for line in lines if line[1:3] == ["accuracy", "en_de"]} >= {
        "false_friend",
        "true_cognate",
    }


def test_a_malformed_replay_is_refused_before_anything_is_stored(polysense, tmp_path):
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"key": "a", "response": {}}\n{"key": \n')

    done = polysense("run", "semrel", "--model", f"replay:{answers}")

    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "answers.jsonl:2: not JSON" in done.stderr
    assert polysense("runs", "--json").stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("run", "nosuch", "--model", "fake"), "unknown benchmark 'nosuch'; allowed: stingray"),
        (("run", "semrel", "--model", "nosuch"), "unknown model 'nosuch'; allowed: demo"),
        (("run", "semrel", "--model", "fake", "--data", "none"), "no data folder at none"),
        (("run", "semrel", "--model", "fake", "--language", "xx"), "language 'xx' is not in"),
        (("run", "semrel", "--model", "fake", "--limit", "0"), "--limit 0"),
        (("run", "semrel", "--model", "fake", "--limit", "many"), "--limit"),
        (("run", "semrel"), "--model"),
        (("show", "nosuch"), "no run 'nosuch'"),
        (("nosuch",), "nosuch"),
    ],
)
def test_wrong_use_is_one_clear_line_and_exit_code_2(polysense, words, reason):
    done = polysense(*words)

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert reason in done.stderr


def test_overlap_on_the_released_pairs_gives_the_published_number(polysense, real_data):
    done = polysense(
        *("run", "semrel", "--model", "baseline:overlap", "--language", "amh", "--json"),
        *("--data", str(real_data("semrel"))),
    )

    assert headline(json.loads(done.stdout), "spearman")["value"] == pytest.approx(0.6332, abs=1e-4)
