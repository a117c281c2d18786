import json
import math

import pytest

from benchmarks.benchmark import Case, Selection
from benchmarks.catalog import open_benchmark
from benchmarks.dibimt.benchmark import Dibimt
from benchmarks.errors import DataError, SettingError, UnknownNameError
from benchmarks.responses import LogProbResponse, TextResponse

TEXTS = {
    "ours": {"1": "un disparo", "2": "un disparo", "3": "un disparo", "4": "un chupito"},
    "best": {"1": "un chupito", "2": "un disparo"},
    "next": {"1": "el chupito", "2": "nada"},
}


@pytest.fixture
def folder(write_folder, item_line):
    """Four items in Spanish with three systems' translations; nobody has a right one of item 2."""
    item_line["languages"].pop("de")
    path = write_folder([{**item_line, "id": name} for name in "1234"])
    (path / "translations").mkdir()
    for system, texts in TEXTS.items():
        lines = [
            {"key": f"dibimt/translate/es/{name}", "response": {"text": text}}
            for name, text in texts.items()
        ]
        text = "\n".join(json.dumps(line) for line in lines)
        (path / "translations" / f"{system}.jsonl").write_text(text)
    return path


def pairs(folder, selection=None, **settings):
    benchmark = open_benchmark("dibimt", {"system": "ours", **settings})
    items = benchmark.items(folder, selection or Selection())
    return {item.id: item.fields["pair"] for item in items if "pair" in item.fields}


def correct(folder, name, text="un trago"):
    line = {"system": "ours", "key": f"dibimt/translate/es/{name}", "text": text}
    with (folder / "corrections.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n")


def test_bad_translations_are_paired_with_the_first_good_one_by_priority(folder):
    found = pairs(folder, priority="next,best")

    assert found["1"] == {
        "system": "ours",
        "bad": "un disparo",
        "good": "el chupito",
        "good_from": "next",
    }
    assert pairs(folder)["1"]["good_from"] == "best"


def test_the_check_reads_the_translations_too(folder):
    path = folder / "translations" / "ours.jsonl"
    path.write_text(path.read_text() + '\n{"key": "dibimt/translate/es/5", "response": {}}')

    with pytest.raises(DataError, match=r"ours\.jsonl, line 5: response.text"):
        open_benchmark("dibimt").check(folder, ())


def test_only_bad_items_are_drawn(folder):
    assert set(pairs(folder)) == {"1", "2", "3"}


def test_a_persons_correction_stands_in_where_no_system_is_right(folder):
    correct(folder, "2")
    correct(folder, "1")

    found = pairs(folder)

    assert (found["2"]["good"], found["2"]["good_from"]) == ("un trago", "human")
    assert found["1"]["good_from"] == "best"
    assert pairs(folder, priority="human,best")["1"]["good_from"] == "human"
    assert found["3"]["good"] is None


def test_so_many_items_are_drawn_as_asked_and_the_seed_decides_which(folder):
    draws = {frozenset(pairs(folder, n_errors="2", error_seed=str(seed))) for seed in range(20)}

    assert {len(draw) for draw in draws} == {2}
    assert len(draws) == 3
    assert pairs(folder, n_errors="2") == pairs(folder, n_errors="2")


def test_a_limit_on_the_run_does_not_change_the_draw(folder):
    whole = pairs(folder, n_errors="2")
    limited = pairs(folder, Selection(limit=2), n_errors="2")

    assert limited == {name: pair for name, pair in whole.items() if name in ("1", "2")}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"system": "none"}, "no translations of 'none'; allowed: best, next, ours"),
        ({"priority": "best,none"}, "no translations of 'none'"),
        ({"priority": "ours"}, "priority names 'ours'"),
        ({"system": "human"}, "no translations of 'human'"),
    ],
)
def test_systems_without_translations_are_refused(folder, settings, message):
    with pytest.raises(SettingError, match=message):
        pairs(folder, **settings)


def test_a_system_is_refused_where_there_are_no_translations_at_all(write_folder):
    with pytest.raises(SettingError, match="has no translations"):
        pairs(write_folder())


def test_a_translation_that_stands_twice_is_refused(folder):
    path = folder / "translations" / "ours.jsonl"
    line = path.read_text().splitlines()[0]
    path.write_text(f"{line}\n{line}\n")

    with pytest.raises(DataError, match=r"ours.jsonl, line 2: the key .* stands twice"):
        pairs(folder)


