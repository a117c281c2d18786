from benchmarks.dtails.translations import (
    find_exact,
    find_similar,
    find_whole_words,
    match_translation,
)
from languages.lemmatisation import open_lemmatiser
from languages.tokens import TokenLemmas


def no_lemmas(text, language):
    raise AssertionError("both searches succeeded: nothing is lemmatised")


def tokens(*pairs):
    return [TokenLemmas(surface, (lemma,), 0, 0) for surface, lemma in pairs]


def test_the_released_matcher_finds_a_form_inside_a_word_and_takes_the_first_listed():
    assert find_exact("my ouma slaap", ["ma", "ouma"]) == "ma"
    assert find_exact("sy ken hom", ["weet", "ken"]) == "ken"
    assert find_exact("niks", ["weet", "ken"]) is None


def test_the_strict_matcher_wants_word_boundaries():
    assert find_whole_words("My ouma slaap", ["ma", "ouma"], "af") == "ouma"
    assert find_whole_words("My oumas slaap", ["ma", "ouma"], "af") is None


def test_the_strict_matcher_takes_the_longest_form_first():
    assert find_whole_words("Sy het op te groei", ["op", "op te groei"], "af") == "op te groei"


def test_the_strict_matcher_finds_words_where_none_are_spaced():
    assert find_whole_words("学生の借金", ["生", "学生"], "ja") == "学生"


def test_the_most_similar_word_or_lemma_wins_from_seven_tenths():
    found = find_similar(tokens(("redzēju", "redzēt")), ["skatīties", "redzēt"])

    assert (found.variation, found.step, found.similarity) == ("redzēt", "similar", 1.0)


def test_words_inside_a_contraction_are_seen():
    contraction = TokenLemmas("al", ("al",), 0, 2, words=(TokenLemmas("a", ("hacia",), 0, 2),))

    assert find_similar([contraction], ["hacia"]).variation == "hacia"


def test_nothing_similar_is_no_match():
    assert find_similar(tokens(("xyz", "xyz")), ["abc"]).step == "none"
    assert find_similar([], ["abc"]).variation is None


def test_one_translation_is_judged_by_both_matchers():
    found = match_translation("Die oumas slaap", ["ma", "ouma"], "af", open_lemmatiser().lemmas)

    assert (found["released"].variation, found["released"].step) == ("ma", "exact")
    assert (found["strict"].variation, found["strict"].step) == ("ouma", "similar")


def test_lemmas_are_not_looked_up_where_both_searches_succeed():
    found = match_translation("Ek ken hom", ["weet", "ken"], "af", no_lemmas)

    assert {match.variation for match in found.values()} == {"ken"}
