"""Building such a set: tuples, proposed pairs, the train sets, and what the check notices."""

import random

import pytest

from benchmarks.catalog import open_benchmark
from benchmarks.errors import DataError, UnknownNameError
from benchmarks.published import published_tables
from benchmarks.semrel.check import leaks, suspicious_rows
from benchmarks.semrel.data import Pair, file_of, read_pairs
from benchmarks.semrel.proposal_files import draw_proposals, read_proposals, read_sentences
from benchmarks.semrel.proposer import (
    Lengths,
    Proposal,
    propose_pairs,
    spread_evenly,
    without_repetitions,
)
from benchmarks.semrel.training import Recipe, train_languages, training_pairs, training_runs
from benchmarks.semrel.tuples import n_repeated_meetings, propose_tuples

SHORT = Lengths(1, 9)


def test_no_two_pairs_meet_twice_where_there_are_enough_pairs():
    assert n_repeated_meetings(propose_tuples(100, seed=0)) == 0


def test_tuples_depend_on_the_seed_alone():
    assert propose_tuples(50, seed=1) == propose_tuples(50, seed=1)
    assert propose_tuples(50, seed=1) != propose_tuples(50, seed=2)


def test_three_pairs_make_no_tuple():
    with pytest.raises(ValueError, match="3 pairs; a tuple needs 4"):
        propose_tuples(3, seed=0)


def test_neighbours_are_proposed_but_not_across_an_empty_line():
    found = propose_pairs(["a", "b", "", "c"], "contiguity", 9, seed=0, lengths=SHORT)

    assert [(pair.text_a, pair.text_b) for pair in found] == [("a", "b")]


def test_random_pairs_are_distinct_and_as_many_as_there_can_be():
    found = propose_pairs(["a", "b", "c", "c"], "random", 9, seed=0, lengths=SHORT)

    assert {(pair.text_a, pair.text_b) for pair in found} == {("a", "b"), ("a", "c"), ("b", "c")}


def test_overlap_is_the_hand_worked_dice():
    found = propose_pairs(["a b c", "b c d", "x y z"], "overlap", 9, seed=0, lengths=SHORT)

    # 2·2/(3 + 3)
    assert [(pair.text_a, pair.value) for pair in found] == [("a b c", pytest.approx(2 / 3))]


def test_rare_words_count_more_with_tf_idf():
    sentences = ["the cat", "the dog", "the owl", "odd cat"]

    found = propose_pairs(sentences, "tf-idf", 9, seed=0, lengths=SHORT)

    value = {(pair.text_a, pair.text_b): pair.value for pair in found}
    assert value[("the cat", "odd cat")] > value[("the cat", "the dog")] > 0


def test_the_length_of_a_sentence_is_limited():
    found = propose_pairs(["a b", "a", "a b c"], "overlap", 9, seed=0, lengths=Lengths(2, 2))

    assert found == []


def test_proposals_are_spread_over_the_degrees():
    proposals = [Proposal("a", "b", "m", 0.1)] * 50 + [Proposal("a", "b", "m", 0.95)] * 2

    drawn = spread_evenly(proposals, 4, random.Random(0))

    assert [proposal.value for proposal in drawn] == [0.95, 0.1, 0.95, 0.1]


def test_paraphrases_and_similarities_are_read_from_files(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("one\ttwo\none three\tfour\t0.5\n", encoding="utf-8")

    found = list(read_proposals(path, "paraphrase", SHORT))

    assert [(pair.text_b, pair.value) for pair in found] == [("two", None), ("four", 0.5)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("one\n", ":1: 1 columns"),
        ("a\tb\tx\n", "'x' is not a number"),
        ("a\tb\t2\n", "not in"),
        ("a\tb\t.5\n\na\tb\n", ":3: no third column"),
    ],
)
def test_a_malformed_line_of_pairs_is_refused(tmp_path, text, message):
    path = tmp_path / "pairs.tsv"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(DataError, match=message):
        list(read_proposals(path, "similarity", SHORT))


def test_pairs_of_a_file_are_drawn_by_the_seed(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"a{n}\tb{n}\t{n / 20}\n" for n in range(20)), encoding="utf-8")

    drawn = draw_proposals(read_proposals(path, "similarity", SHORT), 5, 1, "similarity")

    assert sorted(int(pair.value * 5) for pair in drawn) == [0, 1, 2, 3, 4]
    again = draw_proposals(read_proposals(path, "similarity", SHORT), 5, 1, "similarity")
    assert drawn == again


def test_a_pair_is_proposed_once_in_whichever_order():
    first, turned = Proposal("a", "b", "overlap", 0.5), Proposal("b", "a", "random", None)

    assert without_repetitions([first, turned]) == [first]


@pytest.mark.parametrize(("content", "message"), [(b"", "no sentence"), (b"\xff", "not UTF-8")])
def test_a_corpus_without_a_sentence_is_refused(tmp_path, content, message):
    path = tmp_path / "corpus.txt"
    path.write_bytes(content)

    with pytest.raises(DataError, match=message):
        read_sentences(path)


