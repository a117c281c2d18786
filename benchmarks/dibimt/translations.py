"""Read what other systems made of the sentences, and what people made of their errors.

`translations/<system>.jsonl` are replay files: the lines of the task `translate` count, others are
left alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.dibimt.lines import parse_record, read_lines
from benchmarks.dibimt.records import CorrectionRecord, TranslationRecord
from benchmarks.errors import DataError, SettingError

FOLDER = "translations"
CORRECTIONS = "corrections.jsonl"
HUMAN = "human"

Texts = Mapping[str, str]
"""Translations by request key."""


@dataclass(frozen=True)
class Translations:
    """Everything the pairing of wrong and right translations needs."""

    texts_by_system: Mapping[str, Texts]
    corrections: Texts
    """Of the chosen system, by request key."""
    system: str
    """Whose errors are looked at."""
    priority: tuple[str, ...]
    """Where right translations come from, the best first; `human` is the corrections."""


def key_of(language: str, item_id: str) -> str:
    """Return the request key of an item's translation."""
    return f"dibimt/translate/{language}/{item_id}"


def files_of(folder: Path) -> list[Path]:
    """Return the files that translations are read from; none where there is no such folder."""
    if not (folder / FOLDER).is_dir():
        return []
    found = sorted((folder / FOLDER).glob("*.jsonl"))
    corrections = folder / CORRECTIONS
    return [*found, corrections] if corrections.is_file() else found


def read_translations(folder: Path, system: str, priority: str) -> Translations | None:
    """Read a folder's translations; None where there are none.

    Args:
        folder: The data folder.
        system: Whose errors are looked at; empty takes the first by name.
        priority: Names joined by commas; empty takes the others by name, then `human`.

    Raises:
        DataError: A line is not as the README says.
        SettingError: There is no such system.
    """
    paths = {path.stem: path for path in files_of(folder) if path.parent.name == FOLDER}
    if not paths:
        if system:
            raise SettingError(f"system={system}: {folder / FOLDER} has no translations")
        return None
    chosen = system or next(iter(paths))
    names = tuple(name.strip() for name in priority.split(",") if name.strip())
    names = names or (*(name for name in paths if name != chosen), HUMAN)
    unknown = [name for name in names if name not in paths and name != HUMAN]
    if unknown := ([] if chosen in paths else [chosen]) + unknown:
        raise SettingError(f"no translations of {unknown[0]!r}; allowed: {', '.join(paths)}")
    if chosen in names:
        raise SettingError(f"priority names {chosen!r}, whose own errors are looked at")
    wanted = [name for name in (chosen, *names) if name in paths]
    texts = {name: _read_texts(paths[name]) for name in wanted}
    return Translations(texts, _read_corrections(folder, chosen), chosen, names)


def _read_texts(path: Path) -> Texts:
    found: dict[str, str] = {}
    for number, payload in read_lines(path):
        if not str(payload.get("key", "")).startswith("dibimt/translate/"):
            continue
        record = parse_record(TranslationRecord, payload, path, number)
        if record.key in found:
            raise DataError(f"{path}, line {number}: the key {record.key!r} stands twice")
        found[record.key] = record.response.text
    return found


def _read_corrections(folder: Path, system: str) -> Texts:
    path = folder / CORRECTIONS
    if not path.is_file():
        return {}
    found: dict[str, str] = {}
    for number, payload in read_lines(path):
        record = parse_record(CorrectionRecord, payload, path, number)
        if record.system != system:
            continue
        if record.key in found:
            raise DataError(f"{path}, line {number}: {system} has a correction of it already")
        found[record.key] = record.text
    return found
