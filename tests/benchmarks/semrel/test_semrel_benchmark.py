"""What is asked about a pair and what an answer is worth."""

import pytest

from benchmarks.benchmark import Case, Item, Selection
from benchmarks.catalog import open_benchmark
from benchmarks.errors import SettingError, UnknownNameError
from benchmarks.requests import GenerateRequest, RequestKind, SimilarityRequest
from benchmarks.responses import TextResponse, ValueResponse, VectorResponse
from benchmarks.semrel.judge import overlap, parse_rating

PAIR = Item("p1", "amh", None, "p1", {"text_a": "a b c", "text_b": "b c d e", "gold": 0.4})
CASE = Case(PAIR, "relatedness")


def test_an_encoder_is_asked_for_the_cosine_of_the_mean_of_the_last_layer():
    (request,) = open_benchmark("semrel").requests(CASE, seed=0)

    assert request == SimilarityRequest(
        key="semrel/relatedness/amh/p1",
        text_a="a b c",
        text_b="b c d e",
        measure="cosine",
        pooling="mean",
        layer=-1,
    )


def test_pooling_layer_and_measure_can_be_set():
    semrel = open_benchmark("semrel", {"measure": "bertscore", "layer": "9", "pooling": "first"})

    (request,) = semrel.requests(CASE, seed=0)

    assert isinstance(request, SimilarityRequest)
    assert (request.measure, request.layer, request.pooling) == ("bertscore", 9, "first")


def test_a_generating_model_is_asked_for_one_number():
    semrel = open_benchmark("semrel", {"inference": "rating"})

    (request,) = semrel.requests(CASE, seed=0)

    assert semrel.kinds("relatedness") == {RequestKind.GENERATE}
    assert isinstance(request, GenerateRequest)
    assert request.temperature == 0
    assert request.messages[0].content == (
        "How related in meaning are these two sentences, from 0 (completely unrelated) to 1 "
        "(maximally related)? Answer with one number only.\n1: a b c\n2: b c d e"
    )


def test_a_sentence_with_braces_is_asked_as_it_is():
    item = Item("p", "eng", None, "p", {"text_a": "{s2}", "text_b": "{0}", "gold": 0.4})

    (request,) = open_benchmark("semrel", {"inference": "rating"}).requests(
        Case(item, "relatedness"), seed=0
    )

    assert request.messages[0].content.endswith("\n1: {s2}\n2: {0}")


def test_the_predicted_number_is_the_outcome_with_gold_and_baseline_beside_it():
    outcome = open_benchmark("semrel").judge(CASE, 0, {"": ValueResponse(value=0.9)})

    assert outcome.value == 0.9
    assert outcome.detail["gold"] == 0.4
    # {b, c} of 3 and 4 words: 2·2/7
    assert outcome.baselines == {"overlap": pytest.approx(4 / 7)}


def test_an_answer_without_a_number_is_unscored_not_zero():
    semrel = open_benchmark("semrel", {"inference": "rating"})

    outcome = semrel.judge(CASE, 0, {"": TextResponse(text="quite related")})

    assert outcome.value is None
    assert not outcome.is_valid


def test_another_kind_of_response_is_a_fault():
    with pytest.raises(TypeError, match="VectorResponse"):
        open_benchmark("semrel").judge(CASE, 0, {"": VectorResponse(vector=(1.0,))})


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.7", 0.7),
        (" 1\n", 1.0),
        ("0", 0.0),
        (".25", 0.25),
        ("0,8", 0.8),
        ("I would say 0.65.", 0.65),
        ("8.5 of 10, so 0.85", 0.85),
        ("Score: 5e-1", 0.5),
        ("**0.4**", 0.4),
        ("1.", 1.0),
        ("7", None),
        ("-0.5", None),
        ("−0.5", None),
        ("85%", None),
        ("10", None),
        ("1.5", None),
        ("v1 of 3", None),
        ("", None),
        ("none", None),
    ],
)
def test_the_first_number_from_0_to_1_is_the_rating(text, number):
    assert parse_rating(text) == number


