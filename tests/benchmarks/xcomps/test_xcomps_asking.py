import json
from pathlib import Path

import pytest

from benchmarks.benchmark import Case, Item
from benchmarks.catalog import open_benchmark
from benchmarks.errors import SettingError, UnknownNameError
from benchmarks.requests import RequestKind
from benchmarks.responses import LogProbResponse
from benchmarks.xcomps.languages import language_table, typology_of
from benchmarks.xcomps.shared_part import shared_part

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "xcomps.json").read_text())


def item_of(acceptable, unacceptable, language="en", **fields):
    return Item(
        id="7",
        language=language,
        subset="taxonomic",
        unit="group",
        fields={
            "sentences": [acceptable, unacceptable],
            "property": "p",
            "concepts": None,
            "prefixes": None,
            "phrase": None,
            "is_identical": acceptable == unacceptable,
            **fields,
        },
    )


CART = item_of(
    "a cart has wheels.",
    "a sled has wheels.",
    concepts=["cart", "sled"],
    prefixes=["a cart", "a sled"],
    phrase="has wheels.",
)
IDENTICAL = item_of("a b", "a b")


def ask(item, task, variant="", **settings):
    return open_benchmark("xcomps", settings).requests(Case(item, task, variant), 0)


def judge(item, task, *responses, **settings):
    bench = open_benchmark("xcomps", settings)
    case = Case(item, task)
    parts = [request.part for request in bench.requests(case, 0)]
    return bench.judge(case, 0, dict(zip(parts, responses, strict=True)))


def log_probs(*rows):
    return LogProbResponse(log_probs=rows)


@pytest.mark.parametrize(
    ("acceptable", "unacceptable", "language", "options", "gapped"),
    [
        ("a b c d", "a x c d", "en", ("b", "x"), "a ___ c d"),
        ("b c", "x y c", "en", ("b", "x y"), "___ c"),
        ("it is red.", "it is blue.", "en", ("red", "blue"), "it is ___"),
        ("蚕会吐丝。", "蜘蛛会吐丝。", "zh", ("蚕", "蜘蛛"), "___会吐丝。"),
        ("犬は走る。", "猫は走る。", "ja", ("犬", "猫"), "___は走る。"),
        ("a a", "a", "en", ("a", ""), "a ___"),
        ("x", "y", "en", ("x", "y"), "___"),
    ],
)
def test_what_differs_is_what_stands_between_common_ends(
    acceptable, unacceptable, language, options, gapped
):
    shared = shared_part(acceptable, unacceptable, language)

    assert (shared.options, shared.gapped) == (options, gapped)
    assert shared.has_both_options == (all(options) and gapped != "___")


def test_direct_scores_both_sentences_whole():
    acceptable, unacceptable = ask(CART, "direct", bos_policy="skip-first")

    assert acceptable.key == "xcomps/direct/en/7/acceptable"
    assert unacceptable.key == "xcomps/direct/en/7/unacceptable"
    assert (acceptable.context, acceptable.continuations) == ("", ("a cart has wheels.",))
    assert unacceptable.bos_policy == "skip-first"


def test_conditional_scores_only_the_property_phrase():
    acceptable, unacceptable = ask(CART, "direct", scoring="conditional")

    assert (acceptable.context, acceptable.continuations) == ("a cart", (" has wheels.",))
    assert unacceptable.context == "a sled"


def test_conditional_finds_the_phrase_where_no_column_names_it():
    item = item_of("Ein Karren hat Räder.", "Ein Schlitten hat Räder.", "de")
    acceptable, _ = ask(item, "direct", scoring="conditional")

    assert (acceptable.context, acceptable.continuations) == ("Ein Karren", (" hat Räder.",))
    assert ask(item_of("x", "y"), "direct", scoring="conditional") == ()


def test_neuro_asks_for_the_last_token_of_every_layer():
    acceptable, unacceptable = ask(CART, "neuro")
    cut, _ = ask(CART, "neuro", drop_full_stop="on")

    assert acceptable.kind is RequestKind.HIDDEN_STATES
    assert (acceptable.layers, acceptable.pooling) == (None, "last")
    assert unacceptable.key == "xcomps/neuro/en/7/unacceptable"
    assert cut.text == "a cart has wheels"


