import json

import pytest

from benchmarks.benchmark import Case, Selection
from benchmarks.catalog import open_benchmark
from benchmarks.dtails.data import Row
from benchmarks.dtails.rules import language_rules, read_prompts, rules_dialogue
from benchmarks.dtails.rules_artefact import RulesArtefact, read_artefact
from benchmarks.dtails.rules_prompts import (
    RulesFormatError,
    choose_sentences,
    count_words_and_marks,
    make_prompt,
    parse_rules,
    quote_all,
)
from benchmarks.dtails.settings import DtailsSettings
from benchmarks.errors import SettingError
from benchmarks.responses import TextResponse

SETTINGS = DtailsSettings()
GOOD = {"weet": "a fact", "ken": "a person"}


def rows(*pairs):
    return [
        Row(n, n + 2, "know", source, "", ("weet", "ken"), label)
        for n, (source, label) in enumerate(pairs)
    ]


def answer_all(dialogue, answer):
    """Drive a dialogue with a function from request to text."""
    request = next(dialogue)
    while True:
        try:
            request = dialogue.send(answer(request))
        except StopIteration as finished:
            return finished.value


def test_the_prompt_is_the_published_one_word_for_word():
    prompt = make_prompt("know", "af", {"weet": ["I know."], "ken": ["I know him.", "He knew us."]})

    assert prompt.system == (
        "Please only return a json with the following keys ['weet', 'ken'] and no other text. For"
        " each key the value should be a string in English explaining how the meaning and usage of"
        " that Afrikaans word is different from the others. The string should also include a brief"
        " example in Afrikaans of the word being used with an English translation. Please include"
        " the transliteration from Afrikaans to Latin characters if necessary."
    )
    assert prompt.user == (
        'When translating the concept "know" from English to Afrikaans, what is the difference in'
        ' meaning between "weet" and "ken" and in which contexts should they be used? Here are'
        " sentences where each word is used in-context to help you:"
        " {'weet': ['I know.'], 'ken': ['I know him.', 'He knew us.']}"
    )


def test_without_sentences_the_prompt_asks_from_memory():
    prompt = make_prompt("know", "af", {"weet": [], "ken": []})

    assert prompt.user.endswith("in which contexts should they be used?")


def test_variations_are_quoted_as_a_list_in_english():
    assert quote_all(["a"]) == '"a"'
    assert quote_all(["a", "b"]) == '"a" and "b"'
    assert quote_all(["a", "b", "c"]) == '"a", "b", and "c"'


def test_the_longest_sentences_that_are_short_enough_are_shown():
    found = choose_sentences(
        rows(
            ("aa", "weet"), ("a b c d", "weet"), ("abcd", "weet"), ("abc", "ken"), ("abcde", "weet")
        ),
        "know",
        ("weet", "ken"),
        (2, 3),
        lambda text: len(text.split()),
    )

    assert found == {"weet": ["abcde", "abcd"], "ken": ["abc"]}


def test_words_and_marks_are_counted_where_there_is_no_tokenizer():
    assert count_words_and_marks("I don't know, sir!") == 6


def test_expert_sentences_are_never_shown(tmp_path):
    folder = tmp_path / "en-af"
    folder.mkdir()
    header = "concept,source language text,target language text,variations,label\n"
    tested = "know,I know.,x,\"['weet', 'ken']\",weet\n"
    (folder / "expert_dataset.csv").write_text(header + tested)
    (folder / "train_dataset.csv").write_text(
        header + tested + tested.replace("I know.", "You know.")
    )

    prompt = read_prompts(tmp_path, "af", SETTINGS)["know"]

    assert "You know." in prompt.user
    assert "I know." not in prompt.user
    assert prompt.n_sentences == 1


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(GOOD),
        f"```json\n{json.dumps(GOOD)}\n```",
        f"Here it is: ```{json.dumps(GOOD)}``` done",
        f"json {json.dumps(GOOD)}",
    ],
)
def test_rules_are_read_with_marks_or_without(text):
    assert parse_rules(text, ("weet", "ken")) == GOOD


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("[1]", "not an object"),
        ('{"weet": "a"}', r"the keys must be exactly \['weet', 'ken'\], but were \['weet'\]"),
        ('{"weet": "a", "ken": "b", "x": "c"}', "must be exactly"),
        ('{"weet": "a", "ken": "b", "ken": "c"}', "must be exactly"),
        ('{"weet": "a", "ken": ""}', "the value of 'ken' is not a text"),
        ('{"weet": "a", "ken": {"x": 1}}', "the value of 'ken' is not a text"),
    ],
)
def test_anything_else_is_an_error_that_says_why(text, message):
    with pytest.raises(RulesFormatError, match=message):
        parse_rules(text, ("weet", "ken"))


