"""Promises on how a benchmark reads data, tried on its sample."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from benchmarks.benchmark import CheckReport, Item, Selection
from benchmarks.conformance.subject import BrokenPromiseError, Subject, require
from benchmarks.errors import BenchmarkError

LIMITS = (1, 2, 3)
NO_SUCH = "no-such"


def its_sample_has_items(subject: Subject) -> None:
    """Every language of the sample has some, and no item a language beyond."""
    require(subject.folder.is_dir(), f"no folder at {subject.folder}")
    languages: object = subject.benchmark.languages(subject.folder)
    is_named = isinstance(languages, tuple) and all(isinstance(name, str) for name in languages)
    require(is_named and bool(languages), f"languages are {languages!r}, needed a tuple of texts")
    known = subject.benchmark.languages(subject.folder)
    met = {item.language for item in subject.items}
    require(met == set(known), f"languages are {sorted(known)}, its items have {sorted(met)}")


def its_items_are_read_alike(subject: Subject) -> None:
    """Reading again gives the same items in the same order, whoever reads."""
    again = tuple(subject.open().items(subject.folder, Selection()))
    require(len(again) == len(subject.items), f"{len(subject.items)} items, then {len(again)}")
    for first, second in zip(subject.items, again, strict=True):
        require(first == second, f"{first.language} {first.id!r} reads otherwise the second time")
    names = [(item.language, item.id) for item in subject.items]
    twice = next((name for name in names if names.count(name) > 1), None)
    require(twice is None, f"item {twice} stands twice")


def its_items_survive_json(subject: Subject) -> None:
    """Workers get items from the store: texts where texts belong, JSON values elsewhere."""
    for item in subject.items:
        where = f"{item.language} {item.id!r}"
        for name in ("id", "language", "unit"):
            value = getattr(item, name)
            require(isinstance(value, str) and bool(value), f"{where} has {name} {value!r}")
        try:
            text = json.dumps(asdict(item), allow_nan=False)
        except (TypeError, ValueError) as error:
            raise BrokenPromiseError(f"{where} is no JSON: {error}") from error
        require(json.dumps(json.loads(text)) == text, f"{where} is another one after JSON")


def its_limit_takes_the_first(subject: Subject) -> None:
    """A limit gives the beginning of each language, so that a longer run can go on from there."""
    whole = _by_language(subject.items)
    for limit in LIMITS:
        some = _by_language(subject.benchmark.items(subject.folder, Selection(limit=limit)))
        for language, items in whole.items():
            found = some.get(language, [])
            where = f"limit {limit} of {language}"
            require(found == items[: len(found)], f"{where} is not its beginning")
            enough = len(found) >= min(limit, len(items))
            require(enough, f"{where} gives {len(found)} of {len(items)} items")
            require(limit > 1 or len(items) < 8 or len(found) < len(items), f"{where} gives all")


def its_languages_stand_apart(subject: Subject) -> None:
    """One language asked for gives its items and no other's."""
    for language in subject.benchmark.languages(subject.folder):
        alone = list(subject.benchmark.items(subject.folder, Selection((language,))))
        together = [item for item in subject.items if item.language == language]
        require(alone == together, f"{language} alone reads otherwise than with the others")


def it_names_the_files_it_reads(subject: Subject) -> None:
    """The manifest holds the checksum of every file."""
    languages = subject.benchmark.languages(subject.folder)
    files = subject.benchmark.files(subject.folder, languages)
    require(bool(files), "files names none")
    for path in files:
        require(isinstance(path, Path) and path.is_file(), f"files names {path}, which is no file")


def it_refuses_wrong_data_in_a_sentence(subject: Subject) -> None:
    """A folder or language that is not there is a BenchmarkError and not an empty run."""
    try:
        found = subject.benchmark.languages(subject.folder / NO_SUCH)
    except BenchmarkError:
        pass
    else:
        raise BrokenPromiseError(f"a folder that is not there has the languages {found}")
    try:
        items = list(subject.benchmark.items(subject.folder, Selection((NO_SUCH,))))
    except BenchmarkError:
        return
    raise BrokenPromiseError(f"a language that is not there has {len(items)} items")


def its_check_runs(subject: Subject) -> None:
    """`polysense check` finds nothing wrong with the sample, and counts something."""
    languages = subject.benchmark.languages(subject.folder)
    report: object = subject.benchmark.check(subject.folder, languages)
    if not isinstance(report, CheckReport):
        raise BrokenPromiseError(f"check gives {type(report).__name__}, needed a CheckReport")
    errors = [finding.message for finding in report.findings if finding.level == "error"]
    require(not errors, f"check calls the sample wrong: {errors[:1]}")
    json.dumps(asdict(report))
    n_counted = sum(count.observed for count in report.counts)
    require(n_counted > 0 or not report.counts, "check counts nothing")


def _by_language(items: Iterable[Item]) -> dict[str, list[Item]]:
    found: dict[str, list[Item]] = {}
    for item in items:
        found.setdefault(item.language, []).append(item)
    return found
