"""What people do around the items: building, reviewing, counting, looking at misses."""

import json

import pytest

from benchmarks.benchmark import Selection
from benchmarks.catalog import open_benchmark
from benchmarks.dibimt.annotation import annotation_statistics
from benchmarks.dibimt.builder import Candidate, build_items, read_candidates
from benchmarks.dibimt.data import read_rows
from benchmarks.dibimt.inventory import Inventory, read_tab_file
from benchmarks.dibimt.miss_study import (
    CAUSES,
    draw_misses,
    read_misses,
    tabulate_causes,
    write_misses,
)
from benchmarks.dibimt.review import apply_reviews, read_reviews, review_lines
from benchmarks.errors import DataError
from languages.wordnet import WordNet

SHOT, DRINK, PHOTO, PHOTOGRAPH = "wn:00000001n", "wn:00000002n", "wn:00000003n", "wn:00000004n"


@pytest.fixture
def english(tmp_path):
    """A wordnet with `shot` (three senses, two of them counted) and `cup` (two senses)."""
    folder = tmp_path / "wordnet"
    folder.mkdir()
    (folder / "index.noun").write_text(
        "  1 A licence line.\n"
        "shot n 3 1 @ 3 2 00000001 00000002 00000003\n"
        "cup n 2 1 @ 2 1 00000002 00000004\n"
    )
    (folder / "index.verb").write_text("")
    return WordNet(folder)


def inventory(**words_by_offset):
    found = Inventory()
    for name, words in words_by_offset.items():
        for word in words.split():
            found.add(f"wn:0000000{name[1:]}n", word)
    return found


def candidate(name="1", **changes):
    fields = {
        "id": name,
        "sentence": f"A shot of rum, number {name}.",
        "word": "shot",
        "start": 2,
        "lemma": "shot",
        "pos": "NOUN",
        "synset": DRINK,
        "source": f"book {name}",
        **changes,
    }
    return Candidate.model_validate(fields)


SPANISH = {"s1": "disparo tiro", "s2": "chupito trago", "s3": "foto tiro", "s4": "trago_largo"}


def test_good_and_bad_lemmas_come_from_the_wordnet_with_all_their_synsets(english):
    built = build_items([candidate()], english, {"es": inventory(**SPANISH)})

    (item,) = built.items
    answers = item.languages["es"]
    assert [(good.lemma, good.synsets) for good in answers.good] == [
        ("chupito", [DRINK]),
        ("trago", [DRINK]),
    ]
    assert [(bad.lemma, bad.synsets) for bad in answers.bad] == [
        ("disparo", [SHOT]),
        ("tiro", [SHOT, PHOTO]),
        ("foto", [PHOTO]),
    ]
    assert [record.senses for record in built.senses] == [[SHOT, DRINK, PHOTO]]


@pytest.mark.parametrize(
    ("changes", "words", "reason"),
    [
        ({"lemma": "snifter"}, SPANISH, "unknown word"),
        ({"synset": PHOTOGRAPH}, SPANISH, "unknown sense"),
        ({"lemma": "cup"}, SPANISH, "fewer than 3 senses"),
        ({}, {**SPANISH, "s2": "chupito disparo"}, "shared lexicalisation"),
        ({}, {"s1": "disparo"}, "no lexicalisation"),
        ({"discard": "idiom"}, SPANISH, "idiom"),
        ({"discard": "proper name"}, SPANISH, "proper name"),
        ({"discard": "insufficient context"}, SPANISH, "insufficient context"),
    ],
)
def test_a_candidate_that_fails_a_filter_is_discarded_with_the_reason(
    english, changes, words, reason
):
    built = build_items([candidate(**changes)], english, {"es": inventory(**words)})

    assert built.items == ()
    assert built.discarded == {"1": reason}
    assert built.n_discarded == {reason: 1}


def test_one_language_with_a_shared_lexicalisation_is_enough_to_discard(english):
    inventories = {
        "es": inventory(**SPANISH),
        "it": inventory(s1="sparo", s2="goccio sparo"),
    }

    assert build_items([candidate()], english, inventories).items == ()


def test_a_sense_is_taken_once_from_each_source(english):
    candidates = [
        candidate("1", source="a"),
        candidate("2", source="a"),
        candidate("3", source="b"),
    ]

    built = build_items(candidates, english, {"es": inventory(**SPANISH)})

    assert [item.id for item in built.items] == ["1", "3"]
    assert built.discarded == {"2": "sense and source seen"}


def test_what_is_built_can_be_loaded(english, write_folder):
    built = build_items([candidate(tags=["DISCUSS"])], english, {"es": inventory(**SPANISH)})

    folder = write_folder(
        [item.model_dump() for item in built.items], [one.model_dump() for one in built.senses]
    )

    (item,) = open_benchmark("dibimt").items(folder, Selection())
    assert (item.id, item.language, item.fields["synset"]) == ("1", "es", DRINK)