@pytest.mark.parametrize(
    ("text_a", "text_b", "share"),
    [
        ("a b", "a b", 1.0),
        ("a b", "c d", 0.0),
        ("A b", "a b", 0.5),
        ("a, b", "a b", 0.5),
        ("a a a", "a", 1.0),
        ("", "a", 0.0),
        ("", " ", None),
    ],
)
def test_overlap_is_dice_of_sets_of_words_as_written(text_a, text_b, share):
    assert overlap(text_a, text_b) == share
    assert overlap(text_b, text_a) == share


def test_the_overlap_baseline_answers_with_its_own_value():
    semrel = open_benchmark("semrel")

    outcome = semrel.baseline(CASE, "overlap")

    assert outcome.value == outcome.baselines["overlap"] == pytest.approx(4 / 7)
    assert semrel.baselines() == {"overlap": ("relatedness",)}
    with pytest.raises(UnknownNameError, match="allowed: overlap"):
        semrel.baseline(CASE, "chance")


@pytest.mark.parametrize(
    ("settings", "error"),
    [({"colour": "red"}, UnknownNameError), ({"track": "D"}, SettingError)],
)
def test_a_setting_that_is_not_allowed_is_refused(settings, error):
    with pytest.raises(error):
        open_benchmark("semrel", settings)


def test_keys_are_distinct():
    semrel = open_benchmark("semrel")
    cases = [Case(item, "relatedness") for item in semrel.items(semrel.sample, Selection())]

    keys = [request.key for case in cases for request in semrel.requests(case, 0)]

    assert len(set(keys)) == len(keys) == len(cases)


def test_all_prompt_styles_are_asked_in_both_orders():
    semrel = open_benchmark("semrel", {"inference": "rating", "prompt_style": "all"})

    variants = semrel.variants("relatedness", None)
    requests = [
        request
        for variant in variants
        for request in semrel.requests(Case(PAIR, "relatedness", variant), 0)
    ]

    assert variants == ("", "number.swapped", "scale", "scale.swapped")
    assert [request.key for request in requests[:2]] == [
        "semrel/relatedness/amh/p1",
        "semrel/relatedness/amh/p1/number.swapped",
    ]
    assert requests[1].messages[0].content.endswith("1: b c d e\n2: a b c")
    assert requests[2].messages[0].content.startswith("Sentence 1: a b c\nSentence 2: b c d e\n")
    assert len({request.messages[0].content for request in requests}) == 4


def test_no_answer_to_one_style_or_order_stands_in_for_another():
    semrel = open_benchmark("semrel", {"inference": "rating", "prompt_style": "all"})
    variants = semrel.variants("relatedness", None)

    requests = [semrel.requests(Case(PAIR, "relatedness", each), 0) for each in variants]

    # A recorded line without a part answers every part: a way of asking is none.
    assert [request.part for (request,) in requests] == [""] * len(variants)
    assert len({request.key for (request,) in requests}) == len(variants)


def test_an_own_prompt_is_carried_inside_the_settings(tmp_path):
    path = tmp_path / "own.json"
    path.write_text('{"rating": "{s2} ~ {s1}?"}', encoding="utf-8")
    semrel = open_benchmark("semrel", {"inference": "rating", "prompt_file": str(path)})
    path.unlink()
    again = open_benchmark("semrel", semrel.settings.model_dump(mode="json"))

    (request,) = again.requests(CASE, 0)

    assert request.messages[0].content == "b c d e ~ a b c?"
    assert set(again.prompt_hashes) == {"file"}
    assert open_benchmark("semrel").prompt_hashes == {}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"prompt_style": "file"}, "needs prompt_file"),
        ({"prompt_file": '{"rating": "{s1}"}'}, "rating lacks {s2}"),
        ({"prompt_file": '{"rating": "{s1}{s2}"}', "prompt_style": "scale"}, "excludes"),
        ({"max_new_tokens": "0"}, "greater than or equal to 1"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(settings, message):
    with pytest.raises(SettingError, match=message):
        open_benchmark("semrel", {"inference": "rating", **settings})
