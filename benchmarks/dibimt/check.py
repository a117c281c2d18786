"""Lint a DiBiMT folder: counts against the paper's, and the rules by which items were made."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.benchmark import CheckReport, Count, Finding
from benchmarks.dibimt.annotation import annotation_statistics
from benchmarks.dibimt.data import PAPER_LANGUAGES, Row, make_item
from languages.normalisation import fold

EXPECTED = json.loads((Path(__file__).parent / "expected_counts.json").read_text("utf-8"))
MIN_SENSES = 3
"""Words with fewer senses were not taken (δ ≥ 3)."""


def check(path: Path, rows: Sequence[Row], languages: Sequence[str]) -> CheckReport:
    """Return counts by language and everything that does not follow the paper's rules."""
    counts = [count for language in languages for count in _counts(rows, language)]
    findings = [*_count_findings(counts, path), *_rule_findings(rows, path)]
    for language in languages:
        findings += _answer_findings(rows, language, path)
        findings.append(_annotation_finding(rows, language, path))
    return CheckReport(counts, findings)


def _counts(rows: Sequence[Row], language: str) -> Iterator[Count]:
    records = [row.record for row in rows if language in row.record.languages]
    by_pos = Counter(record.pos for record in records)
    observed = {
        "items": len(records),
        "NOUN": by_pos["NOUN"],
        "VERB": by_pos["VERB"],
        "lemmas": len({record.lemma for record in records}),
        "synsets": len({record.synset for record in records}),
    }
    for split, number in observed.items():
        expected = EXPECTED[split] if language in PAPER_LANGUAGES else None
        yield Count(language, split, expected, number)


def _count_findings(counts: Sequence[Count], path: Path) -> Iterator[Finding]:
    for count in counts:
        if count.expected is not None and count.expected != count.observed:
            message = f"{count.language}: {count.observed} {count.split}, the paper has"
            yield Finding("warning", f"{message} {count.expected}", str(path))


def _rule_findings(rows: Sequence[Row], path: Path) -> Iterator[Finding]:
    """Yield breaches of δ ≥ 3 and of one sentence per sense and source, and open discussions."""
    line_by_sense: dict[tuple[str, ...], int] = {}
    line_by_sentence: dict[tuple[str, str], int] = {}
    for row in rows:
        record = row.record
        word = f"{record.lemma} ({record.pos})"
        if len(row.senses) < MIN_SENSES:
            message = f"{word} has {len(row.senses)} senses; the paper takes words with at least 3"
            yield Finding("warning", message, str(path), row.number)
        sense = (record.lemma, record.pos, record.synset, record.source)
        first = line_by_sense.setdefault(sense, row.number)
        if record.source and first != row.number:
            message = f"line {first} has the same sense of {word} from the same source already"
            yield Finding("warning", message, str(path), row.number)
        sentence = (fold(record.sentence, casefold=True), str(record.start))
        same = line_by_sentence.setdefault(sentence, row.number)
        if same != row.number:
            message = f"line {same} asks about the same word of the same sentence"
            yield Finding("warning", message, str(path), row.number)
        if "DISCUSS" in record.tags:
            yield Finding("info", f"{record.id} is tagged DISCUSS", str(path), row.number)


def _answer_findings(rows: Sequence[Row], language: str, path: Path) -> Iterator[Finding]:
    senses_by_lemma = _senses_by_lemma(rows, language)
    for row in rows:
        answers = row.record.languages.get(language)
        if answers is None:
            continue
        name = f"{row.record.id} in {language}"
        if not answers.good:
            yield Finding("warning", f"{name} has no good lemma", str(path), row.number)
        if not (answers.bad or answers.removed):
            yield Finding("warning", f"{name} has no bad lemma", str(path), row.number)
        shared = _shared_lemmas(row, language, senses_by_lemma)
        if shared:
            message = f"{name}: {', '.join(shared)} also lexicalises another sense of the word"
            yield Finding("warning", message, str(path), row.number)


def _annotation_finding(rows: Sequence[Row], language: str, path: Path) -> Finding:
    found = annotation_statistics(rows, language)
    shares = {
        "%OG": found.added_share,
        "%RG": found.removed_share,
        "%SL": found.same_set_share,
    }
    texts = (
        f"{name} {'undefined' if share is None else format(share, '.2%')}"
        for name, share in shares.items()
    )
    message = f"{language}: annotators' additions, removals and equal sets: {', '.join(texts)}"
    return Finding("info", message, str(path))


def _senses_by_lemma(rows: Sequence[Row], language: str) -> dict[str, set[str]]:
    """Return the synsets each target lemma expresses, from all entries of all items."""
    found: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if language in row.record.languages:
            fields = make_item(row, language).fields
            for entry in [*fields["good"], *fields["bad"]]:
                found[fold(entry["lemma"], casefold=True)] |= set(entry["synsets"])
    return found


def _shared_lemmas(row: Row, language: str, senses_by_lemma: dict[str, set[str]]) -> list[str]:
    """Return good lemmas that also lexicalise another sense of the same English word."""
    record = row.record
    others = set(row.senses) - {record.synset}
    return [
        good.lemma
        for good in record.languages[language].good
        if senses_by_lemma[fold(good.lemma, casefold=True)] & others
    ]
