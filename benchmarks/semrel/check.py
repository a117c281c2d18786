"""Are the pairs what the paper says, apart from each other, and clean?"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.benchmark import CheckReport, Count, Finding
from benchmarks.semrel.data import Pair, file_of, read_pairs

SPLITS = ("train", "dev", "test")
EXPECTED = Path(__file__).parent / "expected_counts.json"

INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
"""Soft hyphen, zero-width space, direction marks; joiners are spelling in some scripts."""
GARBLED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffd\ue000-\uf8ff]|Ã[\x80-\xbf©¨]|â€")
E_MAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]*\w")
MENTION = re.compile(r"(?<![\w.@])@\w{2,}")
URL = re.compile(r"https?://\S|www\.\w", re.IGNORECASE)

Suspicion = Callable[[Pair], bool]


def _holds(pattern: re.Pattern[str]) -> Suspicion:
    return lambda pair: bool(pattern.search(pair.text_a) or pattern.search(pair.text_b))


SUSPICIONS: Mapping[str, Suspicion] = {
    "an invisible character": _holds(INVISIBLE),
    "a garbled character": _holds(GARBLED),
    "an unmasked e-mail address": _holds(E_MAIL),
    "an unmasked URL": _holds(URL),
    "an unmasked @mention": _holds(MENTION),
    "an empty sentence": lambda pair: not (pair.text_a.strip() and pair.text_b.strip()),
    "the same sentence twice": lambda pair: pair.text_a.strip() == pair.text_b.strip(),
    "a score outside [0, 1]": lambda pair: pair.gold is not None and not 0 <= pair.gold <= 1,
    "no score": lambda pair: pair.gold is None,
    "a PairID that stood there before": lambda pair: bool(re.search(r"#\d+$", pair.id)),
}
"""What a row may hold that nobody meant it to; a score outside [0, 1] is an error."""


@dataclass(frozen=True, slots=True)
class Leak:
    """Pairs of one split that stand in another one as well."""

    language: str
    split: str
    other: str
    n_exact: int
    """Both sentences are the same, in the same order."""
    n_alike: int
    """The same but for order, case, punctuation and spelling of the same characters."""
    n_pairs: int
    """Of the first split."""


def check_folder(folder: Path, languages: Sequence[str]) -> CheckReport:
    """Return counts against the expected ones, leakage between splits and suspicious rows."""
    counts: list[Count] = []
    findings: list[Finding] = []
    for language in languages:
        files = {split: path for split in SPLITS if (path := file_of(folder, language, split))}
        pairs = {split: list(read_pairs(path)) for split, path in files.items()}
        for split, path in files.items():
            counts.append(_count(language, split, len(pairs[split])))
            findings += _count_findings(language, split, len(pairs[split]), path)
            findings += suspicious_rows(pairs[split], path)
            findings += _duplicates(pairs[split], path)
        findings += [_leak_finding(leak, files[leak.split]) for leak in leaks(language, pairs)]
    return CheckReport(counts, findings)


def suspicious_rows(pairs: Sequence[Pair], path: Path) -> Iterator[Finding]:
    """Report each kind of suspicion once a file, at the first row that raises it."""
    for what, holds in SUSPICIONS.items():
        met = [pair.line for pair in pairs if holds(pair)]
        if met:
            message = f"{len(met)} of {len(pairs)} rows hold {what}"
            is_error = what.startswith("a score")
            yield Finding("error" if is_error else "warning", message, str(path), met[0])


def leaks(language: str, pairs_by_split: Mapping[str, Sequence[Pair]]) -> Iterator[Leak]:
    """Return the overlap of dev with train, and of test with train and dev."""
    for number, split in enumerate(SPLITS):
        for other in SPLITS[:number]:
            if split not in pairs_by_split or other not in pairs_by_split:
                continue
            met = pairs_by_split[other]
            exact, alike = {_exact(pair) for pair in met}, {pair_key(pair) for pair in met}
            asked = pairs_by_split[split]
            n_exact = sum(_exact(pair) in exact for pair in asked)
            n_alike = sum(pair_key(pair) in alike for pair in asked)
            if n_alike:
                yield Leak(language, split, other, n_exact, n_alike, len(asked))


def pair_key(pair: Pair) -> tuple[str, ...]:
    """Return what two spellings of a pair have in common: NFKC letters, marks, digits; no order."""
    return tuple(sorted((text_key(pair.text_a), text_key(pair.text_b))))


def text_key(text: str) -> str:
    """Return a text's letters, marks and digits after NFKC and case folding."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in plain if unicodedata.category(char)[0] in "LMN")


def _exact(pair: Pair) -> tuple[str, str]:
    return pair.text_a.strip(), pair.text_b.strip()


def _duplicates(pairs: Sequence[Pair], path: Path) -> Iterator[Finding]:
    repeated = _repeated_lines(pairs)
    if repeated:
        message = f"{len(repeated)} of {len(pairs)} pairs stood there before"
        yield Finding("warning", message, str(path), repeated[0])


def _repeated_lines(pairs: Sequence[Pair]) -> list[int]:
    seen: set[tuple[str, ...]] = set()
    lines = []
    for pair in pairs:
        key = pair_key(pair)
        if key in seen:
            lines.append(pair.line)
        seen.add(key)
    return lines


def _leak_finding(leak: Leak, path: Path) -> Finding:
    message = (
        f"{leak.language}: {leak.n_exact} of {leak.n_pairs} {leak.split} pairs stand in"
        f" {leak.other} word for word, {leak.n_alike} but for order, case and punctuation"
    )
    return Finding("warning", message, str(path))


def _expected(language: str, split: str) -> Mapping[str, int]:
    counts = json.loads(EXPECTED.read_text(encoding="utf-8"))["counts"]
    found: Mapping[str, int] = counts.get(language, {}).get(split, {})
    return found


def _count(language: str, split: str, observed: int) -> Count:
    known = _expected(language, split)
    unprinted = None if known.get("is_paper_wrong") else known.get("released")
    return Count(language, split, known.get("paper", unprinted), observed)


def _count_findings(language: str, split: str, observed: int, path: Path) -> Iterator[Finding]:
    known = _expected(language, split)
    released = known.get("released", observed)
    if observed != released:
        message = f"{language} {split}: {observed} pairs, the released file has {released}"
        yield Finding("warning", message, str(path))
    if known.get("is_paper_wrong"):
        printed = f" ({known['paper']} there)" if "paper" in known else ""
        message = f"{language} {split}: Table 4 of the paper{printed} differs from the released"
        yield Finding("info", f"{message} {released}", str(path))
