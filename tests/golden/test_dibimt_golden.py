"""What the paper prints about DiBiMT, held against arithmetic and against WordNet 3.0.

Source: Campolungo et al. 2022 (ACL 2022, pages 4331-4352). The benchmark is closed and the cells of
its Table 3 are not at hand: what is tested is that three counts give all numbers of such a cell.
"""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.dibimt.benchmark import Dibimt
from benchmarks.published import published_tables
from languages.errors import BackendUnavailableError
from languages.wordnet import open_wordnet
from metrics.catalog import scores_of
from metrics.table import OutcomeRow

PAPER = {(each.metric, each.subset): each.value for each in published_tables("dibimt").values()}
N_ITEMS = PAPER["n_items", None]


def cell(n_good, n_bad, n_miss, n_ambiguous=0):
    """Return the scores of one system and language from its counts."""
    counts = {"GOOD": n_good, "BAD": n_bad, "MISS": n_miss, "AMBIGUOUS": n_ambiguous}
    verdicts = [verdict for verdict, count in counts.items() for _ in range(count)]
    rows = [
        OutcomeRow(
            number=number,
            item_id=str(number),
            language="de",
            subset="NOUN",
            unit=str(number),
            task="translate",
            variant="",
            status="valid",
            value={"GOOD": 1.0, "BAD": 0.0}.get(verdict),
            detail={"class": verdict, "mu": 1, "delta": 3, "wrong_mu": None},
        )
        for number, verdict in enumerate(verdicts)
    ]
    found = scores_of("dibimt", rows, {}, seed=0)
    return {
        score.metric: score
        for score in found
        if (score.language, score.subset, score.setting) == ("de", None, None)
    }


@settings(deadline=None)
@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30), st.integers(0, 5))
def test_a_cell_of_table_3_is_arithmetic_on_n_good_and_bad(n_good, n_bad, n_miss, n_ambiguous):
    scores = cell(n_good, n_bad, n_miss, n_ambiguous)

    n = n_good + n_bad + n_miss
    if n_good + n_bad:
        assert scores["accuracy"].value == pytest.approx(n_good / (n_good + n_bad))
        # (n - miss) · accuracy is the number of GOOD items again
        n_kept = n * (1 - scores["miss_share"].value)
        assert n_kept * scores["accuracy"].value == pytest.approx(n_good)
    if n:
        assert scores["miss_share"].n == n
        assert scores["miss_share"].value == pytest.approx(n_miss / n)


def test_the_papers_parts_of_speech_add_up():
    n_nouns, n_verbs = PAPER["n_items", "NOUN"], PAPER["n_items", "VERB"]

    assert n_nouns + n_verbs == N_ITEMS == PAPER["n_max", None]


def test_the_accuracy_of_the_wsd_system_is_a_count_of_all_items():
    accuracy = PAPER["wsd_accuracy", "all items"]

    # 396 of 597 prints as 66.33
    n_right = round(accuracy * N_ITEMS)
    assert n_right == 396
    assert round(n_right / N_ITEMS, 4) == accuracy


@pytest.fixture(scope="module")
def wordnet():
    try:
        return open_wordnet()
    except BackendUnavailableError as error:
        pytest.skip(str(error))


def test_a_drink_is_the_8th_of_17_senses_of_shot_and_7_have_counts(wordnet):
    senses = wordnet.senses("shot", "NOUN")

    assert (senses.delta, senses.mu("wn:13773250n"), senses.n_tagged) == (17, 8, 7)


def test_take_off_has_9_senses(wordnet):
    assert wordnet.senses("take off", "VERB").delta == 9


def test_the_samples_senses_are_wordnets(wordnet):
    lines = (Path(Dibimt.sample) / "senses.jsonl").read_text("utf-8").splitlines()

    for line in map(json.loads, lines):
        senses = wordnet.senses(line["lemma"], line["pos"])
        assert line["senses"] == list(senses.synsets)
        assert line["counts"] == list(senses.counts)
