import json
from dataclasses import replace

import pytest

from benchmarks.benchmark import Case, Item, Selection
from benchmarks.catalog import open_benchmark
from benchmarks.dtails.prompts import RETRY, shuffled
from benchmarks.errors import ReplayError, SettingError, UnknownNameError
from benchmarks.requests import RequestKind
from benchmarks.responses import TextResponse

ITEM = Item(
    "7",
    "af",
    None,
    "see",
    {
        "source": "I {see} you.",
        "target": "Ek sien jou.",
        "variations": ["kyk", "sien", "gesien"],
        "label": "sien",
        "frequency": "kyk",
    },
)
CASE = Case(ITEM, "select", "seed1")
MARKED = TextResponse(text="so ```sien```")
UNMARKED = TextResponse(text="it is sien")


def open_dtails(**settings):
    return open_benchmark("dtails", settings)


def with_rules(text):
    return Case(Item("7", "af", None, "see", {**ITEM.fields, "rules": text}), "select", "seed1")


def test_the_question_is_the_released_one_word_for_word():
    (request,) = open_dtails().requests(CASE, 0)
    order = shuffled(ITEM.fields["variations"], 1, "af", "7")

    assert request.key == "dtails/select/af/7/seed1"
    assert request.part == "seed1"
    assert [message.role for message in request.messages] == ["user"]
    assert request.messages[0].content == (
        'Please select the best translation of "see" in "I {see} you." from the following list: '
        f"{order}. Carefully explain your reasoning first and then enclose your final answer like"
        " this ```answer```."
    )
    assert (request.max_new_tokens, request.temperature) == (1024, 0.0)


def test_rules_stand_in_the_system_turn():
    (request,) = open_dtails().requests(with_rules("RULES"), 0)

    system, user = request.messages
    assert system.content == 'Here are rules for how to translate "see" in Afrikaans:RULES'
    assert user.content.startswith(
        "Based on the provided rules, please select the best translation of"
    )


def test_a_model_without_a_system_role_gets_one_user_turn():
    (request,) = open_dtails(system_role="off").requests(with_rules("RULES"), 0)

    (turn,) = request.messages
    assert turn.role == "user"
    assert "Afrikaans:RULES\nBased on the provided rules" in turn.content


def test_seeds_are_1_2_3_unless_one_is_given():
    benchmark = open_dtails()

    assert benchmark.variants("select", None) == ("seed1", "seed2", "seed3")
    assert benchmark.variants("select", 5) == ("seed5",)
    assert benchmark.variants("translate", None) == ("",)


def test_the_order_depends_on_seed_and_item_only():
    variations = [str(number) for number in range(8)]

    assert shuffled(variations, 1, "af", "0") == shuffled(variations, 1, "af", "0")
    assert shuffled(variations, 1, "af", "0") != shuffled(variations, 2, "af", "0")
    assert shuffled(variations, 1, "af", "0") != shuffled(variations, 1, "af", "1")
    assert sorted(shuffled(variations, 3, "af", "9")) == sorted(variations)


def test_an_unmarked_answer_is_asked_once_more_with_the_sentence_appended():
    benchmark = open_dtails()
    (first,) = benchmark.requests(CASE, 0)

    (again,) = benchmark.follow_up(CASE, 0, {"seed1": UNMARKED})

    assert again.key == "dtails/select/af/7/seed1/retry"
    assert again.messages[0].content == f"{first.messages[0].content} {RETRY}"
    assert benchmark.follow_up(CASE, 0, {"seed1": MARKED}) == ()
    assert benchmark.follow_up(CASE, 0, {"seed1": UNMARKED, "seed1/retry": UNMARKED}) == ()


@pytest.mark.parametrize(("position", "place"), [("user", 1), ("system", 0)])
def test_the_retry_goes_to_the_user_turn_unless_set_otherwise(position, place):
    benchmark = open_dtails(retry_position=position)

    (again,) = benchmark.follow_up(with_rules("RULES"), 0, {"seed1": UNMARKED})

    assert [RETRY in message.content for message in again.messages].index(True) == place


