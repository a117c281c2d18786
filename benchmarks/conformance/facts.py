"""Promises on what a benchmark says of itself: names, settings, prompts, variants."""

import re
from collections.abc import Mapping
from typing import Any, get_args

from pydantic import ValidationError

from benchmarks.conformance.subject import SEEDS, Subject, require
from benchmarks.requests import RequestKind

NAME = re.compile(r"[a-z][a-z0-9_-]*")
SHA256 = re.compile(r"[0-9a-f]{64}")
TEXTS = ("title", "paper", "unit", "prompt_version", "judge_version")


def says_what_it_is(subject: Subject) -> None:
    """Name, title, paper, unit, tasks and versions are there."""
    found = subject.found
    require(bool(NAME.fullmatch(found.name)), f"name {found.name!r}, allowed: {NAME.pattern}")
    for attribute in TEXTS:
        value = getattr(found, attribute)
        require(isinstance(value, str) and bool(value), f"{attribute} is {value!r}, needed a text")
    tasks: object = found.tasks
    is_named = isinstance(tasks, tuple) and all(
        isinstance(task, str) and NAME.fullmatch(task) for task in tasks
    )
    require(is_named and bool(tasks), f"tasks are {tasks!r}, needed a tuple of names")
    require(len(set(found.tasks)) == len(found.tasks), f"a task of {tasks!r} stands twice")


def its_settings_survive_json(subject: Subject) -> None:
    """Workers get the settings as JSON; what they bind is what the user chose."""
    settings = subject.benchmark.settings
    read = type(settings).model_validate_json(settings.model_dump_json())
    changed = [name for name, value in settings if getattr(read, name) != value]
    require(not changed, f"setting {', '.join(changed)} is another one after JSON")


def it_refuses_unknown_settings(subject: Subject) -> None:
    """A misspelled setting must not go unnoticed."""
    try:
        subject.found.settings_class.model_validate({"no_such_setting": "1"})
    except ValidationError:
        return
    require(False, "no_such_setting=1 is not refused")


def its_variants_are_fixed(subject: Subject) -> None:
    """Every process finds the same variants, each once."""
    for task in subject.benchmark.tasks:
        for seed in SEEDS:
            variants: object = subject.benchmark.variants(task, seed)
            is_named = isinstance(variants, tuple) and all(isinstance(v, str) for v in variants)
            where = f"variants of {task} with seed {seed} are {variants!r}"
            require(is_named and bool(variants), f"{where}, needed a tuple of texts")
            again = subject.open().variants(task, seed)
            require(variants == again, f"{where}, then {again!r}")
            require(len(set(again)) == len(again), f"{where}: one stands twice")


def its_kinds_are_known(subject: Subject) -> None:
    """Every task says which kinds of request it sends."""
    for task in subject.benchmark.tasks:
        kinds: object = subject.benchmark.kinds(task)
        is_set = isinstance(kinds, frozenset) and all(isinstance(k, RequestKind) for k in kinds)
        require(is_set and bool(kinds), f"kinds of {task} are {kinds!r}, needed request kinds")


def its_prompts_have_checksums(subject: Subject) -> None:
    """A manifest names every template by its checksum, and another style by another one."""
    hashes = subject.benchmark.prompt_hashes
    for name, value in hashes.items():
        require(bool(SHA256.fullmatch(str(value))), f"{name}: {value!r} is no SHA-256")
    again = subject.open().prompt_hashes
    require(dict(hashes) == dict(again), "prompt_hashes differ from one binding to the next")
    in_words = [
        task
        for task in subject.benchmark.tasks
        if RequestKind.GENERATE in subject.benchmark.kinds(task)
    ]
    require(bool(hashes) or not in_words, f"{', '.join(in_words)} asks in words without a checksum")
    if hashes:
        _check_styles(subject, hashes)


def _check_styles(subject: Subject, hashes: Mapping[str, str]) -> None:
    chosen = str(getattr(subject.benchmark.settings, "prompt_style", None))
    for style in _styles(subject):
        if style != chosen:
            given: dict[str, Any] = {**subject.given, "prompt_style": style}
            other = Subject(subject.found, given).benchmark.prompt_hashes
            differs = set(other.values()) != set(hashes.values())
            require(differs, f"prompt_style={style} has the checksums of prompt_style={chosen}")


def _styles(subject: Subject) -> list[str]:
    """Return the styles that come with the benchmark; `file` and `all` are no styles of their own.

    Where a file of prompts was given, its styles are the user's.
    """
    field = subject.found.settings_class.model_fields.get("prompt_style")
    if field is None or getattr(subject.benchmark.settings, "prompt_file", None):
        return []
    return [str(style) for style in get_args(field.annotation) if style not in ("file", "all")]
