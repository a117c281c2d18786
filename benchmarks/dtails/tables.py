"""Read a CSV file with a header, naming file and line of whatever is wrong with it."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.errors import DataError


@dataclass(frozen=True, slots=True)
class Record:
    """A row with the line it starts on (1-based)."""

    line: int
    values: tuple[str, ...]


def read_text(path: Path) -> str:
    """Return a file's text.

    Raises:
        DataError: It is missing, is not UTF-8, or holds a NUL character.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from error
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{path}, line {line}: byte {raw[error.start]:#04x} is not UTF-8"
        ) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise DataError(f"{path}, line {line}: a NUL character")
    return text


def read_records(path: Path) -> Iterator[Record]:
    """Yield every row that is not empty.

    Raises:
        DataError: The file or a row cannot be read.
    """
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    line = 1
    while True:
        try:
            values = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise DataError(f"{path}, line {line}: {error}") from error
        if values:
            yield Record(line, tuple(values))
        line = reader.line_num + 1


def read_columns(path: Path, columns: Sequence[str]) -> Iterator[Record]:
    """Yield the named columns of every row under the header.

    Raises:
        DataError: The file is empty, a column is missing, or a row has too few or many values.
    """
    records = read_records(path)
    header = next(records, None)
    if header is None:
        raise DataError(f"{path}: empty; its first line must be {','.join(columns)}")
    names = [name.strip() for name in header.values]
    missing = [column for column in columns if column not in names]
    if missing:
        raise DataError(
            f"{path}, line {header.line}: no column {missing[0]!r};"
            f" it has {', '.join(names)}; needed are {', '.join(columns)}"
        )
    places = [names.index(column) for column in columns]
    for record in records:
        if len(record.values) != len(names):
            raise DataError(
                f"{path}, line {record.line}: {len(record.values)} values,"
                f" but the header has {len(names)} columns"
            )
        yield Record(record.line, tuple(record.values[place] for place in places))
