"""Does the reader of DiBiMT take what its JSON schemas allow, and refuse what they forbid?"""

import copy
import json
import random
from pathlib import Path

import pytest

import benchmarks.dibimt
from benchmarks.dibimt import data
from benchmarks.dibimt.notation import parse_entry
from benchmarks.errors import DataError

jsonschema = pytest.importorskip("jsonschema")

ROOM = Path(benchmarks.dibimt.__file__).parent
ANSWERS = {
    "good": [{"lemma": "Kurzer", "synsets": ["drink"], "origin": "wordnet"}],
    "bad": [{"lemma": "[rufen|Pv]", "synsets": ["firing"], "origin": "annotator"}],
    "removed": [{"lemma": "zu * Ende"}],
}
ITEM = {"id": "shot-1", "sentence": "A shot of rum.", "word": "shot", "start": 2.0}
ITEM |= {"lemma": "shot", "pos": "NOUN", "synset": "drink", "source": "own", "tags": ["DISCUSS"]}
ITEM |= {"languages": {"de": ANSWERS, "es": {"good": [{"lemma": "chupito"}]}}}
SENSES = {"lemma": "shot", "pos": "NOUN", "senses": ["firing", "drink"], "counts": [3.0, 0]}
VALUES = [None, True, 0, 1, 2.0, 2.5, -1, "", "  ", "a b", "a/b", "drink", "firing", "ADJ", [], {}]
VALUES += [["DISCUSS"], [None], 10**30, "*", "* *", "[x|Pa]", "[x", "x|y", "[|Pn]", "DE", "DISCUSS"]
BEYOND = ("at character", "no senses of", "no sense of", "counts for", "stands")
"""What no schema can say: how lines and fields agree with each other."""


def schema(name):
    written = json.loads((ROOM / f"{name}.schema.json").read_text("utf-8"))
    return jsonschema.Draft202012Validator(written)


def places(value, path=()):
    """Yield the path of everything inside."""
    if path:
        yield path
    if isinstance(value, (dict, list)):
        inside = value.items() if isinstance(value, dict) else enumerate(value)
        for key, each in inside:
            yield from places(each, (*path, key))


def bent(whole, generator):
    """Return a copy of which one thing is gone, another, or there besides."""
    whole = copy.deepcopy(whole)
    *path, last = generator.choice(list(places(whole)))
    inside = whole
    for key in path:
        inside = inside[key]
    how = generator.random()
    if how < 0.2:
        inside.pop(last)
    elif how < 0.3 and isinstance(inside, dict):
        inside[generator.choice(("foo", "ru", "xyz", "DE", "d", "deut"))] = inside[last]
    else:
        inside[last] = generator.choice(VALUES)
    return whole


def read(folder):
    languages = data.languages_of(folder)
    rows = data.read_rows(folder, languages)
    return [item for language in languages for item in data.items(rows, language)]


def test_what_the_schemas_allow_is_read_and_what_they_forbid_is_refused_with_its_line(tmp_path):
    generator, seen = random.Random(1), set()
    validators = {name: schema(name) for name in ("item", "senses")}
    for number in range(1_000):
        is_item = number % 4 > 0
        item = bent(ITEM, generator) if is_item and number else ITEM
        senses = SENSES if is_item or not number else bent(SENSES, generator)
        (tmp_path / "items.jsonl").write_text(f"\n{json.dumps(item)}\n")
        (tmp_path / "senses.jsonl").write_text(f"\n{json.dumps(senses)}\n")
        is_allowed = validators["item"].is_valid(item) and validators["senses"].is_valid(senses)

        try:
            read(tmp_path)
            message = None
        except DataError as error:
            message = str(error)

        seen.add((is_allowed, message is None))
        if message is None:
            assert is_allowed, (item, senses)
        else:
            assert ".jsonl, line 2: " in message
            assert not is_allowed or any(words in message for words in BEYOND), message
    assert seen == {(True, True), (True, False), (False, False)}


def test_the_schema_knows_every_entry_that_can_be_read():
    generator = random.Random(2)
    lemma = schema("item").schema["$defs"]["Lexicalisation"]["properties"]["lemma"]
    entry = jsonschema.Draft202012Validator(lemma)
    for _ in range(5_000):
        parts = generator.choices(["a", "*", " ", "[", "]", "|P", "n", "x", "|"], k=6)
        text = "".join(parts[: generator.randint(1, 6)])

        try:
            parse_entry(text, "NOUN")
            is_read = True
        except ValueError:
            is_read = False

        assert entry.is_valid(text) == is_read, text