def test_the_joint_model_is_tuned_on_all_train_sets():
    (run,) = training_runs("joint", ("amh", "tel"), ("amh", "hin", "tel"))

    assert (run.train, run.test) == (("amh", "tel"), ("amh", "hin", "tel"))


def test_each_language_with_a_train_set_gets_a_model_of_its_own():
    runs = training_runs("per-language", ("amh", "tel"), ("amh", "hin", "tel"))

    assert [(run.train, run.test) for run in runs] == [(("amh",), ("amh",)), (("tel",), ("tel",))]


def test_cross_lingual_models_are_tuned_on_english_and_for_english_on_spanish():
    runs = training_runs("cross-lingual", ("eng", "esp", "tel"), ("amh", "eng", "esp"))

    assert [(run.train, run.test) for run in runs] == [
        (("eng",), ("amh", "esp")),
        (("esp",), ("eng",)),
    ]


def test_nothing_to_tune_on_is_refused():
    with pytest.raises(DataError, match=r"nothing to tune cross-lingual on; .*: amh"):
        training_runs("cross-lingual", ("amh",), ("tel",))


def test_the_recipe_is_the_published_one():
    recipe = Recipe()

    assert (recipe.batch_size, recipe.n_epochs, recipe.n_warmup_steps) == (16, 10, 100)
    assert recipe.learning_rate == 2e-5


def test_the_train_sets_of_the_sample_are_read():
    sample = open_benchmark("semrel").sample

    pairs = list(training_pairs(sample, ()))

    assert train_languages(sample) == ("eng",)
    assert len(pairs) == 12
    with pytest.raises(UnknownNameError, match="'ind' has no train set; allowed: eng"):
        list(training_pairs(sample, ("ind",)))


def test_pairs_that_leak_can_be_left_out(tmp_path):
    folder = tmp_path / "Track A/amh"
    folder.mkdir(parents=True)
    (folder / "amh_train.csv").write_text('PairID,Text,Score\n1,"A b.\nc",1\n2,"d\ne",0\n')
    (folder / "amh_test_with_labels.csv").write_text('PairID,Text,Score\n9,"c\na b",1\n')

    kept = list(training_pairs(tmp_path, ("amh",), without_leaks=True))

    assert len(list(training_pairs(tmp_path, ("amh",)))) == 2
    assert [pair.id for pair in kept] == ["2"]


def test_leaks_are_counted_word_for_word_and_alike():
    train = [Pair("1", "A b.", "c", 1, 2), Pair("2", "d", "e", 0, 3)]
    test = [Pair("8", "d", "e", 0, 2), Pair("9", "c", "a b", 1, 3), Pair("10", "x", "y", 1, 4)]

    (leak,) = leaks("amh", {"train": train, "test": test})

    assert (leak.split, leak.other, leak.n_exact, leak.n_alike, leak.n_pairs) == (
        "test", "train", 1, 2, 3,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "gold", "what"),
    [
        ("write to jo@x.org now", 0.5, "e-mail"),
        ("see https://x.org", 0.5, "URL"),
        ("hello @jo_x", 0.5, "@mention"),
        ("a\u200bb", 0.5, "invisible"),
        ("a\ufffdb", 0.5, "garbled"),
        ("", 0.5, "empty"),
        ("other", 0.5, "same sentence"),
        ("a", 1.2, "outside"),
        ("a", None, "no score"),
    ],
)
def test_a_suspicious_row_is_noticed(tmp_path, text, gold, what):
    (finding, *_) = suspicious_rows([Pair("1", text, "other", gold, 7)], tmp_path)

    assert what in finding.message
    assert finding.line == 7
    assert finding.level == ("error" if what == "outside" else "warning")


def test_a_joiner_that_is_spelling_is_not_suspicious(tmp_path):
    pairs = [Pair("1", "क्\u200dष", "می\u200cروم", 0.5, 7)]

    assert list(suspicious_rows(pairs, tmp_path)) == []


def test_the_sample_is_clean():
    semrel = open_benchmark("semrel")

    report = semrel.check(semrel.sample, ())

    assert {(count.language, count.split) for count in report.counts} >= {("eng", "train")}
    assert [f for f in report.findings if "hold" in f.message or "stand" in f.message] == []


def test_the_released_telugu_test_set_leaks_three_pairs(real_data):
    folder = real_data("semrel")
    pairs = {
        split: list(read_pairs(path))
        for split in ("train", "test")
        if (path := file_of(folder, "tel", split))
    }

    (leak,) = leaks("tel", pairs)

    assert leak.n_exact == 3


def test_the_released_counts_are_the_expected_ones(real_data):
    report = open_benchmark("semrel").check(real_data("semrel"), ())

    unlike = [count for count in report.counts if count.observed != count.expected]
    assert [(count.language, count.split, count.expected) for count in unlike] == [
        ("arq", "test", None)
    ]
    assert not any("the released file has" in finding.message for finding in report.findings)


def test_published_values_are_there_for_all_fourteen_languages():
    found = [each for each in published_tables("semrel").values() if each.table == "11"]
    values = {(each.system, each.language): each.value for each in found}

    assert len({language for _, language in values}) == 14
    assert values["LaBSE, untuned", "pan"] == -0.11
    assert values["LaBSE, tuned on all train sets together", "tel"] == 0.82
