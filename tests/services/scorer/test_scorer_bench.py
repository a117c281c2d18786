import subprocess
import sys

import pytest

from benchmarks.errors import BenchmarkError
from benchmarks.xcomps.benchmark import Xcomps
from scorer.backend import TokenRow
from services.scorer.bench.rates import Work, work_of
from services.scorer.bench.texts import sentences_of


def test_the_least_that_must_be_read_is_every_distinct_beginning_once():
    rows = [TokenRow((0, 5, 6, 7), 1), TokenRow((0, 5, 8), 1), TokenRow((0, 5, 8), 1)]

    # Beginnings after which a token is asked for: (0), (0 5), (0 5 6).
    assert work_of(rows) == Work(n_tokens=7, n_prefixes=3)


def test_a_benchmarks_sentences_are_those_its_likelihood_tasks_score():
    sentences = sentences_of(Xcomps.sample)

    assert len(sentences) >= 40
    assert all(isinstance(text, str) and text for text in sentences)


def test_a_folder_without_sentences_is_told_apart(tmp_path):
    with pytest.raises(BenchmarkError, match="holds no sentences to score"):
        sentences_of(tmp_path)


def test_a_model_that_cannot_be_timed_is_one_line(tmp_path):
    found = subprocess.run(
        [sys.executable, "-m", "services.scorer.bench", "--model", f"hf:{tmp_path}"],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip

    assert found.returncode == 2
    assert len(found.stderr.strip().splitlines()) == 1