def test_a_correction_that_stands_twice_is_refused(folder):
    correct(folder, "1")
    correct(folder, "1")

    with pytest.raises(DataError, match=r"line 2: ours has a correction of it already"):
        pairs(folder)


def test_lines_of_other_tasks_in_a_replay_file_are_left_alone(folder):
    with (folder / "translations" / "ours.jsonl").open("a") as file:
        file.write('\n{"key": "dibimt/model_errors/es/1/good", "response": {"sums": [-1]}}\n')

    assert set(pairs(folder)) == {"1", "2", "3"}


def test_every_file_that_decides_the_items_is_named(folder):
    correct(folder, "1")

    files = open_benchmark("dibimt").files(folder, ("es",))

    assert [path.name for path in files] == [
        "items.jsonl",
        "senses.jsonl",
        "best.jsonl",
        "next.jsonl",
        "ours.jsonl",
        "corrections.jsonl",
    ]


def case_of(folder, name, variant="", **settings):
    benchmark = open_benchmark("dibimt", {"system": "ours", **settings})
    item = next(item for item in benchmark.items(folder, Selection()) if item.id == name)
    return benchmark, Case(item, "model_errors", variant)


def test_both_translations_are_asked_about_given_the_source(folder):
    benchmark, case = case_of(folder, "1")

    good, bad = benchmark.requests(case, seed=0)

    assert (good.key, good.part) == ("dibimt/model_errors/es/1/good", "good")
    assert (bad.key, bad.part) == ("dibimt/model_errors/es/1/bad", "bad")
    assert good.context == bad.context == "She drank a shot of rum."
    assert (good.continuations, bad.continuations) == (("un chupito",), ("un disparo",))
    assert (good.source_language, good.target_language) == ("en", "es")


def test_a_decoder_can_be_told_what_to_do(folder):
    benchmark, case = case_of(folder, "1", prompt_style="instruction")

    good, _ = benchmark.requests(case, seed=0)

    assert good.context == (
        "Translate the sentence from English to Spanish.\n"
        "English: She drank a shot of rum.\nSpanish:"
    )
    assert good.continuations == (" un chupito",)


def test_an_own_prompt_is_kept_in_the_settings_and_named_by_its_hash(folder, tmp_path):
    path = tmp_path / "prompts.json"
    path.write_text('{"model_errors": "{language}? {sentence}"}')

    benchmark, case = case_of(folder, "1", prompt_file=str(path))
    path.unlink()

    good, _ = benchmark.requests(case, seed=0)
    assert good.context == "Spanish? She drank a shot of rum."
    assert list(benchmark.prompt_hashes) == ["file/model_errors"]


def test_all_styles_are_asked_as_variants_with_keys_of_their_own(folder):
    benchmark, case = case_of(folder, "1", variant="instruction", prompt_style="all")

    keys = [request.key for request in benchmark.requests(case, seed=0)]

    assert benchmark.variants("model_errors", None) == ("", "instruction")
    assert benchmark.variants("translate", None) == ("",)
    assert keys == [
        "dibimt/model_errors/es/1/instruction/good",
        "dibimt/model_errors/es/1/instruction/bad",
    ]


@pytest.mark.parametrize(("name", "why"), [("2", "no right translation"), ("4", "not drawn")])
def test_an_item_without_a_pair_is_not_asked_and_not_scored(folder, name, why):
    benchmark, case = case_of(folder, name)

    assert benchmark.requests(case, seed=0) == ()
    outcome = benchmark.judge(case, 0, {})
    assert (outcome.value, outcome.is_valid) == (None, True)
    assert outcome.detail == {"is_paired": False, "why": why}


def log_probs(*tokens, **changes):
    return LogProbResponse.model_validate({"log_probs": [list(tokens)], **changes})


@pytest.mark.parametrize(
    ("good", "bad", "value"),
    [
        ((-1.0, -3.0), (-1.0,), 1.0),
        ((-1.0,), (-1.0, -3.0), 0.0),
        ((-1.0, -3.0), (-2.0,), 0.0),
    ],
)
def test_the_bad_translation_must_be_strictly_likelier_per_token(folder, good, bad, value):
    benchmark, case = case_of(folder, "1")

    outcome = benchmark.judge(case, 0, {"good": log_probs(*good), "bad": log_probs(*bad)})

    assert outcome.value == value


