import json
import math

import pytest

from benchmarks.dtails.data import ConceptWords
from benchmarks.dtails.entropy import entropy
from benchmarks.dtails.mining import MinedConcept, MiningSettings, Occurrence, mine
from benchmarks.dtails.mining_corpus import LemmaPair, lemmatise, read_pairs
from benchmarks.dtails.mining_job import MiningJob, mine_corpus, read_corpus
from benchmarks.dtails.mining_report import find_again, rejected_by_entropy
from benchmarks.dtails.mining_senses import read_senses, senses_from_wordnet, tag_by_wordnet
from benchmarks.dtails.mining_test_set import (
    TestSetSettings,
    draw_candidates,
    draw_concepts,
    is_even,
)
from benchmarks.errors import DataError
from languages.lemmatisation import open_lemmatiser
from languages.wordnet import WordNet

LOW = MiningSettings(min_count=2, min_entropy=0.5)


@pytest.mark.parametrize(
    ("counts", "nats", "bits"),
    [
        ([1, 1], math.log(2), 1.0),
        ([3, 1], 0.5623, 0.8113),  # -(3/4 ln 3/4 + 1/4 ln 1/4)
        ([2, 1, 1], 1.5 * math.log(2), 1.5),
        ([4, 0], 0.0, 0.0),
    ],
)
def test_entropies_worked_by_hand(counts, nats, bits):
    assert entropy(counts, "e") == pytest.approx(nats, abs=5e-5)
    assert entropy(counts, "2") == pytest.approx(bits, abs=5e-5)


def test_two_equal_variations_just_pass_the_published_threshold():
    assert entropy([50, 50]) >= 0.69
    assert entropy([50, 60]) < 0.69 < entropy([50, 60], "2")


def corpus(*words):
    """Return one pair a word: `know=weet` or, tagged, `know/NOUN=weet`; all linked."""
    pairs = []
    for number, entry in enumerate(words):
        source, target = entry.split("=")
        lemma, _, upos = source.partition("/")
        pairs.append(LemmaPair(number, (lemma,), (upos or "VERB",), (target,)))
    return pairs, [[(0, 0)]] * len(pairs)


def test_a_word_with_two_frequent_variations_is_a_concept():
    mined = mine(*corpus(*["know=weet"] * 3, *["know=ken"] * 2, "know=besef"), LOW)

    (concept,) = mined.concepts
    assert (concept.lemma, concept.upos) == ("know", "VERB")
    assert dict(concept.counts) == {"weet": 3, "ken": 2}
    assert concept.entropy == pytest.approx(entropy([3, 2]))
    assert len(concept.occurrences) == 5
    assert mined.n_links == 6


def test_one_variation_or_a_lopsided_pair_is_none():
    one = mine(*corpus(*["go=gaan"] * 9, "go=loop"), LOW)
    lopsided = mine(*corpus(*["go=gaan"] * 18, *["go=loop"] * 2), LOW)

    assert (one.concepts, dict(one.rejected)) == ([], {"few_variations": 1})
    assert (lopsided.concepts, dict(lopsided.rejected)) == ([], {"low_entropy": 1})


def test_parts_of_speech_are_different_concepts():
    mined = mine(*corpus(*["bear/NOUN=beer"] * 2, *["bear/VERB=dra"] * 2), LOW)

    assert mined.concepts == []


def test_the_base_of_the_entropy_decides():
    words = corpus(*["know=weet"] * 60, *["know=ken"] * 50)

    assert mine(*words, MiningSettings()).concepts == []
    assert len(mine(*words, MiningSettings(entropy_base="2")).concepts) == 1


def test_variations_of_a_rarer_sense_are_dropped():
    words = corpus(*["bank=bank"] * 4, *["bank=kas"] * 3, *["bank=oewer"] * 2)
    senses = {number: "river" if number >= 7 else "money" for number in range(9)}

    mined = mine(*words, LOW, lambda pair, place: senses[pair])

    (concept,) = mined.concepts
    assert dict(concept.counts) == {"bank": 4, "kas": 3}
    assert (concept.n_senses, concept.n_dropped) == (2, 1)


