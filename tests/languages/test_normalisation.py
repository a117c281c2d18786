import pytest

from languages.normalisation import fold


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("Schuß", "Schuss"),
        ("ёлка", "елка"),
        ("е\u0308лка", "елка"),
        ("می\u200cروم", "میروم"),
        ("e\u0301", "é"),
        ("so\u00adft", "soft"),
    ],
)
def test_spellings_of_one_word_fold_together(written, folded):
    assert fold(written) == folded


def test_case_is_kept_unless_asked_for():
    assert fold("Straße") == "Strasse"
    assert fold("Straße", casefold=True) == "strasse"


def test_folding_twice_changes_nothing():
    once = fold("Ёлка im Schoß", casefold=True)

    assert fold(once, casefold=True) == once