def test_candidates_are_read_from_lines(tmp_path):
    path = tmp_path / "candidates.jsonl"
    path.write_text(candidate().model_dump_json() + '\n{"id": "2"}\n')

    with pytest.raises(DataError, match=r"candidates.jsonl, line 2: sentence: Field required"):
        read_candidates(path)


def test_a_tab_file_gives_words_and_synsets(tmp_path):
    path = tmp_path / "wn-data-spa.tab"
    path.write_text(
        "# Test\tspa\thttp://example.org\tCC BY\n"
        "00000002-n\tspa:lemma\ttrago_largo\n"
        "00000002-n\tlemma\ttrago\n"
        "00000002-n\tspa:def\t0\tuna bebida\n"
        "00000005-s\tlemma\tseco\n",
        encoding="utf-8",
    )

    found = read_tab_file(path)

    assert found.words(DRINK) == ["trago largo", "trago"]
    assert found.synsets("seco") == ["wn:00000005a"]
    assert found.words(SHOT) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no line gives a lemma"),
        ("00000002-n\tlemma\n", "line 1: 2 columns; 3 are needed"),
        ("2n\tlemma\ttrago\n", "line 1: '2n' is no synset"),
    ],
)
def test_a_tab_file_of_another_layout_is_refused(tmp_path, text, message):
    path = tmp_path / "wn.tab"
    path.write_text(text)

    with pytest.raises(DataError, match=message):
        read_tab_file(path)


def reviewed(write_folder, tmp_path, item_line, **review):
    rows = read_rows(write_folder([item_line]), ("es",))
    path = tmp_path / "review.jsonl"
    path.write_text(json.dumps({"id": "shot-1", "language": "es", **review}))
    (item,) = apply_reviews([row.record for row in rows], read_reviews(path))
    return item


def test_annotators_add_and_remove_lemmas(write_folder, tmp_path, item_line):
    item = reviewed(
        write_folder,
        tmp_path,
        item_line,
        add_good=["trago", "[copa|Pn]"],
        add_bad=["tiro", "Disparo"],
        remove_good=["Chupito"],
        discuss=True,
    )

    answers = item.languages["es"]
    assert [(good.lemma, good.origin) for good in answers.good] == [
        ("trago", "annotator"),
        ("[copa|Pn]", "annotator"),
    ]
    assert [bad.lemma for bad in answers.bad] == ["disparo", "tiro"]
    assert [(removed.lemma, removed.origin) for removed in answers.removed] == [
        ("chupito", "wordnet")
    ]
    assert item.tags == ["DISCUSS"]


def test_a_removed_good_lemma_makes_a_translation_bad(write_folder, tmp_path, item_line):
    item = reviewed(write_folder, tmp_path, item_line, add_good=["trago"], remove_good=["chupito"])
    benchmark = open_benchmark("dibimt")

    (loaded,) = benchmark.items(write_folder([item.model_dump()]), Selection())

    assert [bad["lemma"] for bad in loaded.fields["bad"]] == ["disparo", "chupito"]


def test_a_bad_lemma_that_is_added_to_the_good_ones_leaves_the_bad_ones(
    write_folder, tmp_path, item_line
):
    item = reviewed(write_folder, tmp_path, item_line, add_good=["Disparo"])

    answers = item.languages["es"]
    assert [good.lemma for good in answers.good] == ["chupito", "Disparo"]
    assert answers.bad == []


def test_an_item_is_open_until_its_review_is_closed_in_every_language(
    write_folder, tmp_path, item_line
):
    tagged = {**item_line, "tags": ["DISCUSS"]}

    assert reviewed(write_folder, tmp_path, tagged, discuss=True).tags == ["DISCUSS"]
    assert reviewed(write_folder, tmp_path, tagged).tags == []


def test_the_lines_for_annotators_show_what_there_is_and_change_nothing(
    write_folder, tmp_path, item_line
):
    (row,) = read_rows(write_folder([item_line]), ("es",))
    (line,) = review_lines([row.record])
    path = tmp_path / "review.jsonl"
    path.write_text(line.model_dump_json())

    assert (line.good, line.bad) == (["chupito"], ["disparo"])
    assert apply_reviews([row.record], read_reviews(path)) == [row.record]


@pytest.mark.parametrize(
    ("review", "message"),
    [
        (
            {"add_good": ["x"], "remove_good": ["chupito"], "add_bad": ["X"]},
            "'X' to the bad lemmas",
        ),
        ({"add_good": ["Chupito"], "remove_good": ["chupito"]}, "both removes and adds 'Chupito'"),
        ({"remove_good": ["copa"]}, "removes 'copa', which is not among the good lemmas"),
        ({"add_good": ["*"]}, "line 1: the review of shot-1 in es: .* has no word to look for"),
        ({"language": "fr"}, "line 1: the review of shot-1 in fr: there is no such item"),
    ],
)
def test_a_review_that_does_not_fit_is_refused(write_folder, tmp_path, item_line, review, message):
    with pytest.raises(DataError, match=message):
        reviewed(write_folder, tmp_path, item_line, **review)


