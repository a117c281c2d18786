"""Matching with wildcards, held against a second matcher that tries everything."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from benchmarks.dibimt.matching import Unit, analyse, find_in_text, find_in_units, make_pattern
from benchmarks.dibimt.notation import entry_key, parse_entry
from benchmarks.responses import LogProbResponse
from languages.lemmatisation import open_lemmatiser

LEMMATISER = open_lemmatiser("default")
WORDS = st.sampled_from(["ga", "bu", "zo"])
ENTRIES = st.lists(st.sampled_from(["ga", "bu", "zo", "*"]), min_size=1, max_size=5)
HAS_WORD = ENTRIES.filter(lambda words: set(words) != {"*"})


def naive_starts_with(tokens, entry):
    """Return whether the tokens begin with the entry."""
    if not entry:
        return True
    if entry[0] == "*":
        rests = range(len(tokens) + 1)
        return any(naive_starts_with(tokens[rest:], entry[1:]) for rest in rests)
    return bool(tokens) and tokens[0] == entry[0] and naive_starts_with(tokens[1:], entry[1:])


def naive(tokens, entry):
    return any(naive_starts_with(tokens[start:], entry) for start in range(len(tokens)))


def pattern_of(entry):
    return make_pattern(parse_entry(" ".join(entry), "NOUN"), "xx", LEMMATISER, match_pos=False)


@settings(deadline=None)
@given(st.lists(WORDS, max_size=8), HAS_WORD)
def test_tokens_match_exactly_where_trying_everything_finds_a_match(tokens, entry):
    translation = analyse(" ".join(tokens), "xx", LEMMATISER)

    assert (find_in_units(pattern_of(entry), translation) is not None) == naive(tokens, entry)


@settings(deadline=None)
@given(st.lists(WORDS, max_size=8), HAS_WORD)
def test_the_bare_text_with_boundaries_matches_where_the_tokens_do(tokens, entry):
    translation = analyse(" ".join(tokens), "xx", LEMMATISER)

    found = find_in_text(pattern_of(entry), translation, "bounded")

    assert (found is not None) == naive(tokens, entry)


@settings(deadline=None)
@given(st.text(max_size=30), st.text(min_size=1, max_size=10))
def test_no_text_and_no_entry_breaks_the_search(text, entry):
    try:
        parsed = parse_entry(entry, "NOUN")
    except ValueError:
        return
    pattern = make_pattern(parsed, "es", LEMMATISER, match_pos=False)
    translation = analyse(text, "es", LEMMATISER)

    for match in (
        find_in_units(pattern, translation),
        find_in_text(pattern, translation, "substring"),
    ):
        assert match is None or match.text


@pytest.mark.parametrize(
    ("text", "pieces", "upos"),
    [
        ("take off", ("take off",), {"NOUN", "PROPN"}),
        ("take * off", ("take", "off"), {"NOUN", "PROPN"}),
        ("[take * off|Pv]", ("take", "off"), {"VERB", "AUX"}),
        ("[ fast | Pa ]", ("fast",), {"ADJ"}),
        ("[fast|PR]", ("fast",), {"ADV"}),
        ("[anything|Px]", ("anything",), None),
        ("a*b", ("a*b",), {"NOUN", "PROPN"}),
    ],
)
def test_entries_are_read_with_wildcards_and_brackets(text, pieces, upos):
    entry = parse_entry(text, "NOUN")

    assert (entry.pieces, entry.upos) == (pieces, upos)


@pytest.mark.parametrize(
    "text", ["*", "* *", " ", "[a]", "[a|Pz]", "a]", "[[a|Pv]]", "a|Pv", "[|Pv]"]
)
def test_what_is_no_entry_is_refused(text):
    with pytest.raises(ValueError, match=r"is no entry|has no word"):
        parse_entry(text, "NOUN")


def test_spellings_of_one_entry_share_a_key():
    assert entry_key("[Nuß|Pn]", "NOUN") == entry_key("nuss", "NOUN")
    assert entry_key("a * b", "NOUN") != entry_key("a b", "NOUN")


def test_a_unit_is_known_by_its_surface_and_all_its_lemmas():
    translation = analyse("Банка", "ru", LEMMATISER)

    (unit,) = translation.tokens
    assert isinstance(unit, Unit)
    assert {"банк", "банка"} <= unit.forms


def test_the_ends_of_continuations_must_be_as_many_as_the_continuations():
    with pytest.raises(ValidationError, match="one entry a continuation"):
        LogProbResponse.model_validate({"log_probs": [[-1.0]], "eos_log_probs": [-1.0, -2.0]})
