"""Read and check a DiBiMT folder: `items.jsonl` and `senses.jsonl`, laid out as the README says."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.benchmark import Item
from benchmarks.dibimt.lines import parse_record, read_lines
from benchmarks.dibimt.notation import entry_key
from benchmarks.dibimt.records import Answers, ItemRecord, Lexicalisation, SensesRecord
from benchmarks.errors import DataError, UnknownNameError

ITEMS = "items.jsonl"
SENSES = "senses.jsonl"
PAPER_LANGUAGES = ("de", "es", "it", "ru", "zh")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of `items.jsonl` with the senses of its word."""

    number: int
    """1-based line."""
    record: ItemRecord
    """Only the languages that were asked for are in it."""
    senses: tuple[str, ...]
    """Of (lemma, part of speech), in frequency order."""


def languages_of(folder: Path) -> tuple[str, ...]:
    """Return the target languages any item has: the paper's first, then others by name.

    Raises:
        DataError: The folder or its items are missing, or hold no language.
    """
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder")
    found: set[str] = set()
    for number, payload in read_lines(folder / ITEMS):
        found |= _language_names(payload, folder / ITEMS, number)
    if not found:
        raise DataError(f"{folder / ITEMS}: no item has a target language")
    known = tuple(language for language in PAPER_LANGUAGES if language in found)
    return known + tuple(sorted(found - set(known)))


def read_rows(folder: Path, languages: Sequence[str]) -> list[Row]:
    """Read the items that have one of the languages; other languages' answers are not looked at.

    Raises:
        DataError: A line is not as the README says; names file and line.
    """
    path = folder / ITEMS
    senses_by_word = read_senses(folder / SENSES)
    rows, line_by_id = [], dict[str, int]()
    for number, payload in read_lines(path):
        kept = _language_names(payload, path, number) & set(languages)
        if not kept:
            continue
        answers = {name: payload["languages"][name] for name in kept}
        record = parse_record(ItemRecord, {**payload, "languages": answers}, path, number)
        place = f"{path}, line {number}"
        first = line_by_id.setdefault(record.id, number)
        if first != number:
            raise DataError(f"{place}: the id {record.id!r} stands in line {first} already")
        rows.append(Row(number, record, _senses_of(record, senses_by_word, place)))
        _check_record(record, place)
    return rows


def read_senses(path: Path) -> Mapping[tuple[str, str], tuple[str, ...]]:
    """Return the senses by (lemma, part of speech).

    Raises:
        DataError: A line is not as the README says, or a word or a sense stands twice.
    """
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for number, payload in read_lines(path):
        record = parse_record(SensesRecord, payload, path, number)
        place, word = f"{path}, line {number}", (record.lemma, record.pos)
        if word in found:
            raise DataError(f"{place}: {record.lemma} ({record.pos}) has its senses already")
        if len(set(record.senses)) < len(record.senses):
            raise DataError(f"{place}: a sense of {record.lemma} ({record.pos}) stands twice")
        if record.counts is not None and len(record.counts) != len(record.senses):
            n_counts, n_senses = len(record.counts), len(record.senses)
            raise DataError(f"{place}: {n_counts} counts for {n_senses} senses")
        found[word] = tuple(record.senses)
    return found


def items(rows: Sequence[Row], language: str) -> Iterator[Item]:
    """Yield the questions of one language in the order of the lines."""
    for row in rows:
        if language in row.record.languages:
            yield make_item(row, language)


def any_lemma(rows: Sequence[Row], language: str) -> str:
    """Return a lemma of the language, for trying a lemmatiser."""
    answers = (row.record.languages[language] for row in rows if language in row.record.languages)
    entries = (entry.lemma for each in answers for entry in (*each.good, *each.bad, *each.removed))
    return next(entries)


def chosen_languages(folder: Path, wanted: Sequence[str]) -> tuple[str, ...]:
    """Return the wanted languages, or all of the folder's.

    Raises:
        UnknownNameError: The folder lacks one.
    """
    known = languages_of(folder)
    for language in wanted:
        if language not in known:
            allowed = ", ".join(known)
            raise UnknownNameError(f"{folder} has no language {language!r}; allowed: {allowed}")
    return tuple(language for language in known if not wanted or language in wanted)


def make_item(row: Row, language: str) -> Item:
    """Return a row's question in one language; removed good lemmas stand among the bad."""
    record, answers = row.record, row.record.languages[language]
    kept = {entry_key(bad.lemma, record.pos) for bad in answers.bad}
    removed = [lemma for lemma in answers.removed if entry_key(lemma.lemma, record.pos) not in kept]
    fields = {
        "sentence": record.sentence,
        "word": record.word,
        "start": record.start,
        "lemma": record.lemma,
        "synset": record.synset,
        "senses": list(row.senses),
        "good": [_with_synset(good, record.synset) for good in answers.good],
        "bad": [bad.model_dump() for bad in (*answers.bad, *removed)],
    }
    return Item(record.id, language, record.pos, record.lemma, fields)


def _with_synset(good: Lexicalisation, synset: str) -> dict[str, Any]:
    """Return a good lemma as JSON; annotators' additions express the item's synset too."""
    synsets = list(dict.fromkeys([*good.synsets, synset]))
    return {**good.model_dump(), "synsets": synsets}


def _language_names(payload: Mapping[str, Any], path: Path, number: int) -> set[str]:
    languages = payload.get("languages")
    if not isinstance(languages, dict) or not languages:
        raise DataError(f"{path}, line {number}: languages: an object with a language is required")
    for name in languages:
        if not (name.isascii() and name.isalpha() and name.islower() and len(name) in (2, 3)):
            raise DataError(
                f"{path}, line {number}: the language {name!r} is no code of 2 or 3 small letters"
            )
    return set(languages)


def _senses_of(
    record: ItemRecord, senses_by_word: Mapping[tuple[str, str], tuple[str, ...]], place: str
) -> tuple[str, ...]:
    senses = senses_by_word.get((record.lemma, record.pos))
    word = f"{record.lemma} ({record.pos})"
    if senses is None:
        raise DataError(f"{place}: {SENSES} has no senses of {word}")
    if record.synset not in senses:
        allowed = ", ".join(senses)
        raise DataError(f"{place}: {record.synset} is no sense of {word}; allowed: {allowed}")
    return senses


def _check_record(record: ItemRecord, place: str) -> None:
    met = record.sentence[record.start : record.start + len(record.word)]
    if met != record.word:
        raise DataError(f"{place}: at character {record.start} stands {met!r}, not {record.word!r}")
    for language, answers in record.languages.items():
        try:
            _check_answers(answers, record.pos)
        except ValueError as error:
            raise DataError(f"{place}: {language}: {error}") from error


def _check_answers(answers: Answers, pos: str) -> None:
    if not (answers.good or answers.bad or answers.removed):
        raise ValueError("neither a good nor a bad lemma")
    good = {entry_key(lemma.lemma, pos): lemma.lemma for lemma in answers.good}
    for name, lemmas in (
        ("good", answers.good),
        ("bad", answers.bad),
        ("removed", answers.removed),
    ):
        keys = [entry_key(lemma.lemma, pos) for lemma in lemmas]
        if len(set(keys)) < len(keys):
            twice = next(
                x.lemma for x, key in zip(lemmas, keys, strict=True) if keys.count(key) > 1
            )
            raise ValueError(f"{twice!r} stands twice among the {name} lemmas")
        if name != "good" and (both := good.keys() & set(keys)):
            raise ValueError(f"{good[min(both)]!r} stands among the good and the {name} lemmas")
