"""`polysense bench` as a user runs it, with the fake model and few rows."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TIMEOUT_S = 240


@pytest.fixture
def polysense(database_url, tmp_path):
    environment = {
        **os.environ,
        "DATABASE_URL": database_url,
        "POLYSENSE_HOME": str(tmp_path / "home"),
        "COLUMNS": "80",
    }

    def call(*words):
        return subprocess.run(
            [sys.executable, "-m", "services.cli.main", "bench", *words],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )

    return call


def test_the_probe_bench_has_the_documented_fields_and_no_flip(polysense):
    ended = polysense("probe", "--model", "fake", "--pairs", "20", "--json")

    assert ended.returncode == 0, ended.stderr
    document = json.loads(ended.stdout)
    assert {
        "machine",
        "device",
        "dtype",
        "model",
        "n_sentences",
        "n_layers",
        "fits_per_s",
        "peers",
        "n_flips_vs_exact",
    } <= set(document)
    assert set(document["peers"]["sklearn_lbfgs"]) == {"fits_per_s", "ratio"}
    assert (document["model"], document["n_layers"]) == ("fake", 3)
    assert document["n_flips_vs_exact"] == 0


def test_the_store_bench_writes_and_leaves_nothing_behind(polysense):
    ended = polysense("store", "--batches", "2", "--json")

    assert ended.returncode == 0, ended.stderr
    document = json.loads(ended.stdout)
    peer = document["peers"]["plain_unnest"]
    assert document["n_rows"] == 1000
    assert peer["ratio"] == pytest.approx(document["rows_per_s"] / peer["rows_per_s"])


def test_the_orchestrator_bench_runs_and_tells_a_person(polysense):
    ended = polysense("orchestrator", "--rounds", "1")

    assert ended.returncode == 0, ended.stderr
    assert "plain_loop" in ended.stdout
    assert "cost_ms_per_item" in ended.stdout


def test_a_folder_that_is_missing_is_one_line(polysense):
    ended = polysense("probe", "--data", "nowhere")

    assert ended.returncode == 2
    assert ended.stderr.splitlines()[-1] == "no data folder at nowhere"
