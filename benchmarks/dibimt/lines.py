"""Read JSON lines from files that may hold anything."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from benchmarks.errors import DataError
from benchmarks.validation import first_problem

MAX_LINE_BYTES = 4_000_000
"""Longer lines are no item; reading stops before they fill the memory."""

Record = TypeVar("Record", bound=BaseModel)


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (1-based line number, object) of every line that is not blank.

    Raises:
        DataError: The file is missing, empty, not UTF-8, or a line is no JSON object.
    """
    if not path.is_file():
        raise DataError(f"{path}: no such file")
    n_read = 0
    with path.open("rb") as lines:
        for number, line in enumerate(_bounded(lines, path), start=1):
            if line.strip():
                n_read += 1
                yield number, _parse(line, path, number)
    if n_read == 0:
        raise DataError(f"{path}: the file is empty; one JSON object a line is allowed")


def parse_record(record: type[Record], payload: Any, path: Path, number: int) -> Record:  # noqa: ANN401
    """Return the payload as a record.

    Raises:
        DataError: A field is missing, unknown or not as allowed; names it with file and line.
    """
    try:
        return record.model_validate(payload)
    except ValidationError as error:
        raise DataError(f"{path}, line {number}: {first_problem(error)}") from error


def _bounded(lines: Any, path: Path) -> Iterator[bytes]:  # noqa: ANN401  # a binary file
    number = 0
    while line := lines.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(line) > MAX_LINE_BYTES:
            raise DataError(f"{path}, line {number}: more than {MAX_LINE_BYTES} bytes in a line")
        yield line


def _parse(line: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        payload = json.loads(
            line.decode("utf-8-sig"), object_pairs_hook=_distinct, parse_constant=_refuse
        )
    except UnicodeDecodeError as error:
        raise DataError(f"{path}, line {number}: not UTF-8 (byte {error.start})") from error
    except RecursionError as error:
        raise DataError(f"{path}, line {number}: nested too deeply") from error
    except ValueError as error:
        raise DataError(f"{path}, line {number}: not JSON: {error}") from error
    if not isinstance(payload, dict):
        kind = type(payload).__name__
        raise DataError(f"{path}, line {number}: a {kind}; only a JSON object is allowed")
    return payload


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return found


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON number")
