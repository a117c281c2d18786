import pytest

from benchmarks.benchmark import Case, Selection
from benchmarks.catalog import open_benchmark
from benchmarks.dibimt.judge import Judge
from benchmarks.responses import TextResponse, VectorResponse
from languages.lemmatisation import open_lemmatiser


@pytest.fixture
def judge():
    return Judge(open_lemmatiser("default"))


def verdict(judge, item, text):
    return judge.judge(item, text).detail["class"]


@pytest.mark.parametrize(
    ("text", "expected", "value"),
    [
        ("Se bebió un chupito de ron.", "GOOD", 1.0),
        ("UN CHUPITO DE RON", "GOOD", 1.0),
        ("Oyó dos disparos.", "BAD", 0.0),
        ("Bebió un poco de ron.", "MISS", None),
        ("Un chupito, no un disparo.", "AMBIGUOUS", None),
        ("", "MISS", None),
        ("   \n", "MISS", None),
        ("🙂", "MISS", None),
    ],
)
def test_a_translation_is_good_bad_missed_or_both(judge, make_item, text, expected, value):
    outcome = judge.judge(make_item(["chupito"], ["disparo"]), text)

    assert outcome.detail["class"] == expected
    assert outcome.value == value
    assert outcome.is_valid


def test_a_form_that_is_the_beginning_of_another_is_not_found_in_it(judge, make_item):
    item = make_item(["tiro"], ["tirotear"])

    assert verdict(judge, item, "Hubo un tiroteo.") == "MISS"


def test_a_substring_counts_where_it_is_asked_for(make_item):
    judge = Judge(open_lemmatiser("default"), surface="substring")

    assert verdict(judge, make_item(["tirote"], ["disparo"]), "Hubo un tiroteo.") == "GOOD"


def test_an_entry_inside_a_longer_matched_entry_matches_too(judge, make_item):
    item = make_item(["tiro libre"], ["tiro"])

    assert verdict(judge, item, "Marcó de tiro libre.") == "AMBIGUOUS"


@pytest.mark.parametrize(
    ("language", "good", "text"),
    [
        ("de", "Schuss", "Das war ein Schuß."),
        ("de", "Schuß", "Das war ein Schuss."),
        ("de", "Schuss", "DAS WAR EIN SCHUSS."),
        ("ru", "дёготь", "Бочка деготь."),
        ("ru", "деготь", "Это дёготь."),
        ("ru", "рюмка", "Он выпил три рюмки."),
        ("es", "inyección", "Una inyeccio\u0301n."),
        ("it", "goccio", "Un goccio di rum."),
        ("it", "sparo", "Si udì uno sparo."),
    ],
)
def test_spellings_that_mean_the_same_are_folded(judge, make_item, language, good, text):
    assert verdict(judge, make_item([good], ["xyz"], language), text) == "GOOD"


def test_any_lemma_of_a_russian_form_counts(judge, make_item):
    item = make_item(["банка"], ["банк"], "ru")

    assert verdict(judge, item, "Здесь нет банка.") == "AMBIGUOUS"
    assert verdict(judge, item, "Он пришёл с банкой.") == "GOOD"


def test_chinese_is_found_by_its_string_where_the_cut_differs(judge, make_item):
    item = make_item(["喝一"], ["射击"], "zh")

    outcome = judge.judge(item, "她喝一杯朗姆酒")

    assert (outcome.detail["class"], outcome.detail["stage"]) == ("GOOD", "surface")


def test_the_string_is_searched_only_if_no_token_matched(judge, make_item):
    item = make_item(["银行"], ["行"], "zh")

    outcome = judge.judge(item, "我去银行")

    assert (outcome.detail["class"], outcome.detail["stage"]) == ("GOOD", "token")


