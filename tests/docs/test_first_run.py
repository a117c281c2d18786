"""The README's first run of your own works as it is printed there."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def block_with(text, language):
    return next(
        block
        for block in re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
        if text in block
    )


@pytest.fixture
def shell(tmp_path, database_url):
    """Return a function that runs shell lines in a folder and home of their own."""
    folder = tmp_path / "a new folder"
    folder.mkdir()
    environment = {
        **os.environ,
        "DATABASE_URL": database_url,
        "POLYSENSE_HOME": str(tmp_path / "home"),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }

    def run(lines):
        done = subprocess.run(
            ["bash", "-euc", lines],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    run.folder = folder
    return run


def test_recorded_answers_are_replayed_scored_and_taken_elsewhere(shell):
    (shell.folder / "answer.py").write_text(block_with("# answer.py", "python"))

    shell(block_with("replay:answers.jsonl", "sh"))
    shell(block_with("polysense outcomes last", "sh"))
    found = json.loads(shell("polysense scores last --json"))["scores"]

    accuracies = {
        score["subset"]: score["value"]
        for score in found
        if score["metric"] == "accuracy" and score["language"] is None and score["setting"] is None
    }
    # Whoever always says "both" is right about every true cognate and about no false friend.
    assert accuracies["true_cognate"] == 1
    assert accuracies["false_friend"] == 0
    assert (shell.folder / "outcomes.csv").read_text().count("\n") > 20
    assert "<!doctype html>" in (shell.folder / "report.html").read_text().lower()
