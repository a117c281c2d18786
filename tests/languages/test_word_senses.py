import pytest

from languages.word_senses import GlossSenses
from languages.wordnet import WordNet

GLOSSES = {
    101: "sloping land beside a body of water",
    102: "a financial institution that accepts deposits of money",
}


@pytest.fixture
def glosses(tmp_path):
    data = bytearray(b"\n" * 400)
    lines = {}
    at = 100
    for number, gloss in GLOSSES.items():
        line = f"{at:08d} 04 n 01 bank 0 000 | {gloss}\n".encode()
        data[at : at + len(line)] = line
        lines[number] = f"{at:08d}"
        at += len(line)
    (tmp_path / "data.noun").write_bytes(bytes(data))
    (tmp_path / "index.noun").write_text(f"bank n 2 1 @ 2 1 {lines[101]} {lines[102]}\n")
    (tmp_path / "index.verb").write_text("glim v 1 1 @ 1 1 00000201\n")
    return GlossSenses(WordNet(tmp_path)), {n: f"wn:{offset}n" for n, offset in lines.items()}


def test_the_sense_that_shares_words_with_the_sentence_wins(glosses):
    senses, synset = glosses

    assert senses.sense("bank", "NOUN", ["put", "money", "in", "the", "bank"]) == synset[102]
    assert senses.sense("bank", "NOUN", ["water", "near", "the", "bank"]) == synset[101]


def test_the_most_frequent_sense_wins_where_nothing_is_shared(glosses):
    senses, synset = glosses

    assert senses.sense("bank", "NOUN", ["that", "bank"]) == synset[101]


def test_unknown_words_and_parts_of_speech_have_no_sense(glosses):
    senses, _ = glosses

    assert senses.sense("nothing", "NOUN", ["money"]) is None
    assert senses.sense("bank", "X", ["money"]) is None