@pytest.mark.parametrize(
    ("responses", "value", "is_valid"),
    [
        ({"seed1": MARKED}, 1.0, True),
        ({"seed1": TextResponse(text="```kyk```")}, 0.0, True),
        ({"seed1": TextResponse(text="```xyz```")}, 0.0, False),
        ({"seed1": UNMARKED, "seed1/retry": MARKED}, 1.0, True),
        ({"seed1": UNMARKED, "seed1/retry": UNMARKED}, 0.0, False),
        ({"seed1": UNMARKED}, 0.0, False),
    ],
)
def test_the_first_marked_answer_counts_and_an_unreadable_one_is_wrong(responses, value, is_valid):
    outcome = open_dtails().judge(CASE, 0, responses)

    assert (outcome.value, outcome.is_valid) == (value, is_valid)
    assert outcome.baselines == {"frequency": 0.0, "chance": 1 / 3}


def test_an_outcome_tells_the_positions_and_both_parsers_verdicts():
    outcome = open_dtails().judge(CASE, 0, {"seed1": TextResponse(text="```siem```")})
    shown = shuffled(ITEM.fields["variations"], 1, "af", "7")

    assert outcome.detail["position"] == outcome.detail["gold_position"] == shown.index("sien") + 1
    assert outcome.detail["parsers"]["released"]["value"] == 1.0
    assert outcome.detail["parsers"]["strict"]["predicted"] is None


def test_the_strict_parser_may_be_the_one_that_counts():
    outcome = open_dtails(parser="strict").judge(
        CASE, 0, {"seed1": TextResponse(text="```siem```")}
    )

    assert (outcome.value, outcome.is_valid) == (0.0, False)


def test_a_question_never_answered_is_no_outcome():
    with pytest.raises(ReplayError, match="dtails/select/af/7/seed1: no answer"):
        open_dtails().judge(CASE, 0, {})


def test_baselines_answer_without_a_model():
    benchmark = open_dtails()

    assert benchmark.baseline(CASE, "frequency").value == 0.0
    assert benchmark.baseline(CASE, "chance").value == pytest.approx(1 / 3)
    with pytest.raises(UnknownNameError, match="'best'; allowed: frequency, chance"):
        benchmark.baseline(CASE, "best")


def test_a_translation_is_asked_of_a_translation_system_or_a_generating_model():
    case = Case(ITEM, "translate")

    (request,) = open_dtails().requests(case, 0)
    (prompt,) = open_dtails(translate_by="generation").requests(case, 0)

    assert (request.kind, request.key) == (RequestKind.TRANSLATE, "dtails/translate/af/7")
    assert (request.text, request.target_language) == ("I {see} you.", "af")
    assert prompt.kind == RequestKind.GENERATE
    assert open_dtails(translate_by="generation").kinds("translate") == {RequestKind.GENERATE}


def test_a_translation_is_judged_by_the_chosen_matcher():
    case = Case(ITEM, "translate")
    response = {"": TextResponse(text="Ek het jou gesien")}

    released = open_dtails().judge(case, 0, response)
    strict = open_dtails(matcher="strict").judge(case, 0, response)

    assert (released.detail["predicted"], released.value) == ("sien", 1.0)
    assert (strict.detail["predicted"], strict.value) == ("gesien", 0.0)
    assert released.detail["matchers"] == strict.detail["matchers"]


def test_every_style_is_asked_where_all_are_wanted():
    benchmark = open_dtails(prompt_style="all")

    assert benchmark.variants("select", 1) == ("seed1", "seed1.short")
    (request,) = benchmark.requests(Case(ITEM, "select", "seed1.short"), 0)
    assert request.key == "dtails/select/af/7/seed1.short"
    assert request.messages[0].content.startswith("Sentence: I {see} you.")


