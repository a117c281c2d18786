"""How are the rows of a JSON-lines, CSV or Parquet file read? Each with its line."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.errors import DataError

Cells = Mapping[str, object]
Located = tuple[int, Cells]
"""A 1-based line (in Parquet: row) and the row's cells by column."""

SUFFIXES = ("jsonl", "csv", "parquet")


def read_cells(path: Path, columns: Sequence[str]) -> Iterator[Located]:
    """Read every row of one file.

    Args:
        path: Its ending tells the format.
        columns: What a header must name; JSON lines have none, there each row is asked.

    Raises:
        DataError: The file cannot be read, is empty, or a line is no row.
    """
    try:
        if path.stat().st_size == 0:
            raise DataError(f"{path} is empty")
        rows = _READERS[path.suffix.lstrip(".")](path, columns)
        n_rows = 0
        for located in rows:
            n_rows += 1
            yield located
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 (byte {error.start})") from error
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from error
    if n_rows == 0:
        raise DataError(f"{path} is empty: it holds no rows")


def row_word(path: Path) -> str:
    """Return what a place in this file is counted in."""
    return "row" if path.suffix == ".parquet" else "line"


def _read_jsonl(path: Path, _columns: Sequence[str]) -> Iterator[Located]:
    with path.open(encoding="utf-8-sig") as file:
        for line, text in enumerate(file, start=1):
            if not text.strip():
                continue
            try:
                cells = json.loads(text)
            except (ValueError, RecursionError) as error:
                raise DataError(f"{path}, line {line}: not JSON: {error}") from error
            if not isinstance(cells, dict):
                raise DataError(f"{path}, line {line}: a JSON object is needed")
            yield line, cells


def _read_csv(path: Path, columns: Sequence[str]) -> Iterator[Located]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file, strict=True, restkey="", restval=None)
        try:
            _check_header(f"{path}, line 1", reader.fieldnames or (), columns)
            for cells in reader:
                if "" in cells and isinstance(cells[""], list):
                    n_columns = len(reader.fieldnames or ())
                    n_more = n_columns + len(cells[""])
                    message = f"{n_more} cells, but the header has {n_columns}"
                    raise DataError(f"{path}, line {reader.line_num}: {message}")
                yield reader.line_num, cells
        except csv.Error as error:
            raise DataError(f"{path}, line {reader.reader.line_num}: not CSV: {error}") from error


def _read_parquet(path: Path, columns: Sequence[str]) -> Iterator[Located]:
    try:
        table = pq.read_table(path)
    except pa.ArrowException as error:
        raise DataError(f"{path} is not Parquet: {error}") from error
    _check_header(f"{path}, schema", table.column_names, columns)
    yield from enumerate(table.to_pylist(), start=1)


def _check_header(place: str, found: Sequence[str], columns: Sequence[str]) -> None:
    for column in columns:
        if column not in found:
            raise DataError(f"{place}: column {column!r} is missing")


_READERS = {"jsonl": _read_jsonl, "csv": _read_csv, "parquet": _read_parquet}
