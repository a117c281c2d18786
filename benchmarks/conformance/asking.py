"""Promises on what a benchmark asks: keys, parts, kinds, and an end."""

import json
from dataclasses import asdict, replace

from benchmarks.benchmark import Case, Item
from benchmarks.conformance.answers import converse, texts_for
from benchmarks.conformance.subject import SEEDS, Subject, doing, name_of, require

N_TRIED = 3
"""Answers of each case where one would nearly do."""
MIN_WORDS = 4
"""benchmark, task, language, item; a part may follow."""


def its_keys_are_spelled_alike(subject: Subject) -> None:
    """Recorded answers find their requests by `<benchmark>/<task>/<language>/<item>[/<part>]`."""
    for case in subject.cases(subject.items):
        for request in subject.benchmark.requests(case, 0):
            words = request.key.split("/")
            where = f"key {request.key!r} of {name_of(case)}"
            is_whole = len(words) >= MIN_WORDS and all(words)
            require(is_whole, f"{where}, allowed: benchmark/task/language/item[/part]")
            require(request.key.isprintable(), f"{where} holds what cannot be printed")
            require(words[0] == subject.found.name, f"{where} does not begin with its benchmark")
            language = case.item.language
            require(words[2].startswith(language), f"{where} has not {language} in third place")


def its_keys_are_unique(subject: Subject) -> None:
    """One key is one question, however often it is asked."""
    for seed in SEEDS:
        asked: dict[str, tuple[object, Case]] = {}
        for case in subject.cases(subject.items, seed):
            for request in subject.benchmark.requests(case, seed or 0):
                content = request.content()
                other, first = asked.setdefault(request.key, (content, case))
                both = f"{name_of(first)} and {name_of(case)}"
                require(other == content, f"key {request.key!r} is two questions, of {both}")


def its_parts_are_distinct(subject: Subject) -> None:
    """A judge gets responses by part, so no two requests of a case may share one."""
    for case in subject.cases(subject.items):
        parts = [request.part for request in subject.benchmark.requests(case, 0)]
        require(len(set(parts)) == len(parts), f"{name_of(case)} asks two of the parts {parts}")


def its_requests_are_fixed(subject: Subject) -> None:
    """The same case gives the same requests in every process, from a stored item too."""
    other = subject.open()
    for case in subject.cases(subject.chosen):
        for seed in (0, 7):
            first = subject.benchmark.requests(case, seed)
            again = subject.benchmark.requests(case, seed)
            require(first == again, f"{name_of(case)} asks otherwise the second time")
            bound_anew = other.requests(case, seed)
            require(first == bound_anew, f"{name_of(case)} asks otherwise when bound anew")
            stored = other.requests(replace(case, item=_stored(case.item)), seed)
            require(first == stored, f"{name_of(case)} asks otherwise from a stored item")


def it_keeps_to_its_kinds(subject: Subject) -> None:
    """A model is chosen by the kinds a task names; it must not be asked for others."""
    for case in subject.cases(subject.chosen):
        kinds = subject.benchmark.kinds(case.task)
        for text in texts_for(case, kinds)[:N_TRIED]:
            for request in converse(subject.benchmark, case, 0, text=text).asked:
                met = f"{name_of(case)} sends {request.kind}"
                allowed = ", ".join(sorted(kinds))
                require(request.kind in kinds, f"{met}, the task names {allowed}")


def its_follow_up_ends(subject: Subject) -> None:
    """Whatever is answered, a case asks a few times and then no more; the same each time."""
    other = subject.open()
    for case in subject.cases(subject.chosen):
        kinds = subject.benchmark.kinds(case.task)
        for number, text in enumerate(texts_for(case, kinds)):
            with doing(f"follow_up of {name_of(case)}, answered {text[:40]!r},"):
                asked = converse(subject.benchmark, case, 0, number, text).asked
            if number < N_TRIED:
                again = converse(other, case, 0, number, text).asked
                require(asked == again, f"{name_of(case)} asks again otherwise when bound anew")
            parts = [request.part for request in asked]
            require(len(set(parts)) == len(parts), f"{name_of(case)} asks twice of {parts}")


def _stored(item: Item) -> Item:
    return Item(**json.loads(json.dumps(asdict(item))))