def test_the_string_search_can_be_turned_off(make_item):
    judge = Judge(open_lemmatiser("default"), surface="off")

    assert verdict(judge, make_item(["喝一"], [], "zh"), "她喝一杯朗姆酒") == "MISS"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("El avión se quitó.", "GOOD"),
        ("Se lo quitó.", "GOOD"),
        ("Se ha vuelto a quitar el abrigo.", "GOOD"),
        ("Quitó la mesa y se fue.", "MISS"),
    ],
)
def test_a_wildcard_stands_for_any_number_of_tokens_none_included(judge, make_item, text, expected):
    item = make_item(["se * quitar"], ["despegar"], pos="VERB")

    assert verdict(judge, item, text) == expected


@pytest.mark.parametrize("entry_text", ["* a * b *", "a ** b", "a * * b", "[a * b|Px]"])
def test_wildcards_at_the_ends_or_in_a_row_change_nothing(fake_lemmatiser, make_item, entry_text):
    judge = Judge(fake_lemmatiser())
    item = make_item([entry_text.replace("**", "* *")], [])

    assert verdict(judge, item, "x a y b z") == "GOOD"
    assert verdict(judge, item, "b a") == "MISS"


def test_words_of_an_entry_without_a_wildcard_must_be_neighbours(fake_lemmatiser, make_item):
    judge = Judge(fake_lemmatiser())
    item = make_item(["a b"], [])

    assert verdict(judge, item, "a b") == "GOOD"
    assert verdict(judge, item, "a x b") == "MISS"


def test_a_wildcard_after_a_false_start_still_finds_the_entry(fake_lemmatiser, make_item):
    judge = Judge(fake_lemmatiser())

    assert verdict(judge, make_item(["a b * c"], []), "a x a b y c") == "GOOD"


def test_a_contraction_is_matched_as_a_token_and_as_its_words(fake_lemmatiser, make_item):
    judge = Judge(fake_lemmatiser(contractions={"dárselo": ("dar", "se", "lo")}))

    by_word = judge.judge(make_item(["dar"], []), "Quiero dárselo")
    by_token = judge.judge(make_item(["dárselo"], []), "Quiero dárselo")
    across = judge.judge(make_item(["querer * lo"], []), "querer dárselo")

    assert by_word.detail["matched"]["stage"] == "word"
    assert by_token.detail["matched"]["stage"] == "token"
    assert across.detail["matched"]["text"] == "querer dárselo"


def test_the_outcome_says_where_and_how_it_matched(judge, make_item):
    detail = judge.judge(make_item(["disparo"], []), "Dos disparos.").detail

    assert detail["matched"] == {
        "lemma": "disparo",
        "synsets": ["drink"],
        "origin": "wordnet",
        "stage": "token",
        "text": "disparos",
        "start": 4,
        "end": 12,
    }
    assert detail["translation"] == "Dos disparos."
    assert "simplemma=" in detail["lemmatiser"]


@pytest.mark.parametrize(("ambiguous", "expected"), [("good", "GOOD"), ("bad", "BAD")])
def test_what_holds_both_can_be_counted_as_one_of_them(make_item, ambiguous, expected):
    judge = Judge(open_lemmatiser("default"), ambiguous=ambiguous)

    item = make_item(["chupito"], ["disparo"])
    assert verdict(judge, item, "Un chupito, no un disparo.") == expected


def test_a_part_of_speech_can_be_asked_for(fake_lemmatiser, make_item):
    lemmatiser = fake_lemmatiser(upos={"a": "VERB", "b": "NOUN"})
    judge = Judge(lemmatiser, match_pos=True)

    assert verdict(judge, make_item(["a"], ["b"]), "x a b") == "BAD"
    assert verdict(judge, make_item(["a"], []), "x a b") == "MISS"
    assert verdict(judge, make_item(["[a|Pv]"], []), "x a b") == "GOOD"
    assert verdict(judge, make_item(["[a|Px]"], []), "x a b") == "GOOD"
    assert verdict(judge, make_item(["a"], [], pos="VERB"), "x a b") == "GOOD"