def test_meta_asks_in_both_orders_with_the_concepts_as_answers():
    first, second = ask(CART, "meta")

    assert [first.key, second.key] == ["xcomps/meta/en/7/order1", "xcomps/meta/en/7/order2"]
    assert first.continuations == (" cart", " sled")
    assert second.continuations == (" sled", " cart")
    assert first.context == (
        "Only one of these two sentences is true.\n1. a cart has wheels.\n2. a sled has wheels.\n"
        "What belongs in the gap in “a ___ has wheels.”: cart or sled?\nAnswer:"
    )
    assert second.context.index("a sled has") < second.context.index("a cart has")


def test_meta_may_ask_for_the_number_of_the_sentence():
    first, second = ask(CART, "meta", options="labels")

    assert first.continuations == second.continuations == (" 1", " 2")
    assert first.context.endswith("Which sentence is true: 1 or 2?\nAnswer:")


def test_meta_has_a_template_for_every_language_and_both_modes():
    for language in language_table():
        for options in ("concepts", "labels"):
            item = item_of("x a y", "x b y", language)
            requests = ask(item, "meta", options=options)
            assert len(requests) == 2
            assert all("{" not in request.context for request in requests)
            assert len({request.context for request in requests}) == 2


def test_answers_join_without_a_space_in_chinese_and_japanese():
    first, _ = ask(item_of("蚕会吐丝。", "蜘蛛会吐丝。", "zh"), "meta")

    assert first.continuations == ("蚕", "蜘蛛")


def test_the_chat_format_leaves_the_cue_out():
    first, _ = ask(CART, "meta", chat_template="on")

    assert first.chat_template
    assert first.context.endswith("cart or sled?")
    assert first.continuations == ("cart", "sled")


@pytest.mark.parametrize(
    "item", [item_of("x", "y"), item_of("a a", "a"), item_of("a a", "b", "xx")]
)
def test_meta_without_options_is_unscored_and_says_why(item):
    bench = open_benchmark("xcomps")
    case = Case(item, "meta")

    outcome = bench.judge(case, 0, {})

    assert bench.requests(case, 0) == ()
    assert (outcome.value, outcome.is_valid) == (None, False)
    assert "options cannot be found" in outcome.detail["not_asked"]


def test_meta_without_a_template_is_unscored_unless_the_user_brings_one(tmp_path):
    item = item_of("x a y", "x b y", "sw")
    path = tmp_path / "own.json"
    path.write_text(json.dumps({"default": "{s1} | {s2}: {o1} or {o2}? "}))

    assert ask(item, "meta") == ()
    first, _ = ask(item, "meta", prompt_file=str(path))
    assert first.context == "x a y | x b y: a or b? "


@pytest.mark.parametrize(
    "content", ['{"xyz": "{o1}{o2}"}', '{"en": "{o1}"}', "{}", '{"en": "{o1}{o2}{word}"}']
)
def test_a_prompt_file_that_does_not_fit_is_refused(tmp_path, content):
    path = tmp_path / "own.json"
    path.write_text(content)

    with pytest.raises(SettingError, match="prompt file"):
        open_benchmark("xcomps", {"prompt_file": str(path)})


def test_all_styles_ask_with_concepts_and_with_labels():
    bench = open_benchmark("xcomps", {"prompt_style": "all"})

    assert bench.variants("meta", 0) == ("", "labels")
    assert bench.variants("direct", 0) == ("",)
    assert ask(CART, "meta", "", prompt_style="all") == ask(CART, "meta")
    labelled = ask(CART, "meta", "labels", prompt_style="all")
    assert labelled[0].key == "xcomps/meta/en/7/order1/labels"
    assert labelled[0].continuations == (" 1", " 2")
    assert {name.partition("/")[0] for name in bench.prompt_hashes} == {"concepts", "labels"}


@pytest.mark.parametrize("task", ["direct", "meta", "neuro"])
def test_identical_sentences_are_not_asked_and_left_out(task):
    bench = open_benchmark("xcomps")
    case = Case(IDENTICAL, task)

    outcome = bench.judge(case, 0, {})

    assert bench.requests(case, 0) == ()
    assert (outcome.value, outcome.is_valid) == (None, True)
    assert "identical" in outcome.detail["left_out"]


