"""What the steps of building a language read: COMPS, hand-made translations, earlier steps.

Source: He et al. 2025 (arXiv:2502.19737), appendix A.
"""

from pathlib import Path

from benchmarks.errors import DataError
from benchmarks.xcomps.building import SEED_LANGUAGES, Step
from benchmarks.xcomps.data import group_of, language_files, read_pairs, read_records
from benchmarks.xcomps.records import Pair

SOURCE = "en"


def source_pairs(folder: Path, limit: int | None = None) -> list[Pair]:
    """Return the English pairs that a language is built from.

    Args:
        folder: COMPS, as its authors lay it out.
        limit: Keeps the groups of the first so many pairs, whole; None keeps all.

    Raises:
        DataError: There is no English file, a record cannot be read, or an id stands twice.
    """
    paths = language_files(folder).get(SOURCE)
    if paths is None:
        raise DataError(f"{folder} has no English file comps_base*.jsonl to build from")
    pairs = [pair for path in paths for pair in read_pairs(path)]
    ids = [pair.id for pair in pairs]
    if len(set(ids)) < len(ids):
        twice = next(name for name in ids if ids.count(name) > 1)
        raise DataError(f"{folder}: the id {twice!r} stands there twice; built pairs keep ids")
    if unnamed := [pair.id for pair in pairs if pair.concepts is None or not pair.property_name]:
        raise DataError(f"{folder}: pair {unnamed[0]} has no concepts or no property")
    wanted = {group_of(pair) for pair in pairs[:limit]}
    return [pair for pair in pairs if group_of(pair) in wanted]


def read_steps(path: Path) -> list[tuple[str, Step]]:
    """Read what a step has stored: JSON lines, each with its place for messages.

    Raises:
        DataError: The file cannot be read, or a line is no JSON object.
    """
    return [(place, record) for _, place, record in read_records(path)]


def read_seeds(path: Path) -> dict[str, dict[str, str]]:
    """Read hand-made translations: JSON lines `{"en": …, "de": …, "zh": …}`.

    Raises:
        DataError: A line lacks its English, names another language, or stands there twice.
    """
    found: dict[str, dict[str, str]] = {}
    for place, record in read_steps(path):
        allowed = ("en", *SEED_LANGUAGES)
        if unknown := sorted(set(record) - set(allowed)):
            raise DataError(f"{place}: {unknown[0]!r}; allowed: {', '.join(allowed)}")
        if bad := [name for name in record if not isinstance(record[name], str)]:
            raise DataError(f"{place}: {bad[0]} is {record[bad[0]]!r}; a text is needed")
        english = str(record.get("en", "")).strip()
        if not english:
            raise DataError(f"{place}: 'en' is missing or blank")
        if english in found:
            raise DataError(f"{place}: {english!r} stands there twice")
        found[english] = {code: str(text) for code, text in record.items() if code != "en"}
    return found


def read_terms(path: Path) -> list[Step]:
    """Read the terms that `terms_of` has made.

    Raises:
        DataError: A line lacks one of id, kind and en.
    """
    steps = read_steps(path)
    for place, step in steps:
        if missing := [name for name in ("id", "kind", "en") if name not in step]:
            raise DataError(f"{place}: {missing[0]!r} is missing")
    return [step for _, step in steps]
