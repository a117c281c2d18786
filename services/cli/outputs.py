"""Files that a command writes: never over what stands there, unless `--force` says so."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from services.cli.exits import UsageError

ForceOption = Annotated[bool, typer.Option("--force", help="Replace what stands there already.")]


def check_outputs(paths: Iterable[Path], *, force: bool) -> None:
    """Refuse, before any work is done, what could not be written at its end.

    Raises:
        UsageError: A file stands there already, is a folder, or has none to stand in.
    """
    for path in paths:
        if path.is_dir():
            raise UsageError(f"--out {path}: this is a folder")
        if path.exists() and not force:
            raise UsageError(f"--out {path}: exists already; --force replaces it")
        make_parent(path)


def make_parent(path: Path, flag: str = "--out") -> None:
    """Make the folder of a file that is named from where the user stands.

    A folder spelled from the root must be there: a slip in it is likelier than a new tree.

    Raises:
        UsageError: It is missing, or cannot be made.
    """
    folder = path.absolute().parent
    if folder.is_dir():
        return
    if path.is_absolute():
        raise UsageError(f"{flag} {path}: no folder {folder}")
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise UsageError(f"{flag} {path}: {folder} cannot be made: {error.strerror}") from error


def make_folder(folder: Path, names: Iterable[str], *, force: bool) -> None:
    """Make a folder, or take one in which none of the names is taken.

    Raises:
        UsageError: A name is taken, or the folder cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--out {folder}: cannot be made: {error.strerror}") from error
    check_outputs((folder / name for name in names), force=force)


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all.

    Raises:
        UsageError: It cannot be written.
    """
    draft = path.with_name(f".{path.name}.part")
    try:
        draft.write_text(text, encoding="utf-8", newline="")
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise UsageError(f"--out {path}: cannot be written: {error.strerror}") from error


def json_lines(records: Iterable[Mapping[str, Any]]) -> str:
    """Return records as JSON lines."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def file_sha256(path: Path) -> str:
    """Return the checksum of a file that a step has read.

    Raises:
        UsageError: It cannot be read.
    """
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