def test_one_word_of_a_longer_entry_must_have_the_part_of_speech(fake_lemmatiser, make_item):
    judge = Judge(fake_lemmatiser(upos={"run": "VERB", "home": "NOUN"}), match_pos=True)

    assert verdict(judge, make_item(["[run home|Pv]"], []), "run home") == "GOOD"
    assert verdict(judge, make_item(["[run home|Pa]"], []), "run home") == "MISS"


def test_mu_and_delta_are_the_place_of_the_sense_and_the_number_of_senses(judge, make_item):
    detail = judge.judge(make_item(["chupito"], ["disparo"]), "nada").detail

    assert (detail["mu"], detail["delta"]) == (3, 4)


@pytest.mark.parametrize(
    ("synsets", "wrong", "wrong_mu"),
    [
        (["firing"], "firing", 1),
        (["pellet"], "pellet", 2),
        (["photo"], "photo", 4),
        (["photo", "pellet"], "pellet", 2),
        (["drink", "photo"], "photo", 4),
        (["drink"], None, None),
        ([], None, None),
        (["of another word"], None, None),
    ],
)
def test_the_wrong_sense_is_the_commonest_other_one_the_lemma_can_have(
    judge, make_item, entry, synsets, wrong, wrong_mu
):
    item = make_item(["chupito"], [entry("disparo", *synsets)])

    detail = judge.judge(item, "Un disparo.").detail

    assert (detail["wrong_sense"], detail["wrong_mu"]) == (wrong, wrong_mu)


def test_only_a_bad_translation_has_a_wrong_sense(judge, make_item):
    item = make_item(["chupito"], ["disparo"])

    for text in ("Un chupito.", "Nada.", "Un chupito, no un disparo."):
        assert judge.judge(item, text).detail["wrong_sense"] is None


@pytest.mark.parametrize(
    ("text", "copied"),
    [
        ("She drank a shot of rum.", "sentence"),
        ("  she drank a SHOT of rum. ", "sentence"),
        ("Bebió un «shot» de ron.", "word"),
        ("Bebió un shotgun de ron.", None),
    ],
)
def test_a_miss_that_copies_the_source_is_flagged(judge, make_item, text, copied):
    assert judge.judge(make_item(["chupito"], ["disparo"]), text).detail["copied"] == copied


def test_the_request_asks_for_one_translation_under_a_stable_key(write_folder):
    benchmark = open_benchmark("dibimt")
    item = next(benchmark.items(write_folder(), Selection(("es",))))

    (request,) = benchmark.requests(Case(item, "translate"), seed=0)

    assert request.key == "dibimt/translate/es/shot-1"
    assert request.part == ""
    assert (request.text, request.source_language, request.target_language, request.n_beams) == (
        "She drank a shot of rum.",
        "en",
        "es",
        5,
    )


def test_a_response_of_another_kind_is_our_own_fault(write_folder):
    benchmark = open_benchmark("dibimt")
    item = next(benchmark.items(write_folder(), Selection(("es",))))

    with pytest.raises(TypeError, match="a translation is a text"):
        benchmark.judge(Case(item, "translate"), 0, {"": VectorResponse(vector=(1.0,))})


@pytest.mark.parametrize(("system", "expected"), [("apprentice", "BAD"), ("master", "GOOD")])
def test_the_samples_translations_are_what_their_systems_are_called(system, expected, read_keys):
    benchmark = open_benchmark("dibimt")
    texts = read_keys(benchmark.sample / "translations" / f"{system}.jsonl")

    verdicts = {
        benchmark.judge(Case(item, "translate"), 0, {"": TextResponse(text=texts[key])}).detail[
            "class"
        ]
        for item in benchmark.items(benchmark.sample, Selection())
        if (key := f"dibimt/translate/{item.language}/{item.id}") in texts
    }

    assert len(texts) == 30
    assert verdicts == {expected}
