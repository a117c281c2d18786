from dataclasses import dataclass
from importlib.util import find_spec
from types import SimpleNamespace

import pytest

from languages.errors import BackendUnavailableError, UnknownBackendError
from languages.lemmatisation import open_lemmatiser
from languages.lemmatisers.stanza_pipeline import StanzaLemmatiser
from languages.tokens import TokenLemmas


@pytest.mark.parametrize(
    ("language", "text", "surface", "lemma"),
    [
        ("de", "Die Häuser brennen", "Häuser", "Haus"),
        ("it", "L'acqua è fredda", "è", "essere"),
        ("lv", "Es redzēju", "redzēju", "redzēt"),
        ("ja", "本を読みました", "読み", "読む"),
        ("zh", "他喝茶", "喝茶", "喝茶"),
        ("af", "die boeke", "boeke", "boeke"),
        ("te", "పుస్తకాలు", "పుస్తకాలు", "పుస్తకాలు"),
        ("hy", "Ի՞նչ", "Ի՞նչ", "ինչ"),
    ],
)
def test_the_default_backend_knows_the_lemma(language, text, surface, lemma):
    tokens = open_lemmatiser().lemmas(text, language)

    assert lemma in next(token.lemmas for token in tokens if token.surface == surface)


def test_every_parse_of_an_ambiguous_russian_word_is_given():
    (token,) = open_lemmatiser().lemmas("стрелок", "ru")

    assert set(token.lemmas) == {"стрелок", "стрелка"}


@pytest.mark.parametrize("language", ["af", "de", "ja", "ru", "zh"])
def test_tokens_hold_their_places_and_at_least_one_lemma(language):
    text = "Ek 犬 стол Haus 茶。"

    tokens = open_lemmatiser().lemmas(text, language)

    assert tokens
    assert all(text[t.start : t.end] == t.surface and t.lemmas for t in tokens)


def test_an_empty_text_has_no_tokens():
    assert all(
        open_lemmatiser().lemmas("", language) == [] for language in ("af", "de", "ja", "ru")
    )


def test_versions_name_every_library():
    versions = open_lemmatiser("default").versions()

    assert {"lemmatiser", "simplemma", "jieba", "sudachipy", "pymorphy3"} <= set(versions)


def test_an_unknown_backend_is_refused_with_what_is_allowed():
    with pytest.raises(UnknownBackendError, match=r"'spacy'; allowed: default, stanza"):
        open_lemmatiser("spacy")


@pytest.mark.skipif(find_spec("stanza") is not None, reason="stanza is installed")
def test_stanza_is_refused_in_one_sentence_where_it_is_not_installed():
    with pytest.raises(BackendUnavailableError, match="needs the package stanza"):
        open_lemmatiser("stanza")


@dataclass
class FakePipeline:
    """Answers as Stanza does for `al mar.`: a contraction, a word, a full stop."""

    language: str

    def __call__(self, text):
        def word(surface, lemma, upos):
            return SimpleNamespace(text=surface, lemma=lemma, upos=upos)

        def token(surface, start, *words):
            end = start + len(surface)
            return SimpleNamespace(text=surface, start_char=start, end_char=end, words=words)

        tokens = [
            token("al", 0, word("a", "a", "ADP"), word("el", "el", "DET")),
            token("mares", 3, word("mares", "mar", "NOUN")),
            token(".", 8, word(".", ".", "PUNCT")),
        ]
        return SimpleNamespace(sentences=[SimpleNamespace(tokens=tokens)])


def test_stanzas_contractions_come_as_a_token_with_its_words():
    lemmatiser = StanzaLemmatiser(lambda language, **_: FakePipeline(language), None, "1.15")

    contraction, noun = lemmatiser.lemmas("al mares.", "es")

    assert contraction.lemmas == ("al",)
    assert [word.lemmas for word in contraction.words] == [("a",), ("el",)]
    assert noun == TokenLemmas("mares", ("mar",), 3, 8, "NOUN")


def test_stanza_loads_a_language_once_and_never_downloads():
    made = []

    def make_pipeline(language, **options):
        made.append((language, options["download_method"]))
        return FakePipeline(language)

    lemmatiser = StanzaLemmatiser(make_pipeline, None, "1.15")
    lemmatiser.lemmas("al", "es")
    lemmatiser.lemmas("al", "es")

    assert made == [("es", None)]


def test_missing_stanza_models_are_named_in_one_sentence(tmp_path):
    def make_pipeline(language, **options):
        raise FileNotFoundError(language)

    with pytest.raises(BackendUnavailableError, match="Stanza's models for 'es' are not in"):
        StanzaLemmatiser(make_pipeline, tmp_path, "1.15").lemmas("al", "es")
