import json

import pytest

from benchmarks.benchmark import Case, Item
from benchmarks.catalog import open_benchmark
from benchmarks.errors import SettingError, UnknownNameError
from benchmarks.requests import RequestKind, Truncation
from benchmarks.responses import LogProbResponse, TextResponse
from benchmarks.stingray.benchmark import Stingray

ITEM = Item(
    id="en_de_common/3",
    language="en_de",
    subset="true_cognate",
    unit="en_de_common/hand,hand",
    fields={
        "word": "hand,Hand",
        "words": ["hand", "Hand"],
        "sentences": ["Give me {your} hand.", "Gib mir deine Hand."],
        "languages": ["English", "German"],
        "gold": "C",
        "usage": ["Yes", "Yes"],
        "sense": "L1",
    },
)
SEMANTIC = Case(ITEM, "semantic")
USAGE_L2 = Case(ITEM, "usage", "L2")


def ask(case, **settings):
    (request,) = open_benchmark("stingray", settings).requests(case, 0)
    return request


def judge(case, response, **settings):
    return open_benchmark("stingray", settings).judge(case, 0, {"": response})


def test_the_semantic_prompt_is_the_released_one_word_for_word():
    request = ask(SEMANTIC)

    assert request.key == "stingray/semantic/en_de_common/3"
    assert request.context == (
        "Which sentence is more semantically appropriate? Please limit you answer to A, B, or C."
        "\nA.Give me {your} hand.\nB.Gib mir deine Hand.\nC.Both.\nAnswer:"
    )
    assert request.continuations == (" A", " B", " C")
    assert request.labels == ("A", "B", "C")


def test_the_usage_prompt_names_the_word_of_its_own_language():
    request = ask(USAGE_L2)

    assert request.key == "stingray/usage/en_de_common/3/L2"
    assert request.context == (
        "Is the usage of Hand in this sentence correct? Please limit your answer to Yes or No."
        "\nGib mir deine Hand.\nAnswer:"
    )
    assert request.labels == ("Yes", "No")


def test_the_released_likelihood_code_names_the_whole_pair():
    assert "usage of hand,Hand in" in ask(USAGE_L2, cognate_word="pair").context


def test_generation_sends_one_user_message_of_three_tokens():
    request = ask(SEMANTIC, inference="generation")

    assert request.kind is RequestKind.GENERATE
    assert [message.role for message in request.messages] == ["user"]
    assert request.messages[0].content.endswith("\nC.Both.")
    assert (request.max_new_tokens, request.temperature, request.top_p) == (3, 0.0, 1.0)
    assert (request.seed, request.chat_template) == (23, False)


def test_the_paper_style_limits_the_answer_only_when_it_is_generated():
    scored = ask(USAGE_L2, prompt_style="paper")
    generated = ask(USAGE_L2, prompt_style="paper", inference="generation")

    asked = 'Is the usage of "Hand" in this sentence correct?\n"Gib mir deine Hand." (German)'
    assert scored.context == f"{asked}\nAnswer:"
    assert generated.messages[0].content == f"{asked}\nPlease limit your answer to Yes or No."


def test_an_encoder_decoder_gets_the_bare_label_as_its_target():
    request = ask(SEMANTIC, layout="encoder-decoder")

    assert request.context.endswith("\nAnswer: ")
    assert request.continuations == ("A", "B", "C")


def test_the_chat_format_answers_with_the_bare_label():
    request = ask(SEMANTIC, chat_template="on")

    assert request.chat_template
    assert request.context.endswith("C.Both.")
    assert request.continuations == ("A", "B", "C")


def test_all_styles_are_asked_in_both_orders_and_the_default_keeps_its_key():
    bench = open_benchmark("stingray", {"prompt_style": "all"})

    semantic = [
        bench.requests(Case(ITEM, "semantic", v), 0)[0] for v in bench.variants("semantic", 0)
    ]
    usage = [bench.requests(Case(ITEM, "usage", v), 0)[0] for v in bench.variants("usage", 0)]

    assert semantic[0] == ask(SEMANTIC)
    assert [
        request.key.removeprefix("stingray/semantic/en_de_common/3") for request in semantic
    ] == [
        "",
        "/released.l2-first",
        "/paper.l1-first",
        "/paper.l2-first",
    ]
    assert len({request.key for request in (*semantic, *usage)}) == 8
    # A recorded line without a part answers every part: neither a way of asking nor a side is one.
    assert {request.part for request in (*semantic, *usage)} == {""}
    assert semantic[1].context.index("Gib mir") < semantic[1].context.index("Give me")