def test_perplexity_counts_the_end_of_the_sentence(folder):
    benchmark, case = case_of(folder, "1")
    good = log_probs(-1.0, -2.0, eos_log_probs=[-3.0])

    detail = benchmark.judge(case, 0, {"good": good, "bad": log_probs(-2.5)}).detail

    # exp((1 + 2 + 3) / 3 tokens) and exp(2.5 / 1 token)
    assert detail["good_likelihood"]["perplexity"] == pytest.approx(math.exp(2))
    assert detail["good_likelihood"]["n_tokens"] == 3
    assert detail["good_likelihood"]["is_end_scored"]
    assert detail["bad_likelihood"]["perplexity"] == pytest.approx(math.exp(2.5))
    assert not detail["bad_likelihood"]["is_end_scored"]


def test_sums_without_a_number_of_tokens_give_no_perplexity(folder):
    benchmark, case = case_of(folder, "1")
    sums = LogProbResponse.model_validate({"sums": [-3.0]})

    outcome = benchmark.judge(case, 0, {"good": sums, "bad": log_probs(-1.0)})

    assert (outcome.value, outcome.is_valid) == (None, False)
    assert outcome.detail["why"] == "no number of tokens"


def test_a_perplexity_too_large_for_a_number_is_still_compared(folder):
    benchmark, case = case_of(folder, "1")

    outcome = benchmark.judge(case, 0, {"good": log_probs(-2e3), "bad": log_probs(-1e3)})

    assert outcome.value == 1.0
    assert outcome.detail["good_likelihood"]["perplexity"] is None


def test_the_first_sense_is_right_exactly_where_mu_is_1(write_folder, item_line):
    common = {**item_line, "id": "shot-2", "synset": "firing"}
    benchmark = open_benchmark("dibimt")
    items = benchmark.items(write_folder([item_line, common]), Selection(("es",)))

    rare, frequent = (benchmark.baseline(Case(item, "translate"), "first-sense") for item in items)

    assert (rare.value, rare.detail["class"], rare.detail["wrong_mu"]) == (0.0, "BAD", 1)
    assert (frequent.value, frequent.detail["class"]) == (1.0, "GOOD")


def test_predictions_of_a_wsd_system_are_a_baseline(write_folder, item_line, tmp_path):
    path = tmp_path / "wsd.jsonl"
    path.write_text('{"id": "shot-1", "synset": "pellet"}\n')
    benchmark = open_benchmark("dibimt", {"wsd_file": str(path)})
    folder = write_folder([item_line, {**item_line, "id": "shot-2"}])
    first, second = benchmark.items(folder, Selection(("es",)))

    wrong = benchmark.baseline(Case(first, "translate"), "wsd")
    missing = benchmark.baseline(Case(second, "translate"), "wsd")
    beside = benchmark.judge(Case(first, "translate"), 0, {"": TextResponse(text="un chupito")})

    assert (wrong.value, wrong.detail["wrong_mu"]) == (0.0, 2)
    assert (missing.value, missing.is_valid) == (None, False)
    assert beside.baselines == {"first-sense": 0.0, "wsd": 0.0}
    assert path in benchmark.files(folder, ())


def test_a_prediction_that_stands_twice_is_refused(write_folder, tmp_path):
    path = tmp_path / "wsd.jsonl"
    path.write_text('{"id": "shot-1", "synset": "a"}\n{"id": "shot-1", "synset": "a"}\n')
    benchmark = open_benchmark("dibimt", {"wsd_file": str(path)})

    with pytest.raises(DataError, match=r"wsd.jsonl, line 2: the id 'shot-1' stands twice"):
        list(benchmark.items(write_folder(), Selection()))


def test_a_baseline_that_does_not_exist_is_refused(write_folder):
    benchmark = open_benchmark("dibimt")
    item = next(benchmark.items(write_folder(), Selection()))

    with pytest.raises(UnknownNameError, match="unknown baseline 'wsd' of dibimt; allowed: first-"):
        benchmark.baseline(Case(item, "translate"), "wsd")


def test_the_sample_has_pairs_in_every_language():
    benchmark = open_benchmark("dibimt")

    drawn = [item for item in benchmark.items(Dibimt.sample, Selection()) if "pair" in item.fields]

    assert {item.language for item in drawn} == {"de", "es", "it", "ru", "zh"}
    assert len(drawn) == 30
    assert {item.fields["pair"]["good_from"] for item in drawn} == {"master"}
