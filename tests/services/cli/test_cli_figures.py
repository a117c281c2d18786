"""`polysense figure`: a file in each format, one line and code 2 for what cannot be."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TIMEOUT_S = 120


@pytest.fixture
def polysense(database_url, tmp_path):
    environment = {
        **os.environ,
        "DATABASE_URL": database_url,
        "POLYSENSE_HOME": str(tmp_path / "a home"),
        "COLUMNS": "80",
    }

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
def measured(polysense):
    """Return the command after a run of SemRel2024's sample."""
    answer = polysense("run", "semrel", "--model", "baseline:overlap")
    assert answer.returncode == 0, answer.stderr
    return polysense


def test_figures_are_written_and_wrong_use_is_one_line(measured, tmp_path):
    folder = tmp_path / "a folder.svg"
    folder.mkdir()
    starts = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "json": b"{"}

    for form, start in starts.items():
        out = tmp_path / f"my figure.{form}"
        answer = measured("figure", "semrel-spearman", "last", "--out", str(out))
        assert answer.returncode == 0, answer.stderr
        assert out.read_bytes().startswith(start)
    again = tmp_path / "again.svg"
    measured("figure", "semrel-spearman", "last", "--out", str(again))
    assert again.read_bytes() == (tmp_path / "my figure.svg").read_bytes()

    for words, message in (
        (("pie", "last", "--out", str(again)), "unknown figure 'pie'"),
        (("stingray-plot", "last", "--out", str(again)), "draws runs of stingray; met semrel"),
        (("semrel-spearman", "last", "--out", "x.gif"), "one of .json, .svg, .png, .pdf"),
        (("semrel-spearman", "last", "--out", str(folder)), "is a folder"),
        (("semrel-spearman", "last", "--out", str(tmp_path / "no" / "x.svg")), "no folder"),
        (("semrel-spearman", "last", "--out", str(again), "--option", "a=b"), "no option 'a'"),
        (("semrel-spearman", "last", "--out", str(again), "--option", "a"), "--option 'a'"),
        (("semrel-spearman", "01NOBODY", "--out", str(again)), "01NOBODY"),
        (("semrel-spearman",), "expected KIND RUN... --out FILE"),
    ):
        answer = measured("figure", *words)
        assert answer.returncode == 2, words
        assert message in answer.stderr
        assert answer.stderr.count("\n") == 1
    assert sorted(path.name for path in folder.iterdir()) == []
    assert not list(tmp_path.glob("*.part"))


def test_the_kinds_are_listed(polysense):
    listed = json.loads(polysense("figure", "--list", "--json").stdout)

    assert {"stingray-plot", "semrel-violins", "dtails-comparison"} <= {k["kind"] for k in listed}
    assert all(kind["summary"] and kind["benchmark"] for kind in listed)
