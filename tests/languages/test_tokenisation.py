import pytest

from languages.tokenisation import words


def surfaces(text, language):
    return [word.surface for word in words(text, language)]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "Don't stop: well-known_word!", ["Don't", "stop", "well-known", "word"]),
        ("it", "L'acqua dell'orto.", ["L", "acqua", "dell", "orto"]),
        ("af", "Dit is 'n boek.", ["Dit", "is", "n", "boek"]),
        ("hi", "यह किताब है।", ["यह", "किताब", "है"]),
        ("ta", "இது புத்தகம்.", ["இது", "புத்தகம்"]),
        ("hy", "Ի՞նչ է սա։", ["Ի՞նչ", "է", "սա"]),
        ("fa", "کتاب\u200cها را", ["کتاب\u200cها", "را"]),
        ("zh", "他喝茶。", ["他", "喝茶"]),
        ("ja", "本を読む。", ["本", "を", "読む"]),
        ("xx", "", []),
    ],
)
def test_words_come_without_punctuation_and_with_their_marks(language, text, expected):
    assert surfaces(text, language) == expected


@pytest.mark.parametrize(
    ("language", "text"), [("af", "Ek sê: «ja»."), ("ja", "犬と猫。"), ("zh", "喝茶")]
)
def test_places_cut_the_surface_out_of_the_text(language, text):
    assert all(text[word.start : word.end] == word.surface for word in words(text, language))


def test_a_long_japanese_text_is_cut_without_losing_its_places():
    text = "犬と猫。" * 6_000

    found = words(text, "ja")

    assert len(found) == 18_000
    assert text[found[-1].start : found[-1].end] == "猫"