def test_the_likelier_sentence_is_the_answer_by_every_normalisation():
    # sums −4 and −3: wrong; per token −4/4 > −3/2: right; 18 characters and bytes each: wrong
    outcome = judge(CART, "direct", log_probs((-1.0,) * 4), log_probs((-1.5, -1.5)))

    assert outcome.value == 0.0
    assert outcome.detail["verdicts"] == {
        "sum": 0.0,
        "tokens": 1.0,
        "characters": 0.0,
        "bytes": 0.0,
    }
    again = judge(
        CART, "direct", log_probs((-1.0,) * 4), log_probs((-1.5, -1.5)), normalisation="tokens"
    )
    assert again.value == 1.0


def test_characters_and_bytes_are_those_of_the_scored_text():
    item = item_of("ää b", "a b", "de")
    outcome = judge(item, "direct", log_probs((-1.0,)), log_probs((-1.0,)))

    # equal sums: a tie; 4 against 3 characters, 6 against 3 bytes
    assert outcome.detail["n_characters"] == [4, 3]
    assert outcome.detail["n_bytes"] == [6, 3]
    assert outcome.detail["verdicts"]["characters"] == 1.0
    assert outcome.detail["ties"] == ["sum", "tokens"]


def test_a_tie_is_wrong_and_said():
    outcome = judge(CART, "direct", log_probs((-2.0,)), log_probs((-1.0, -1.0)))

    assert (outcome.value, outcome.is_valid) == (0.0, True)
    assert "sum" in outcome.detail["ties"]


def test_without_token_counts_there_is_no_per_token_verdict():
    plain = (LogProbResponse(sums=(-1.0,)), LogProbResponse(sums=(-2.0,)))

    assert judge(CART, "direct", *plain).detail["verdicts"]["tokens"] is None
    by_token = judge(CART, "direct", *plain, normalisation="tokens")
    assert (by_token.value, by_token.is_valid) == (None, False)


def test_meta_takes_the_mean_over_both_orders():
    # order1: cart −1, sled −2 → +1; order2: sled −1, cart −1.5 → −.5; mean +.25: right
    outcome = judge(CART, "meta", log_probs((-1.0,), (-2.0,)), log_probs((-1.0,), (-1.5,)))

    assert outcome.value == 1.0
    assert outcome.detail["by_order"] == [1.0, 0.0]
    assert outcome.detail["is_first_chosen"] == [1.0, 1.0]


def test_always_the_first_option_is_a_tie_and_wrong():
    same = log_probs((-1.0,), (-3.0,))
    outcome = judge(CART, "meta", same, same)

    assert outcome.value == 0.0
    assert outcome.detail["ties"] == ["sum", "tokens"]
    assert open_benchmark("xcomps").baseline(Case(CART, "meta"), "always-first").value == 0.0


def test_baselines_are_refused_for_other_tasks():
    bench = open_benchmark("xcomps")

    assert bench.baseline(Case(CART, "direct"), "chance").value == 0.5
    assert bench.baseline(Case(IDENTICAL, "direct"), "chance").value is None
    with pytest.raises(UnknownNameError, match=r"allowed: chance$"):
        bench.baseline(Case(CART, "direct"), "always-first")


def test_the_language_table_is_the_printed_one():
    found = {language for language in language_table() if typology_of(language)}

    assert len(found) == GOLDEN["n_languages"]
    assert typology_of("en") is None
    for typology, languages in GOLDEN["typology"].items():
        assert sorted(name for name in found if typology_of(name) == typology) == languages


def test_a_prompt_file_must_serve_every_language_of_the_meta_task():
    template = {"de": "{o1} {o2}"}
    benchmark = open_benchmark("xcomps", {"prompt_file": json.dumps(template)})

    with pytest.raises(SettingError, match=r"no Meta template for zh, es; it has: de"):
        benchmark.cautions(benchmark.sample, ("de", "zh", "es"), ("direct", "meta"))

    assert not benchmark.cautions(benchmark.sample, ("de",), ("meta",))
    assert not benchmark.cautions(benchmark.sample, ("de", "zh"), ("direct",))
