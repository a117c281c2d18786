"""Read the released files: `en-af/expert_dataset.csv`, `train_dataset.csv` and `af.words`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.dtails.tables import Record, read_columns, read_records
from benchmarks.dtails.variations import parse_variations
from benchmarks.errors import DataError, UnknownNameError

COLUMNS = ("concept", "source language text", "target language text", "variations", "label")
EXPERT, TRAIN = "expert_dataset.csv", "train_dataset.csv"


@dataclass(frozen=True, slots=True)
class Row:
    """A sentence pair in which a concept occurs."""

    number: int
    """0-based, in the order of the file."""
    line: int
    concept: str
    source: str
    target: str
    """The reference translation."""
    variations: tuple[str, ...]
    label: str


@dataclass(frozen=True, slots=True)
class ConceptWords:
    """A line of a `.words` file: the variations that were mined for a concept."""

    line: int
    concept: str
    upos: str
    variations: tuple[str, ...]


def language_folder(folder: Path, language: str) -> Path:
    """Return where a language's files are."""
    return folder / f"en-{language}"


def words_path(folder: Path, language: str) -> Path:
    """Return where a language's mined variations are."""
    return language_folder(folder, language) / f"{language}.words"


def find_languages(folder: Path) -> tuple[str, ...]:
    """Return the languages with an expert file, sorted.

    Raises:
        DataError: The folder is missing or holds none.
    """
    if not folder.is_dir():
        raise DataError(f"no data folder at {folder}")
    found = sorted(path.parent.name[3:] for path in folder.glob(f"en-*/{EXPERT}"))
    if not found:
        raise DataError(f"{folder} holds no language; one is a folder such as en-af with {EXPERT}")
    return tuple(found)


def chosen_languages(folder: Path, wanted: Sequence[str]) -> tuple[str, ...]:
    """Return the wanted languages, or all that the folder has.

    Raises:
        UnknownNameError: The folder lacks one.
    """
    found = find_languages(folder)
    for language in wanted:
        if language not in found:
            allowed = ", ".join(found)
            raise UnknownNameError(f"language {language!r} is not in {folder}; it has: {allowed}")
    return tuple(dict.fromkeys(wanted)) or found


def read_rows(path: Path) -> list[Row]:
    """Read an expert or train file.

    Raises:
        DataError: It is missing or empty, or a row is not as its authors lay it out.
    """
    records = read_columns(path, COLUMNS)
    rows = [_row(path, number, record) for number, record in enumerate(records)]
    if not rows:
        raise DataError(f"{path}: no row under its header")
    return rows


def _row(path: Path, number: int, record: Record) -> Row:
    concept, source, target, listed, label = record.values
    place = f"{path}, line {record.line}"
    if not concept.strip():
        raise DataError(f"{place}: the concept is empty")
    if not source.strip():
        raise DataError(f"{place}: the source language text is empty")
    try:
        variations = parse_variations(listed)
    except ValueError as error:
        raise DataError(f"{place}: variations {_short(listed)}: {error}") from error
    if label not in variations:
        allowed = ", ".join(variations)
        raise DataError(f"{place}: label {_short(label)} is none of its variations: {allowed}")
    return Row(number, record.line, concept, source, target, variations, label)


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:60] + "…")


def read_words(path: Path) -> list[ConceptWords]:
    """Read a `.words` file: no header, `concept,UPOS,variation;variation`.

    Raises:
        DataError: It is missing, or a row has another number of values.
    """
    found = []
    for record in read_records(path):
        if len(record.values) != 3:
            raise DataError(
                f"{path}, line {record.line}: {len(record.values)} values, allowed are 3:"
                " concept,UPOS,variation;variation"
            )
        concept, upos, listed = (value.strip() for value in record.values)
        found.append(ConceptWords(record.line, concept, upos, tuple(listed.split(";"))))
    return found
