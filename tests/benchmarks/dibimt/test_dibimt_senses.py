import pytest

from benchmarks.dibimt.senses import polysemy_degree, sense_index, wrong_sense
from benchmarks.dibimt.senses_table import senses_table
from languages.errors import LanguageError
from languages.wordnet import WordNet

SENSES = ["a", "b", "c", "d"]


@pytest.fixture
def wordnet(tmp_path):
    (tmp_path / "index.noun").write_text("shot n 3 1 @ 3 2 00000001 00000002 00000003\n")
    (tmp_path / "index.verb").write_text("shot v 1 0 1 1 00000009\n")
    (tmp_path / "cntlist.rev").write_text("shot%1:04:00:: 1 7\nshot%1:04:01:: 2 3\n")
    return WordNet(tmp_path)


def test_mu_is_the_1_based_place_and_delta_the_number_of_senses():
    assert [sense_index(SENSES, sense) for sense in SENSES] == [1, 2, 3, 4]
    assert polysemy_degree(SENSES) == 4


def test_a_sense_of_another_word_has_no_mu():
    with pytest.raises(ValueError, match="'z' is not in list"):
        sense_index(SENSES, "z")


@pytest.mark.parametrize(
    ("lexicalised", "expected"),
    [
        (["d", "a"], "a"),
        (["d", "b"], "d"),
        (["b"], None),
        ([], None),
        (["z"], None),
    ],
)
def test_the_wrong_sense_is_the_commonest_that_is_not_the_one_meant(lexicalised, expected):
    assert wrong_sense(SENSES, "b", lexicalised) == expected


def test_the_table_has_mu_counts_and_says_where_frequency_ends(wordnet):
    table = senses_table(wordnet, "shot", "NOUN")

    assert table.delta == 3
    assert [(row.mu, row.synset, row.count, row.is_mu_frequency) for row in table.rows] == [
        (1, "wn:00000001n", 7, True),
        (2, "wn:00000002n", 3, True),
        (3, "wn:00000003n", 0, False),
    ]
    assert table.as_text().splitlines() == [
        "shot (NOUN): δ = 3",
        "  μ  count  synset",
        "  1      7  wn:00000001n",
        "  2      3  wn:00000002n",
        "     -- frequency ends here: μ > 2 is wordnet order only",
        "  3      0  wn:00000003n",
    ]
    assert table.as_json()["rows"][0]["mu"] == 1


def test_a_word_that_is_not_there_is_refused_with_its_other_parts_of_speech(wordnet):
    with pytest.raises(LanguageError, match=r"'cup' is no NOUN in WordNet; .*: none"):
        senses_table(wordnet, "cup", "NOUN")
