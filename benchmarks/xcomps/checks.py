"""Does a folder hold what the papers describe? Counts, whole groups, pairs that can be decided."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.benchmark import CheckReport, Count, Finding
from benchmarks.errors import DataError
from benchmarks.xcomps.data import chosen_files, group_of, read_records
from benchmarks.xcomps.records import NEGATIVE_TYPES, Pair, read_pair
from benchmarks.xcomps.shared_part import shared_part

EXPECTED = Path(__file__).parent / "expected_counts.json"
GROUP_SIZE = len(NEGATIVE_TYPES)


def check_folder(folder: Path, languages: Sequence[str]) -> CheckReport:
    """Check every file of the chosen languages.

    Raises:
        DataError: The folder is missing or holds none.
        UnknownNameError: The folder does not have a language.
    """
    expected = json.loads(EXPECTED.read_text(encoding="utf-8"))["counts"]
    counts: list[Count] = []
    findings: list[Finding] = []
    for language, paths in chosen_files(folder, languages).items():
        located: list[tuple[Path, str, Pair]] = []
        for path in paths:
            pairs, unreadable = _read_all(path)
            located += [(path, place, pair) for place, pair in pairs]
            findings += unreadable
        counts += _counts(language, [pair for _, _, pair in located], expected.get(language))
        findings += _id_findings(located)
        findings += _pair_findings(language, located)
        findings += _group_findings(located)
        findings += _repeat_findings(language, located)
    return CheckReport(counts, findings)


def _read_all(path: Path) -> tuple[list[tuple[str, Pair]], list[Finding]]:
    pairs, findings = [], []
    try:
        for index, place, record in read_records(path):
            try:
                pairs.append((place, read_pair(record, index, place)))
            except DataError as error:
                findings.append(Finding("error", str(error), path.name, _line(place)))
    except DataError as error:
        findings.append(Finding("error", str(error), path.name))
    return pairs, findings


def _counts(language: str, pairs: Sequence[Pair], expected: int | None) -> Iterator[Count]:
    yield Count(language, "pairs", expected, len(pairs))
    by_type = Counter(pair.negative_type for pair in pairs)
    for name in NEGATIVE_TYPES:
        yield Count(language, name, None, by_type[name])
    yield Count(language, "identical pairs", None, sum(pair.is_identical for pair in pairs))


def _id_findings(located: Sequence[tuple[Path, str, Pair]]) -> Iterator[Finding]:
    """Report ids that stand twice in a language: such data cannot be read."""
    place_by_id: dict[str, str] = {}
    for path, place, pair in located:
        earlier = place_by_id.setdefault(pair.id, place)
        if earlier != place:
            message = f"{place}: item {pair.id!r} stands in {earlier} already"
            yield Finding("error", message, path.name, _line(place))


def _pair_findings(language: str, located: Sequence[tuple[Path, str, Pair]]) -> Iterator[Finding]:
    without_options = []
    for path, place, pair in located:
        if pair.is_identical:
            message = f"pair {pair.id}: the two sentences are identical; left out of every score"
            yield Finding("warning", message, path.name, _line(place))
        elif not pair.concepts and not shared_part(*pair.sentences, language).has_both_options:
            without_options.append(pair.id)
    if without_options:
        shown = ", ".join(without_options[:5])
        message = (
            f"{language}: {len(without_options)} pairs share nothing: no Meta options ({shown})"
        )
        yield Finding("warning", message)


def _group_findings(located: Sequence[tuple[Path, str, Pair]]) -> Iterator[Finding]:
    by_group: dict[str, list[tuple[Path, str, Pair]]] = defaultdict(list)
    for entry in located:
        by_group[group_of(entry[2])].append(entry)
    for group, entries in by_group.items():
        types = sorted(pair.negative_type for _, _, pair in entries)
        if types != sorted(NEGATIVE_TYPES):
            path, place, _ = entries[0]
            message = f"group {group!r} has {len(entries)} pairs: {', '.join(types)}"
            yield Finding("warning", message, path.name, _line(place))


def _repeat_findings(language: str, located: Sequence[tuple[Path, str, Pair]]) -> Iterator[Finding]:
    """Report sentences that bear both labels: no probe can be right about both."""
    good = {pair.sentences[0] for _, _, pair in located}
    bad = Counter(pair.sentences[1] for _, _, pair in located)
    both = sum(sentence in good for sentence in bad)
    repeated = sum(n > 1 for n in bad.values())
    if both or repeated:
        message = (
            f"{language}: {repeated} unacceptable sentences stand in several pairs,"
            f" {both} are acceptable in another pair"
        )
        yield Finding("info", message)


def _line(place: str) -> int | None:
    _, separator, number = place.rpartition(", line ")
    return int(number) if separator else None
