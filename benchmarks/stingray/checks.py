"""Does a folder hold what the paper describes? Counts and rules; a rule that is broken warns."""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from benchmarks.benchmark import CheckReport, Count, Finding
from benchmarks.errors import DataError
from benchmarks.stingray.data import (
    FALSE_FRIEND,
    TRUE_COGNATE,
    ConfigFile,
    chosen_files,
    words_of,
)
from benchmarks.stingray.files import read_cells, row_word
from benchmarks.stingray.forms import FORM_RULES, fold_han
from benchmarks.stingray.rows import COLUMNS, Row, read_row

EXPECTED = Path(__file__).parent / "expected_counts.json"

USAGE_BY_GOLD = {"A": ("Yes", "No"), "B": ("No", "Yes"), "C": ("Yes", "Yes")}
"""What the usage columns say where the sentence of L1, of L2, or both are appropriate."""
GOLD_BY_SENSE = {"L1": "A", "L2": "B"}


def check_folder(folder: Path, languages: Sequence[str]) -> CheckReport:
    """Check every configuration of the chosen pairs.

    Raises:
        DataError: The folder is missing or holds none.
        UnknownNameError: The folder does not have a pair.
    """
    expected = json.loads(EXPECTED.read_text(encoding="utf-8"))["counts"]
    counts, findings = [], []
    for file in chosen_files(folder, languages):
        rows, unreadable = _read_all(file)
        n_expected = expected.get(file.pair, {}).get(file.subset)
        counts.append(Count(file.pair, file.subset, n_expected, len(rows)))
        if n_expected != len(rows):
            message = f"{file.config}: {len(rows)} rows, the paper has {n_expected}"
            findings.append(Finding("warning", message, file.path.name))
        findings += unreadable
        findings += _row_findings(file, rows)
        findings += _set_findings(file, rows)
    return CheckReport(counts, findings)


def _read_all(file: ConfigFile) -> tuple[list[Row], list[Finding]]:
    """Read every readable row, and report the others."""
    rows, findings = [], []
    try:
        for line, cells in read_cells(file.path, COLUMNS):
            place = f"{file.path}, {row_word(file.path)} {line}"
            try:
                row = read_row(cells, place, line, is_cognate=file.subset == TRUE_COGNATE)
                words_of(row, file.subset)
            except DataError as error:
                findings.append(Finding("error", str(error), file.path.name, line))
            else:
                rows.append(row)
    except DataError as error:
        findings.append(Finding("error", str(error), file.path.name))
    return rows, findings


def _row_findings(file: ConfigFile, rows: Sequence[Row]) -> Iterator[Finding]:
    for row in rows:
        for message in _row_messages(file, row):
            yield _warning(file, row, message)


def _row_messages(file: ConfigFile, row: Row) -> Iterator[str]:
    words = words_of(row, file.subset)
    for side, word, sentence in zip(("L1", "L2"), words, row.sentences, strict=True):
        if _fold(word) not in _fold(sentence):
            yield f"{word!r} does not occur in the sentence of {side}"
    if row.usage != USAGE_BY_GOLD[row.gold]:
        yield f"usage is {'/'.join(row.usage)}, but the semantic answer is {row.gold}"
    if file.subset == FALSE_FRIEND:
        if row.gold != GOLD_BY_SENSE[row.sense]:
            yield f"the row holds the sense of {row.sense}, but the semantic answer is {row.gold}"
    else:
        yield from _cognate_messages(file, row, words)


def _cognate_messages(file: ConfigFile, row: Row, words: tuple[str, str]) -> Iterator[str]:
    rule, holds = FORM_RULES[file.pair]
    if not holds(*words):
        yield f"{words[0]!r} and {words[1]!r} are not {rule}"
    if row.gold != "C":
        yield f"the semantic answer of a true cognate is {row.gold}, not C"
    if row.meanings[0].casefold() != row.meanings[1].casefold():
        yield f"the meanings of a true cognate differ: {row.meanings[0]!r}, {row.meanings[1]!r}"


def _set_findings(file: ConfigFile, rows: Sequence[Row]) -> Iterator[Finding]:
    by_word: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_word[row.word.casefold()].append(row)
    for of_word in by_word.values():
        first = of_word[0]
        senses = sorted(row.sense for row in of_word)
        if file.subset == FALSE_FRIEND and senses != ["L1", "L2"]:
            held = " ".join(senses)
            message = f"false friend {first.word!r} has rows {held}; a row of each sense is due"
            yield _warning(file, first, message)
        if file.subset == TRUE_COGNATE and len(of_word) > 1:
            yield _warning(file, of_word[1], f"cognate {first.word!r} has {len(of_word)} rows")
    seen: dict[tuple[str, str, str], int] = {}
    for row in rows:
        earlier = seen.setdefault((row.word, *row.sentences), row.line)
        if earlier != row.line:
            yield _warning(file, row, f"the same word and sentences stand in line {earlier}")


def _fold(text: str) -> str:
    return fold_han(text.casefold())


def _warning(file: ConfigFile, row: Row, message: str) -> Finding:
    level: Literal["warning"] = "warning"
    return Finding(level, message, file.path.name, row.line)