def test_a_generating_model_is_asked_for_translations_in_every_style_too(tmp_path):
    path = tmp_path / "own.json"
    path.write_text(json.dumps({"translation": "{language}, please: {source}"}))
    benchmark = open_dtails(translate_by="generation", prompt_style="all", prompt_file=str(path))

    variants = benchmark.variants("translate", None)
    requests = [benchmark.requests(Case(ITEM, "translate", each), 0)[0] for each in variants]

    assert [request.key for request in requests] == [
        "dtails/translate/af/7",
        "dtails/translate/af/7/short",
        "dtails/translate/af/7/file",
    ]
    assert requests[2].messages[0].content == "Afrikaans, please: I {see} you."
    assert len({request.messages[0].content for request in requests}) == 3
    assert "file/translation" in benchmark.prompt_hashes
    assert open_dtails(prompt_style="all").variants("translate", None) == ("",)


def test_own_templates_are_carried_inside_the_settings(tmp_path):
    path = tmp_path / "own.txt"
    path.write_text("{concept} | {source} | {variations}\n")
    benchmark = open_dtails(prompt_file=str(path))
    path.unlink()
    again = open_benchmark("dtails", benchmark.settings.model_dump(mode="json"))

    (request,) = again.requests(Case(ITEM, "select", "seed1"), 0)

    assert request.messages[0].content.startswith("see | I {see} you. | [")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("own.txt", "{concept} {source}", "plain lacks {variations}"),
        ("own.txt", "{concept} {source} {variations} {rules}", "plain holds {rules}"),
        ("own.json", "{", "not JSON"),
        ("own.json", "[1]", "must be a JSON object"),
        ("own.json", '{"other": "x"}', "holds other; allowed: plain, with_rules"),
        ("none.txt", None, "none.txt"),
    ],
)
def test_a_prompt_file_that_cannot_ask_is_refused(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_text(content)

    with pytest.raises(SettingError, match=message):
        open_dtails(prompt_file=str(tmp_path / name))


def test_a_style_beside_an_own_prompt_is_refused_and_never_dropped(tmp_path):
    (tmp_path / "own.txt").write_text("{concept}{source}{variations}")

    with pytest.raises(SettingError, match="prompt_style=short excludes a prompt_file"):
        open_dtails(prompt_file=str(tmp_path / "own.txt"), prompt_style="short")


def test_a_prompt_file_may_have_a_turn_for_rules(tmp_path):
    turn = "{concept}{source}{variations}"
    (tmp_path / "own.json").write_text(json.dumps({"plain": turn, "with_rules": f"R {turn}"}))
    benchmark = open_dtails(prompt_file=str(tmp_path / "own.json"), prompt_style="all")
    item = replace(ITEM, fields={**ITEM.fields, "rules": "{rule}"})

    (request,) = benchmark.requests(Case(item, "select", "seed1.file"), 0)

    assert benchmark.variants("select", 1) == ("seed1", "seed1.short", "seed1.file")
    assert request.messages[0].content.endswith(":{rule}")
    assert request.messages[1].content.startswith("R see")


def test_an_unknown_lemmatiser_is_refused_when_settings_are_bound():
    with pytest.raises(SettingError, match="lemmatiser=spacy: unknown lemmatiser"):
        open_dtails(lemmatiser="spacy")


def test_a_limit_does_not_change_what_the_frequency_baseline_counts():
    benchmark = open_dtails()
    whole = list(benchmark.items(benchmark.sample, Selection()))
    limited = list(benchmark.items(benchmark.sample, Selection(limit=2)))

    by_key = {(item.language, item.id): item for item in whole}
    assert [item.id for item in limited] == ["0", "1"] * 4
    assert all(by_key[item.language, item.id] == item for item in limited)


def test_the_sample_reads_without_an_error_and_names_its_files():
    benchmark = open_dtails()
    languages = benchmark.languages(benchmark.sample)

    report = benchmark.check(benchmark.sample, languages)

    assert languages == ("af", "gl", "hi", "ja")
    assert not [finding for finding in report.findings if finding.level == "error"]
    assert len(benchmark.files(benchmark.sample, languages)) == 4
    assert 20 <= sum(count.observed for count in report.counts if count.split == "expert") <= 60
