import json

import pytest

from benchmarks.benchmark import Selection
from benchmarks.errors import DataError
from benchmarks.xcomps.benchmark import Xcomps
from benchmarks.xcomps.building import (
    built_record,
    review_row,
    reviewed_terms,
    sentence_request,
    terms_of,
    translation_request,
)
from benchmarks.xcomps.building_files import read_seeds, source_pairs
from benchmarks.xcomps.data import read_pairs

PAIRS = list(read_pairs(Xcomps.sample / "comps_base_sample.jsonl"))[:4]
TERMS = {
    ("concept", PAIRS[0].concepts[0]): "thermos",
    ("concept", PAIRS[0].concepts[1]): "taza",
    ("property", PAIRS[0].property_name): "mantiene calientes las bebidas",
}


def test_every_term_is_named_once_with_its_seeds():
    terms = list(terms_of(PAIRS, {"mug": {"de": "Becher"}}))

    assert [term["kind"] for term in terms].count("property") == 1
    assert len(terms) == len({(term["kind"], term["en"]) for term in terms}) == 6
    assert next(term for term in terms if term["en"] == "mug")["de"] == "Becher"


def test_a_translation_is_asked_with_the_seeds_beside_the_english():
    term = {"id": 3, "kind": "concept", "en": "mug", "de": "Becher"}

    request = translation_request(term, "es", "Spanish")

    assert request.key == "xcomps/build/es/term/3"
    assert "English: mug\nGerman: Becher\n" in request.messages[0].content


def test_the_review_wins_over_the_proposal():
    term = {"id": 0, "kind": "concept", "en": "mug"}
    proposed = review_row(term, "\n taza \nbecause …")

    assert proposed["proposed"] == "taza"
    assert reviewed_terms([("here", proposed)]) == {("concept", "mug"): "taza"}
    corrected = {**proposed, "reviewed": "tazón"}
    assert reviewed_terms([("here", corrected)]) == {("concept", "mug"): "tazón"}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"kind": "concept", "en": "mug"}], "line 1: 'proposed' is missing"),
        ([{"kind": "concept", "en": "mug", "proposed": " "}], "'mug' has no translation"),
        ([{"kind": "concept", "en": "mug", "proposed": "a"}] * 2, "line 2: .* twice"),
    ],
)
def test_a_review_that_is_not_complete_is_refused(rows, message):
    with pytest.raises(DataError, match=message):
        reviewed_terms((f"review, line {n}", row) for n, row in enumerate(rows, start=1))


def test_the_groups_of_the_first_pairs_are_built_whole():
    assert len(source_pairs(Xcomps.sample, limit=1)) == 4
    assert len(source_pairs(Xcomps.sample, limit=5)) == 8


def test_building_needs_english_pairs_with_ids_of_their_own(tmp_path):
    (tmp_path / "comps_de.json").write_text("{}")

    with pytest.raises(DataError, match="no English file"):
        source_pairs(tmp_path)

    lines = (Xcomps.sample / "comps_base_sample.jsonl").read_text().splitlines()
    (tmp_path / "comps_base.jsonl").write_text("\n".join([lines[0], lines[0]]))
    with pytest.raises(DataError, match="stands there twice"):
        source_pairs(tmp_path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"en": "mug", "fr": "tasse"}', "line 2: 'fr'; allowed: en, de, zh"),
        ('{"de": "Becher"}', "line 2: 'en' is missing"),
        ('{"en": "cup"}', "line 2: 'cup' stands there twice"),
        ('{"en": "mug", "de": 1}', "line 2: de is 1"),
        ("[]", "line 2: a JSON object is needed"),
    ],
)
def test_a_seed_that_cannot_be_read_is_named_with_its_line(tmp_path, line, message):
    path = tmp_path / "seeds.jsonl"
    path.write_text(f'{{"en": "cup", "de": "Tasse"}}\n{line}\n')

    with pytest.raises(DataError, match=message):
        read_seeds(path)


def test_built_records_keep_the_id_and_can_be_read(tmp_path):
    request = sentence_request(PAIRS[0], TERMS, "es", "Spanish")
    answer = 'Claro: {"acceptable": "Un termo …", "unacceptable": "Una taza …"}'

    record = built_record(PAIRS[0], TERMS, answer)
    (tmp_path / "comps_es_built.jsonl").write_text(json.dumps(record))
    (item,) = Xcomps().items(tmp_path, Selection())

    assert request.key == f"xcomps/build/es/pair/{PAIRS[0].id}"
    assert (item.id, item.language, item.subset) == (PAIRS[0].id, "es", "taxonomic")
    assert item.fields["sentences"] == ["Un termo …", "Una taza …"]


@pytest.mark.parametrize(
    "answer",
    ["", "no JSON", '{"acceptable": "a"}', '{"acceptable": "a", "unacceptable": "a"}', "[]"],
)
def test_an_answer_without_two_sentences_is_refused(answer):
    with pytest.raises(DataError, match=f"pair {PAIRS[0].id}"):
        built_record(PAIRS[0], TERMS, answer)


def test_a_term_that_was_not_reviewed_is_named():
    with pytest.raises(DataError, match="was not reviewed"):
        sentence_request(PAIRS[1], TERMS, "es", "Spanish")