def statistics(write_folder, item_line, *answers, synsets=None):
    synsets = synsets or ["drink"] * len(answers)
    items = [
        {**item_line, "id": str(number), "synset": synset, "languages": {"es": each}}
        for number, (each, synset) in enumerate(zip(answers, synsets, strict=True))
    ]
    return annotation_statistics(read_rows(write_folder(items), ("es",)), "es")


def lemmas(*names, origin="wordnet"):
    return [{"lemma": name, "origin": origin} for name in names]


def test_added_and_removed_shares_are_means_over_items(write_folder, item_line):
    first = {
        "good": lemmas("a", "b", "c") + lemmas("d", origin="annotator"),
        "removed": lemmas("e"),
    }
    second = {"good": lemmas("a") + lemmas("b", origin="annotator")}

    found = statistics(write_folder, item_line, first, second)

    # added: 1 of 4 and 1 of 2; removed: 1 of the 4 that the wordnet gave, and 0 of 1
    assert found.added_share == pytest.approx((1 / 4 + 1 / 2) / 2)
    assert found.removed_share == pytest.approx((1 / 4 + 0) / 2)


def test_items_without_good_lemmas_are_left_out_of_the_means(write_folder, item_line):
    none = {"bad": lemmas("x")}

    found = statistics(write_folder, item_line, none)

    assert (found.n_items, found.added_share, found.removed_share) == (1, None, None)
    assert (found.same_set_share, found.n_pairs) == (None, 0)


def test_pairs_of_one_synset_are_equal_if_their_good_sets_are(write_folder, item_line):
    same, other = {"good": lemmas("a", "b")}, {"good": lemmas("a")}
    turned = {"good": lemmas("B", "A")}

    found = statistics(
        write_folder, item_line, same, turned, other, other, synsets=["drink"] * 3 + ["photo"]
    )

    # three pairs of drink, of which one is equal; the fourth item is of another sense
    assert (found.n_pairs, found.same_set_share) == (3, pytest.approx(1 / 3))


@pytest.fixture
def judged(make_item):
    item = make_item(["chupito"], ["disparo"])
    miss = {"class": "MISS", "translation": "nada", "copied": None}
    copy = {"class": "MISS", "translation": "shot", "copied": "word"}
    good = {"class": "GOOD", "translation": "chupito", "copied": None}
    return [
        (type(item)(str(n), language, "NOUN", "shot", item.fields), detail)
        for language in ("es", "it")
        for n, detail in enumerate([miss] * 5 + [copy] + [good])
    ]


def test_misses_of_each_language_are_drawn_by_the_seed(judged):
    drawn = draw_misses(judged, seed=1, n_items=3)

    assert [record.language for record in drawn] == ["es"] * 3 + ["it"] * 3
    assert drawn == draw_misses(reversed(judged), seed=1, n_items=3)
    assert len(draw_misses(judged, seed=1)) == 12
    assert {record.id for record in draw_misses(judged, seed=1)} == set("012345")


def test_copies_of_the_source_are_coded_already(judged):
    causes = {record.id: record.cause for record in draw_misses(judged, seed=1)}

    assert causes["5"] == "copied_source"
    assert {causes[name] for name in "01234"} == {""}


def test_a_study_goes_out_to_people_and_comes_back_as_a_table(judged, tmp_path):
    path = tmp_path / "misses.jsonl"
    write_misses(draw_misses(judged, seed=1), path)
    coded = path.read_text().replace('"cause":""', '"cause":"omitted_word"', 4)
    path.write_text(coded)

    spanish, italian = tabulate_causes(read_misses(path))

    assert set(spanish.counts) == set(CAUSES)
    assert len(CAUSES) == 7
    assert spanish.n_uncoded + italian.n_uncoded == 6
    assert sum(spanish.counts.values()) + spanish.n_uncoded == 6
    assert italian.counts["copied_source"] == spanish.counts["copied_source"] == 1
    assert sum(share for share in spanish.shares.values()) == pytest.approx(1)


def test_an_unknown_cause_is_refused_with_its_line(judged, tmp_path):
    path = tmp_path / "misses.jsonl"
    write_misses(draw_misses(judged, seed=1, n_items=1), path)
    path.write_text(path.read_text().replace('"cause":""', '"cause":"bad luck"'))

    with pytest.raises(DataError, match=r"misses.jsonl, line 1: cause: Input should be ''"):
        read_misses(path)


def test_shares_without_a_coded_line_are_none(judged):
    records = [record for record in draw_misses(judged, seed=1) if not record.cause]

    assert set(tabulate_causes(records)[0].shares.values()) == {None}
