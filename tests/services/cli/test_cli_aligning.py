"""Which row of hidden states belongs to which word."""

from services.cli.aligning import words_of_rows


def test_rows_are_given_to_words_by_their_numbers_of_tokens():
    places = words_of_rows([1, 3], [True, False, False, False, False, True])

    assert places == [None, 0, 1, 1, 1, None]


def test_a_sentence_with_other_tokens_than_its_words_has_no_rows():
    assert words_of_rows([1, 1], [True, False, False, False, True]) is None