def test_own_prompts_travel_inside_the_settings(tmp_path):
    path = tmp_path / "own.json"
    path.write_text(json.dumps({"semantic": "{l1} or {l2}?", "usage": "{word}: {sentence}"}))
    bench = open_benchmark("stingray", {"prompt_file": str(path)})
    path.unlink()

    again = open_benchmark("stingray", bench.settings.model_dump(mode="json"))

    assert again.requests(USAGE_L2, 0)[0].context == "Hand: Gib mir deine Hand.\nAnswer:"
    assert again.prompt_hashes == bench.prompt_hashes
    assert set(bench.prompt_hashes) == {"file/semantic", "file/usage"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("nonsense", "not JSON"),
        ("[]", "must be a JSON object"),
        ('{"semantic": "{l1}{l2}"}', "needed: semantic, usage"),
        ('{"semantic": "{l1}{l2}", "usage": " "}', "usage must be a text"),
        ('{"semantic": "{l1}", "usage": "{sentence}"}', "semantic lacks {l2}"),
        ('{"semantic": "{l1}{l2}{x}", "usage": "{sentence}"}', "semantic holds {x}"),
        ('{"semantic": "{l1.x}{l2}", "usage": "{sentence}"}', "semantic holds {l1.x}"),
        ('{"semantic": "{l1!r}{l2}", "usage": "{sentence}"}', "semantic holds {l1}"),
        ('{"semantic": "{l1}{l2", "usage": "{sentence}"}', "semantic: expected"),
    ],
)
def test_a_prompt_file_that_does_not_fit_is_refused(tmp_path, content, message):
    path = tmp_path / "own.json"
    path.write_text(content)

    with pytest.raises(SettingError, match=message):
        open_benchmark("stingray", {"prompt_file": str(path)})


@pytest.mark.parametrize(
    "settings",
    [
        {"prompt_style": "file"},
        {"prompt_file": "/nowhere.json"},
        {"max_new_tokens": "0"},
        {"chat_template": "perhaps"},
        {"parser": "own"},
    ],
)
def test_a_setting_that_is_not_allowed_is_refused(settings):
    with pytest.raises(SettingError):
        open_benchmark("stingray", settings)


def test_an_unknown_setting_is_refused_by_name():
    with pytest.raises(UnknownNameError, match="unknown setting 'prompts'"):
        open_benchmark("stingray", {"prompts": "x"})


def test_the_likeliest_label_wins_and_the_first_of_a_tie():
    clear = judge(SEMANTIC, LogProbResponse(sums=(-2.0, -3.0, -1.0)))
    tie = judge(SEMANTIC, LogProbResponse(sums=(-1.0, -3.0, -1.0)))

    assert (clear.value, clear.detail["predicted"], clear.detail["is_tie"]) == (1.0, "C", False)
    assert (tie.value, tie.detail["predicted"], tie.detail["is_tie"]) == (0.0, "A", True)


def test_a_generated_answer_keeps_the_verdict_of_both_parsers():
    response = TextResponse(text="A and B")
    released = judge(SEMANTIC, response, inference="generation")
    paper = judge(SEMANTIC, response, inference="generation", parser="paper")

    assert (released.value, released.is_valid) == (0.0, False)
    assert (paper.value, paper.is_valid) == (1.0, True)
    assert released.detail["by_parser"] == paper.detail["by_parser"]


def test_an_answer_to_swapped_sentences_is_turned_back():
    item = Item("en_de/0", "en_de", "false_friend", "u", {**ITEM.fields, "gold": "A"})
    response = LogProbResponse(sums=(-2.0, -1.0, -3.0))

    outcome = judge(Case(item, "semantic"), response, option_order="l2-first")

    assert outcome.value == 1.0
    assert (outcome.detail["shown"], outcome.detail["predicted"]) == ("B", "A")
    assert outcome.detail["gold_shown"] == "B"


def test_baselines_answer_only_their_own_task():
    bench = Stingray()

    assert bench.baseline(USAGE_L2, "always-yes").value == 1.0
    assert bench.baseline(USAGE_L2, "always-no").value == 0.0
    assert bench.baseline(SEMANTIC, "always-c").value == 1.0
    assert bench.baseline(SEMANTIC, "chance").value == pytest.approx(1 / 3)
    with pytest.raises(UnknownNameError, match=r"allowed: chance, always-yes, always-no"):
        bench.baseline(USAGE_L2, "always-c")


def test_the_baselines_of_a_task_stand_beside_every_outcome():
    outcome = judge(USAGE_L2, LogProbResponse(sums=(-2.0, -1.0)))

    assert outcome.baselines == {"chance": 0.5, "always-yes": 1.0, "always-no": 0.0}


@pytest.mark.parametrize("inference", ["likelihood", "generation"])
def test_a_cut_is_part_of_the_request_and_of_what_is_cached(inference):
    cuts = ({}, {"truncation_tokens": 9}, {"truncation_tokens": 9, "truncation_side": "left"})
    asked = [ask(SEMANTIC, inference=inference, **cut) for cut in cuts]

    assert [request.truncation for request in asked[1:]] == [
        Truncation(tokens=9, side="right"),
        Truncation(tokens=9, side="left"),
    ]
    contents = [str(request.content()) for request in asked]
    assert len(set(contents)) == 3
    assert "truncation" not in contents[0]