def test_a_retry_appends_the_error_and_a_third_failure_makes_the_concept_invalid():
    prompt = make_prompt("know", "af", {"weet": [], "ken": []})
    asked = []

    def answer(request):
        asked.append(request)
        return "no"

    made = answer_all(rules_dialogue(prompt, "af", SETTINGS), answer)

    assert [request.key for request in asked] == [
        "dtails/rules/af/know",
        "dtails/rules/af/know/retry",
        "dtails/rules/af/know/retry/retry",
    ]
    assert "Please avoid the following error in your output: not valid JSON" in (
        asked[1].messages[0].content
    )
    assert (asked[0].max_new_tokens, asked[0].no_repeat_ngram_size) == (2048, 6)
    assert (made.rules, made.n_tries) == (None, 3)
    assert "not valid JSON" in made.error


def test_a_second_try_may_succeed():
    prompt = make_prompt("know", "af", {"weet": [], "ken": []})

    made = answer_all(
        rules_dialogue(prompt, "af", SETTINGS),
        lambda request: json.dumps(GOOD) if request.part.endswith("retry") else "no",
    )

    assert (made.rules, made.n_tries) == (GOOD, 2)


def make_artefact(answer=lambda prompt: {v: f"when {v}" for v in prompt.variations}):
    folder = open_benchmark("dtails").sample
    prompts = read_prompts(folder, "af", SETTINGS)
    made = {
        concept: answer_all(
            rules_dialogue(prompt, "af", SETTINGS), lambda _, p=prompt: json.dumps(answer(p))
        )
        for concept, prompt in prompts.items()
    }
    return RulesArtefact(
        author="fake",
        prompt_version="dtails-rules-1",
        languages={"af": language_rules(folder, "af", SETTINGS, made)},
    )


@pytest.fixture
def artefact_path(tmp_path):
    path = tmp_path / "rules.json"
    path.write_text(make_artefact().to_json())
    return path


def test_an_artefact_survives_being_written_and_read(artefact_path):
    artefact = read_artefact(artefact_path)

    assert artefact == make_artefact()
    assert json.loads(artefact_path.read_text())["schema"] == 1
    assert len(artefact.languages["af"].data_sha256) == 64


def test_another_models_rules_stand_in_the_system_turn(artefact_path):
    benchmark = open_benchmark("dtails", {"rules": str(artefact_path)})
    item = next(benchmark.items(benchmark.sample, Selection(("af",), 1)))

    (request,) = benchmark.requests(Case(item, "select", "seed1"), 0)

    assert request.messages[0].content == (
        'Here are rules for how to translate "know" in Afrikaans:'
        '{"weet": "when weet", "ken": "when ken"}'
    )
    assert artefact_path in benchmark.files(benchmark.sample, ("af",))


def test_an_artefact_that_does_not_fit_the_data_is_refused(artefact_path, tmp_path):
    benchmark = open_benchmark("dtails", {"rules": str(artefact_path)})
    with pytest.raises(SettingError, match="no rules for 'ja'; it has: af"):
        list(benchmark.items(benchmark.sample, Selection(("ja",))))

    content = json.loads(artefact_path.read_text())
    concepts = content["languages"]["af"]["concepts"]
    concepts["know"].update(variations=["weet"], rules={"weet": "x"})
    artefact_path.write_text(json.dumps(content))
    with pytest.raises(SettingError, match=r"'know' in af has variations \['weet'\], but the data"):
        list(benchmark.items(benchmark.sample, Selection(("af",))))

    del concepts["know"]
    artefact_path.write_text(json.dumps(content))
    with pytest.raises(SettingError, match="no rules for 'know' in af"):
        list(benchmark.items(benchmark.sample, Selection(("af",))))


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"schema": 2}'])
def test_a_file_that_is_no_artefact_is_refused(tmp_path, content):
    path = tmp_path / "rules.json"
    path.write_text(content)

    with pytest.raises(SettingError, match="not a rules artefact"):
        read_artefact(path)


def test_a_missing_artefact_is_refused_with_what_is_allowed(tmp_path):
    with pytest.raises(SettingError, match="no such file; allowed: none, self, a rules artefact"):
        read_artefact(tmp_path / "nowhere.json")


