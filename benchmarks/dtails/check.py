"""What `polysense check` looks at: counts, repeated rows, leakage, and the mining rules."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.benchmark import CheckReport, Count, Finding
from benchmarks.dtails.data import (
    EXPERT,
    TRAIN,
    Row,
    language_folder,
    read_rows,
    read_words,
    words_path,
)
from benchmarks.dtails.entropy import MIN_COUNT, MIN_ENTROPY, entropy
from benchmarks.dtails.frequency import count_labels
from benchmarks.dtails.rules import variations_by_concept
from benchmarks.dtails.variations import forms_of
from benchmarks.errors import DataError

EXPECTED: Mapping[str, Mapping[str, Mapping[str, Any]]] = json.loads(
    (Path(__file__).parent / "expected_counts.json").read_text("utf-8")
)


def report(folder: Path, languages: Sequence[str]) -> CheckReport:
    """Lint some languages of a data folder."""
    counts: list[Count] = []
    findings: list[Finding] = []
    for language in languages:
        rows_by_split: dict[str, list[Row]] = {}
        for split, name in (("expert", EXPERT), ("train", TRAIN)):
            path = language_folder(folder, language) / name
            if split == "train" and not path.is_file():
                findings.append(Finding("info", f"{language}: no {TRAIN}"))
                continue
            try:
                rows = read_rows(path)
            except DataError as error:
                findings.append(Finding("error", str(error), str(path)))
                continue
            rows_by_split[split] = rows
            counts.append(_count(language, split, len(rows)))
            findings += _count_warning(counts[-1], path)
            findings += _repeated(rows, path)
            findings += _doubtful_variations(rows, path)
        findings += _over_splits(folder, language, rows_by_split)
    return CheckReport(counts, findings)


def _count(language: str, split: str, observed: int) -> Count:
    known = EXPECTED[split].get(language, {})
    return Count(language, split, known.get("paper"), observed)


def _count_warning(count: Count, path: Path) -> Iterator[Finding]:
    released = EXPECTED[count.split].get(count.language, {}).get("observed")
    if released is not None and released != count.observed:
        message = f"{count.observed} rows, the released file has {released}"
        yield Finding("warning", message, str(path))


def _repeated(rows: Sequence[Row], path: Path) -> Iterator[Finding]:
    """Name each repeated row of an expert file; those of a train file are only counted."""
    first: dict[tuple[str, str, str], int] = {}
    repeated: list[tuple[Row, int]] = []
    for row in rows:
        key = (row.concept, row.source, row.label)
        if key in first:
            repeated.append((row, first[key]))
        first.setdefault(key, row.line)
    if path.name == TRAIN and repeated:
        message = f"{len(repeated)} of {len(rows)} rows repeat an earlier one"
        yield Finding("info", message, str(path))
        return
    for row, line in repeated:
        message = f"repeats line {line}: {row.concept!r} in the same sentence"
        yield Finding("warning", message, str(path), row.line)


def _doubtful_variations(rows: Sequence[Row], path: Path) -> Iterator[Finding]:
    listed = variations_by_concept(rows)
    for row in rows:
        if row.variations != listed[row.concept]:
            message = f"{row.concept!r} has other variations than in its first row"
            yield Finding("warning", message, str(path), row.line)
    for concept, variations in listed.items():
        forms = Counter(form for variation in variations for form in set(forms_of(variation)))
        for form in (form for form, n in forms.items() if n > 1):
            message = f"{concept!r}: form {form!r} stands in several variations"
            yield Finding("warning", message, str(path))


def _over_splits(
    folder: Path, language: str, rows_by_split: Mapping[str, Sequence[Row]]
) -> Iterator[Finding]:
    expert = rows_by_split.get("expert", ())
    train = rows_by_split.get("train", ())
    path = str(language_folder(folder, language) / EXPERT)
    seen = {(row.concept, row.source) for row in train}
    for row in expert:
        if (row.concept, row.source) in seen:
            message = f"leak: this sentence of {row.concept!r} is in {TRAIN} too"
            yield Finding("warning", message, path, row.line)
    yield from _against_words(words_path(folder, language), variations_by_concept(expert))
    if train:
        yield from _mining_rules(language, train)


def _against_words(path: Path, listed: Mapping[str, tuple[str, ...]]) -> Iterator[Finding]:
    if not path.is_file():
        yield Finding("info", f"no {path.name}", str(path))
        return
    try:
        mined = read_words(path)
    except DataError as error:
        yield Finding("error", str(error), str(path))
        return
    variations = {(words.concept, frozenset(words.variations)) for words in mined}
    for concept, named in listed.items():
        if (concept, frozenset(named)) not in variations:
            message = f"{concept!r} with the variations of {EXPERT} is not in {path.name}"
            yield Finding("warning", message, str(path))


def _mining_rules(language: str, rows: Sequence[Row]) -> Iterator[Finding]:
    counts = count_labels(rows)
    for base in ("e", "2"):
        low = [c for c, labels in counts.items() if entropy(labels.values(), base) < MIN_ENTROPY]
        if low:
            yield Finding(
                "info",
                f"{language}: {len(low)} of {len(counts)} concepts of {TRAIN} have an entropy below"
                f" {MIN_ENTROPY} (base {base}): {', '.join(low)}",
            )
    rare = [concept for concept, labels in counts.items() if min(labels.values()) < MIN_COUNT]
    if rare:
        yield Finding(
            "info",
            f"{language}: {len(rare)} of {len(counts)} concepts of {TRAIN} have a variation seen"
            f" fewer than {MIN_COUNT} times",
        )
