"""Every benchmark keeps every promise, in each of the ways it can ask."""

import json
from importlib import import_module

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.benchmark import Outcome, Selection
from benchmarks.catalog import BENCHMARKS, open_benchmark
from benchmarks.conformance.answers import converse
from benchmarks.conformance.judging import is_value
from benchmarks.conformance.subject import Subject
from benchmarks.conformance.suite import broken_promises, promises_broken_by
from tests.orchestrator.toy import Toy

WAYS = [
    ("stingray", {}),
    ("stingray", {"inference": "generation", "prompt_style": "all"}),
    ("stingray", {"inference": "generation", "prompt_style": "paper", "parser": "paper"}),
    ("dtails", {}),
    ("dtails", {"rules": "self", "parser": "strict"}),
    ("dtails", {"translate_by": "generation", "prompt_style": "all"}),
    ("xcomps", {}),
    ("xcomps", {"prompt_style": "all", "normalisation": "tokens"}),
    ("dibimt", {}),
    ("dibimt", {"prompt_style": "all", "surface": "substring", "ambiguous": "good"}),
    ("semrel", {}),
    ("semrel", {"inference": "rating", "prompt_style": "all"}),
]
WRITTEN = [
    ("stingray", {"inference": "generation"}),
    ("dtails", {"translate_by": "generation"}),
    ("dibimt", {}),
    ("semrel", {"inference": "rating"}),
]


@pytest.mark.parametrize(("name", "given"), WAYS, ids=str)
def test_a_benchmark_keeps_every_promise(name, given):
    assert broken_promises(name, given) == []


def test_every_benchmark_of_the_catalogue_is_held_to_them():
    assert {name for name, _ in WAYS} == set(BENCHMARKS)


def test_the_toy_keeps_every_promise():
    assert promises_broken_by(Toy) == []


@pytest.mark.parametrize("name", BENCHMARKS)
def test_other_prompts_have_other_checksums_and_keep_every_promise(name):
    way = {"inference": "rating"} if name == "semrel" else {}
    fields = import_module(f"benchmarks.{name}.prompts").TEMPLATE_FIELDS

    def with_file(words):
        templates = {
            template: " ".join([words, *(f"{{{name}}}" for name in sorted(holds.required))])
            for template, holds in fields.items()
        }
        return {**way, "prompt_file": json.dumps(templates)}

    hashes = [
        set(open_benchmark(name, given).prompt_hashes.values())
        for given in (way, with_file("one"), with_file("two"), with_file("two"))
    ]

    assert hashes[2] == hashes[3]
    assert len({frozenset(each) for each in hashes}) == 3
    assert broken_promises(name, with_file("one")) == []


@pytest.mark.parametrize(("name", "given_settings"), WRITTEN, ids=str)
@settings(max_examples=80, deadline=None)
@given(text=st.text(max_size=200), at=st.integers(0, 10**6))
def test_no_text_that_a_model_may_write_is_more_than_a_judge_can_bear(
    name, given_settings, text, at
):
    benchmark = open_benchmark(name, given_settings)
    cases = _cases(name, str(given_settings))
    case = cases[at % len(cases)]
    conversation = converse(benchmark, case, 0, at, text)

    outcome = benchmark.judge(case, 0, conversation.responses)

    assert isinstance(outcome, Outcome)
    assert is_value(outcome.value)


_CASES: dict[tuple[str, str], list] = {}


def _cases(name, spelled):
    if (name, spelled) not in _CASES:
        given_settings = next(ways for each, ways in WRITTEN if each == name)
        subject = Subject(type(open_benchmark(name)), given_settings)
        items = tuple(subject.benchmark.items(subject.folder, Selection(limit=4)))
        _CASES[name, spelled] = list(subject.cases(items))
    return _CASES[name, spelled]