def invalid_case(tmp_path, **settings):
    path = tmp_path / "rules.json"
    path.write_text(make_artefact(lambda prompt: {}).to_json())
    benchmark = open_benchmark("dtails", {"rules": str(path), **settings})
    item = next(benchmark.items(benchmark.sample, Selection(("af",), 1)))
    return benchmark, Case(item, "select", "seed1")


def test_a_concept_with_invalid_rules_is_asked_without_them(tmp_path):
    benchmark, case = invalid_case(tmp_path)

    (request,) = benchmark.requests(case, 0)
    outcome = benchmark.judge(case, 0, {"seed1": TextResponse(text="```weet```")})

    assert [message.role for message in request.messages] == ["user"]
    assert (outcome.value, outcome.detail["rules"]) == (1.0, "invalid")


def test_or_is_not_asked_at_all_where_the_setting_says_so(tmp_path):
    benchmark, case = invalid_case(tmp_path, invalid_rules="unscored")

    assert benchmark.requests(case, 0) == ()
    outcome = benchmark.judge(case, 0, {})
    assert (outcome.value, outcome.is_valid) == (None, False)


def ask_until_done(benchmark, case, answer):
    """Ask as a run does: what is answered is offered again until nothing new is wanted."""
    responses = {}
    requests = benchmark.requests(case, 0)
    asked = []
    while requests:
        for request in requests:
            asked.append(request)
            responses[request.part] = TextResponse(text=answer(request))
        requests = benchmark.follow_up(case, 0, responses)
    return asked, benchmark.judge(case, 0, responses)


def self_case():
    benchmark = open_benchmark("dtails", {"rules": "self"})
    item = next(benchmark.items(benchmark.sample, Selection(("af",), 1)))
    return benchmark, Case(item, "select", "seed2")


def test_a_model_that_writes_its_own_rules_is_asked_for_them_first():
    benchmark, case = self_case()

    asked, outcome = ask_until_done(
        benchmark, case, lambda r: json.dumps(GOOD) if r.part == "rules" else "```weet```"
    )

    assert [request.key for request in asked] == [
        "dtails/rules/af/know",
        "dtails/select/af/0/seed2",
    ]
    assert asked[1].messages[0].content.endswith(json.dumps(GOOD))
    assert (outcome.value, outcome.detail["rules"]) == (1.0, "given")


def test_its_failures_are_retried_and_then_the_question_is_put_without_rules():
    benchmark, case = self_case()

    asked, outcome = ask_until_done(
        benchmark, case, lambda r: "no" if r.part.startswith("rules") else "no marks"
    )

    assert [request.part for request in asked] == [
        "rules",
        "rules/retry",
        "rules/retry/retry",
        "seed2",
        "seed2/retry",
    ]
    assert (outcome.value, outcome.is_valid, outcome.detail["rules"]) == (0.0, False, "invalid")


def test_every_item_of_a_concept_asks_for_the_same_rules():
    benchmark = open_benchmark("dtails", {"rules": "self"})
    items = [i for i in benchmark.items(benchmark.sample, Selection(("af",))) if i.unit == "know"]

    contents = [benchmark.requests(Case(i, "select", "seed1"), 0)[0].content() for i in items]

    assert len(items) > 1
    assert all(content == contents[0] for content in contents)


def artefact_at(path, data_sha256, rules):
    concept = {"variations": ["weet", "ken"], "rules": rules, "n_tries": 3, "n_sentences": 0}
    languages = {"af": {"data_sha256": data_sha256, "settings": {}, "concepts": {"know": concept}}}
    facts = {"author": "m", "prompt_version": "1", "languages": languages}
    path.write_text(json.dumps({"schema": 1, "kind": "dtails-rules", **facts}))
    return path


def test_a_run_is_told_of_rules_that_nobody_can_use_or_that_come_from_other_data(tmp_path):
    header = "concept,source language text,target language text,variations,label\n"
    (tmp_path / "en-af").mkdir()
    (tmp_path / "en-af" / "expert_dataset.csv").write_text(
        header + "know,I know,Ek weet,\"['weet', 'ken']\",weet\n"
    )
    path = artefact_at(tmp_path / "rules.json", "0" * 64, None)
    benchmark = open_benchmark("dtails", {"rules": str(path)})

    unusable, other = benchmark.cautions(tmp_path, ("af",), ("select",))

    assert "0 of 1 concepts in af have usable rules; the others are asked without" in unusable
    assert "made from another train file" in other
    artefact_at(path, None, GOOD)
    assert benchmark.cautions(tmp_path, ("af",), ("select",)) == []
