import pytest

from languages.errors import BackendUnavailableError, LanguageError
from languages.wordnet import open_wordnet

INDEX_NOUN = """\
  1 A licence line starts with spaces.
glim n 3 2 @ ~ 3 2 00000103 00000101 00000102
glim_lamp n 1 1 @ 1 0 00000104
"""
INDEX_VERB = "glim v 1 1 @ 1 1 00000201\n"
COUNTS = "glim%1:04:00:: 1 9\nglim%1:06:00:: 2 4\nglim%2:30:00:: 1 2\n"


@pytest.fixture
def wordnet(tmp_path):
    (tmp_path / "index.noun").write_text(INDEX_NOUN)
    (tmp_path / "index.verb").write_text(INDEX_VERB)
    return open_wordnet(tmp_path)


def test_delta_counts_senses_and_mu_is_the_place_among_them(wordnet):
    senses = wordnet.senses("glim", "NOUN")

    assert senses.delta == 3
    assert [senses.mu(f"wn:0000010{n}n") for n in (3, 1, 2)] == [1, 2, 3]
    assert senses.mu("wn:00000999n") is None


def test_it_says_where_frequency_information_ends(wordnet):
    senses = wordnet.senses("glim", "NOUN")

    assert senses.n_tagged == 2
    assert senses.is_frequency_known("wn:00000101n")
    assert not senses.is_frequency_known("wn:00000102n")


def test_counts_are_none_without_a_sense_index_and_zero_beyond_it(wordnet, tmp_path):
    assert wordnet.senses("glim", "NOUN").counts is None

    (tmp_path / "cntlist.rev").write_text(COUNTS)

    assert open_wordnet(tmp_path).senses("glim", "NOUN").counts == (9, 4, 0)


def test_the_sense_index_gives_the_same_counts(tmp_path, wordnet):
    (tmp_path / "index.sense").write_text(
        "glim%1:04:00:: 00000103 1 9\nglim%1:06:00:: 00000101 2 4\nglim%1:07:00:: 00000102 3 0\n"
    )

    assert open_wordnet(tmp_path).senses("glim", "NOUN").counts == (9, 4, 0)


def test_a_lemma_is_found_in_any_case_and_with_spaces(wordnet):
    assert wordnet.senses("Glim Lamp", "NOUN").synsets == ("wn:00000104n",)
    assert wordnet.senses("nothing", "NOUN") is None
    assert wordnet.parts_of_speech("glim") == ("NOUN", "VERB")


def test_a_gloss_is_read_at_its_offset(tmp_path, wordnet):
    (tmp_path / "data.noun").write_text("x" * 101 + "\n")
    line = "00000103 04 n 01 glim 0 000 | a faint light\n"
    (tmp_path / "data.noun").write_bytes(b"\n" * 103 + line.encode())

    assert wordnet.gloss("wn:00000103n") == "a faint light"
    assert wordnet.gloss("wn:00000104n") is None
    assert wordnet.gloss("nonsense") is None


def test_an_unknown_part_of_speech_is_refused(wordnet):
    with pytest.raises(LanguageError, match="'PRON'; allowed: NOUN, VERB, ADJ, ADV"):
        wordnet.senses("glim", "PRON")


def test_a_broken_index_line_is_named(tmp_path, wordnet):
    (tmp_path / "index.verb").write_text("glim v many\n")

    with pytest.raises(LanguageError, match=r"index.verb, line 1"):
        open_wordnet(tmp_path).senses("glim", "VERB")


def test_a_folder_without_wordnet_is_refused(tmp_path):
    with pytest.raises(BackendUnavailableError, match=r"no index.noun and index.verb"):
        open_wordnet(tmp_path)


def test_wordnet_3_gives_the_published_senses_of_shot_and_take_off():
    try:
        wordnet = open_wordnet()
    except BackendUnavailableError as error:
        pytest.skip(str(error))

    shot, take_off = wordnet.senses("shot", "NOUN"), wordnet.senses("take_off", "VERB")

    assert (shot.delta, shot.n_tagged, take_off.delta) == (17, 7, 9)
    assert shot.mu("wn:13773250n") == 8