def test_a_concept_that_only_polysemy_made_is_rejected():
    words = corpus(*["bank=bank"] * 4, *["bank=oewer"] * 3)

    mined = mine(*words, LOW, lambda pair, place: "river" if pair >= 4 else "money")

    assert (mined.concepts, dict(mined.rejected)) == ([], {"polysemy": 1})


def test_without_a_known_sense_nothing_is_dropped():
    words = corpus(*["bank=bank"] * 4, *["bank=oewer"] * 3)

    assert mine(*words, LOW, lambda pair, place: None).concepts[0].n_senses is None


def concept(lemma, **counts):
    occurrences, number = [], 0
    for variation, n in counts.items():
        for _ in range(n):
            occurrences.append(Occurrence(number, 0, variation))
            number += 1
    return MinedConcept(lemma, "NOUN", counts, tuple(occurrences), entropy(counts.values()))


@pytest.mark.parametrize(
    ("counts", "is_kept"),
    [
        ({"a": 7, "b": 3}, True),  # .7 is .2 from 1/2
        ({"a": 71, "b": 29}, False),
        ({"a": 5, "b": 3, "c": 2}, True),  # .5 is .167 from 1/3
        ({"a": 54, "b": 23, "c": 23}, False),  # .54 is .207 from 1/3
    ],
)
def test_a_variation_may_be_a_fifth_from_an_even_share(counts, is_kept):
    assert is_even(counts, 0.20) is is_kept


def test_uneven_concepts_are_dropped_only_where_there_are_more_than_wanted():
    settings = TestSetSettings(n_concepts=2)
    uneven = [concept("x", a=9, b=1), concept("y", a=5, b=5)]
    more = [*uneven, concept("z", a=6, b=4), concept("w", a=4, b=6)]

    assert draw_concepts(uneven, settings, 0) == uneven
    drawn = draw_concepts(more, settings, 0)
    assert len(drawn) == 2
    assert "x" not in {each.lemma for each in drawn}
    assert draw_concepts(more, settings, 0) == drawn


def test_every_variation_has_a_sentence_among_ten():
    texts = [(f"sentence {n}", f"sin {n}") for n in range(60)]
    many = concept("x", a=50, b=1, c=1)

    rows = draw_candidates([many], texts, TestSetSettings(), 3)

    assert len(rows) == 10
    assert {row.label for row in rows} == {"a", "b", "c"}
    assert len({row.source for row in rows}) == 10
    assert rows == draw_candidates([many], texts, TestSetSettings(), 3)
    assert rows[0].variations == ("a", "b", "c")


def test_known_concepts_are_found_again_by_form_or_lemma():
    known = [
        ConceptWords(1, "know", "VERB", ("weet", "ken/geken")),
        ConceptWords(2, "see", "VERB", ("sien", "kyk")),
    ]

    found = find_again([concept("know", geken=3, weet=2, besef=2)], known, lambda form: [form])

    assert (found[0].found, found[0].missed, found[0].extra) == (
        ["weet", "ken/geken"],
        [],
        ["besef"],
    )
    assert (found[1].is_found, found[1].missed) == (False, ["sien", "kyk"])


def test_each_base_tells_which_known_concepts_it_would_reject():
    known = [
        ConceptWords(1, "know", "VERB", ("weet", "ken")),
        ConceptWords(2, "see", "VERB", ("a",)),
    ]

    rejected = rejected_by_entropy({("know", "X"): {"weet": 60, "ken": 50}}, known)

    assert rejected == {"e": ["know", "see"], "2": ["see"]}


def test_lemmas_are_in_lower_case_with_what_part_of_speech_is_known():
    pairs = [("Dogs bark", "Honde blaf")]

    (pair,) = lemmatise(pairs, "af", open_lemmatiser(), {"dog": "NOUN"}.get)

    assert pair.source == ("dog", "bark")
    assert pair.source_upos == ("NOUN", "X")
    assert pair.target == ("honde", "blaf")


