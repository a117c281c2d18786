"""A translation is asked of a system, or of a generating model in several wordings."""

import json

import pytest

from benchmarks.benchmark import Case, Selection
from benchmarks.catalog import open_benchmark
from benchmarks.dibimt.benchmark import Dibimt
from benchmarks.errors import SettingError
from benchmarks.requests import GenerateRequest, RequestKind, TranslateRequest
from metrics.dibimt import scores
from metrics.table import OutcomeRow

OWN = json.dumps({"translation": "Say {source} in {language}."})


def asked(variant="", **settings):
    """Return the request for the first German item of the sample."""
    benchmark = open_benchmark("dibimt", settings)
    [item] = benchmark.items(Dibimt.sample, Selection(("de",), 1))
    [request] = benchmark.requests(Case(item, "translate", variant), 0)
    return item, request


def cautions(tasks, **settings):
    return open_benchmark("dibimt", settings).cautions(Dibimt.sample, ("de",), tasks)


def test_a_translation_system_is_asked_without_a_prompt():
    assert isinstance(asked()[1], TranslateRequest)


def test_a_generating_model_is_asked_in_words_when_that_is_chosen():
    item, request = asked(translate_by="generation", max_new_tokens="99")

    assert isinstance(request, GenerateRequest)
    assert request.messages[0].content.startswith("Translate this sentence from English to German.")
    assert request.messages[0].content.endswith(item.fields["sentence"])
    assert request.max_new_tokens == 99
    benchmark = open_benchmark("dibimt", {"translate_by": "generation"})
    assert benchmark.kinds("translate") == {RequestKind.GENERATE}


def test_an_own_template_asks_for_a_translation():
    item, request = asked(translate_by="generation", prompt_file=OWN)

    assert request.messages[0].content == f"Say {item.fields['sentence']} in German."


def test_every_style_is_a_variant_with_a_key_and_a_hash_of_its_own():
    settings = {"translate_by": "generation", "prompt_style": "all", "prompt_file": OWN}
    benchmark = open_benchmark("dibimt", settings)

    variants = benchmark.variants("translate", 0)

    assert variants == ("", "instruction", "file")
    assert len({asked(variant, **settings)[1].key for variant in variants}) == 3
    assert {"source/translation", "instruction/translation", "file/translation"} <= set(
        benchmark.prompt_hashes
    )


def test_a_style_that_does_nothing_is_refused_or_told():
    with pytest.raises(SettingError, match="prompt_style=instruction does nothing"):
        cautions(("translate",), prompt_style="instruction")

    [told] = cautions(("translate", "model_errors"), prompt_style="instruction")

    assert "translate_by=generation" in told
    assert cautions(("translate",), prompt_style="all", translate_by="generation") == []


def test_a_prompt_file_must_have_the_template_of_each_task_that_asks_with_it():
    with pytest.raises(SettingError, match="no template 'model_errors'"):
        cautions(("translate", "model_errors"), prompt_file=OWN, translate_by="generation")


def row(number, variant, value):
    detail = {"class": "GOOD" if value else "BAD", "mu": 1, "delta": 2, "wrong_mu": 1}
    return OutcomeRow(
        number=number,
        item_id=str(number),
        language="de",
        subset="NOUN",
        unit=str(number),
        task="translate",
        variant=variant,
        status="valid",
        value=value,
        detail={**detail, "matched": None, "wrong_sense": None},
        baselines={},
    )


def test_the_headline_is_the_first_style_and_the_spread_is_over_all():
    values = {"": (1.0, 1.0), "instruction": (1.0, 0.0)}
    rows = [row(n, style, each) for style, found in values.items() for n, each in enumerate(found)]

    found = {
        (score.metric, score.setting): score.value
        for score in scores(rows, {}, 0)
        if score.language == "de" and score.subset is None
    }

    assert found["accuracy", None] == 1.0
    assert found["accuracy", "prompt_style=instruction"] == 0.5
    assert found["accuracy_spread", None] == 0.5