def test_files_must_be_line_by_line_of_each_other(tmp_path):
    (tmp_path / "en").write_text("a\nb\n")
    (tmp_path / "af").write_text("x\n")

    with pytest.raises(DataError, match=r"1 lines, but .*en has 2"):
        read_pairs(tmp_path / "en", tmp_path / "af")
    with pytest.raises(DataError, match="cannot be read"):
        read_pairs(tmp_path / "en", tmp_path / "nowhere")
    (tmp_path / "none").write_text("")
    with pytest.raises(DataError, match="empty"):
        read_pairs(tmp_path / "none", tmp_path / "none")


def test_a_whole_job_gives_a_report_words_and_candidates(tmp_path):
    people = {"I": "ek", "we": "ons", "you": "jy", "they": "hulle"}
    places = {"shop": "winkel", "door": "deur", "street": "straat", "river": "rivier"}
    sentences = [
        (f"{who} know the {place}", f"{people[who]} {verb} die {places[place]}")
        for who in people
        for place in places
        for verb in ("ken", "weet")
    ]
    (tmp_path / "en.txt").write_text("".join(f"{source}\n" for source, _ in sentences))
    (tmp_path / "af.txt").write_text("".join(f"{target}\n" for _, target in sentences))
    (tmp_path / "af.words").write_text("know,VERB,ken;weet\n")
    job = MiningJob(
        tmp_path / "en.txt",
        tmp_path / "af.txt",
        "af",
        open_lemmatiser(),
        settings=MiningSettings(min_count=3),
        known=tmp_path / "af.words",
    )

    result = mine_corpus(job, read_corpus(job))

    assert "know,X,ken;weet" in result.words.splitlines()
    assert result.report["known"]["n_variations_found"] == 2
    assert result.report["known"]["rejected_by_entropy"] == {"e": [], "2": []}
    assert result.candidates.splitlines()[0] == (
        "concept,source language text,target language text,variations,label"
    )
    assert json.loads(json.dumps(result.report)) == result.report


def test_a_sense_file_is_read_by_line_and_lemma(tmp_path):
    path = tmp_path / "senses.jsonl"
    path.write_text('{"line": 3, "lemma": "Bank", "sense": "money"}\n\n')

    assert read_senses(path) == {(3, "bank"): "money"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("nonsense", "line 1: not JSON"),
        ("[]", "line 1: not an object"),
        ('{"line": true, "lemma": "a", "sense": "b"}', "line 1: a line is"),
        ('{"line": 0, "lemma": "a"}', "line 1: a line is"),
        ('{"line": 0, "lemma": "a", "sense": "b"}\n' * 2, "line 2: 'a' of line 0 stands twice"),
    ],
)
def test_a_broken_sense_file_is_refused_with_its_line(tmp_path, content, message):
    path = tmp_path / "senses.jsonl"
    path.write_text(content)

    with pytest.raises(DataError, match=message):
        read_senses(path)


def test_wordnet_tags_words_of_one_part_of_speech_and_guesses_senses(tmp_path):
    (tmp_path / "index.noun").write_text("bank n 1 1 @ 1 1 00000101\nglim n 1 1 @ 1 1 00000102\n")
    (tmp_path / "index.verb").write_text("bank v 1 1 @ 1 1 00000201\n")
    wordnet = WordNet(tmp_path)
    pairs = [LemmaPair(0, ("glim", "bank"), ("NOUN", "X"), ("x",))]

    sense_of = senses_from_wordnet(wordnet, pairs)

    assert tag_by_wordnet(wordnet)("glim") == "NOUN"
    assert tag_by_wordnet(wordnet)("bank") is None
    assert (sense_of(0, 0), sense_of(0, 1)) == ("wn:00000102n", None)
