"""The file a bundle of runs is: a plain tar with a checksum of everything in it.

`bundle.json` names the runs, `runs/<id>/` holds run, items, outcomes, failures and scores,
`checksums.json` the SHA-256 of every other file. Nothing is ever unpacked onto the disk.
"""

import hashlib
import io
import json
import re
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

FORMAT = 1
HEAD, CHECKSUMS = "bundle.json", "checksums.json"
PARTS = ("run.json", "items.jsonl", "outcomes.jsonl", "failures.jsonl", "scores.json")
RUN_ID = r"[0-9A-HJKMNP-TV-Z]{26}"
MEMBER = re.compile(rf"runs/{RUN_ID}/({'|'.join(map(re.escape, PARTS))})")
MAX_RUNS = 1_000
MAX_MEMBER_BYTES = 1 << 30
MAX_BYTES = 4 << 30


class BundleError(Exception):
    """A bundle that cannot be written, or must not be taken in; the message names the file."""


def write_bundle(path: Path, files: Mapping[str, bytes]) -> None:
    """Write a bundle, whole or not at all; the same runs give the same bytes.

    Raises:
        BundleError: It cannot be written.
    """
    checksums = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    draft = path.with_name(f".{path.name}.part")
    try:
        with tarfile.open(draft, "w", format=tarfile.PAX_FORMAT) as archive:
            for name, content in {**files, CHECKSUMS: to_json(checksums)}.items():
                member = tarfile.TarInfo(name)
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise BundleError(f"{path}: cannot be written: {error.strerror}") from error


def read_bundle(path: Path) -> dict[str, bytes]:
    """Return the files of a bundle, each as it was when it was written.

    Raises:
        BundleError: It is no bundle, too large, holds what no bundle holds, or was changed.
    """
    if not path.is_file():
        raise BundleError(f"no bundle at {path}")
    if path.stat().st_size > MAX_BYTES:
        raise BundleError(f"{path}: {path.stat().st_size} bytes, limit {MAX_BYTES}")
    try:
        with tarfile.open(path, "r:") as archive:
            files = _read_members(path, archive)
    except (tarfile.TarError, EOFError, OSError, ValueError) as error:
        raise BundleError(f"{path}: no readable tar archive ({error})") from error
    _check_sums(path, files)
    return files


def parse_json(path: Path, name: str, content: bytes) -> Any:  # noqa: ANN401  # any JSON value
    """Return what a file of the bundle holds.

    Raises:
        BundleError: It is no JSON.
    """
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BundleError(f"{path}: {name} is not JSON ({error})") from error


def to_json(document: object) -> bytes:
    """Return a document in ASCII, so that a lone surrogate travels as its escape."""
    return (json.dumps(document, ensure_ascii=True, sort_keys=True) + "\n").encode()


def to_lines(documents: Iterable[object]) -> bytes:
    """Return documents as JSON lines."""
    return b"".join(to_json(document) for document in documents)


def _read_members(path: Path, archive: tarfile.TarFile) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    n_bytes = 0
    for member in archive:
        _check_member(path, member, files)
        n_bytes += member.size
        if n_bytes > MAX_BYTES:
            raise BundleError(f"{path}: more than {MAX_BYTES} bytes in all")
        content = archive.extractfile(member)
        if content is None:
            raise BundleError(f"{path}: {_shown(member.name)} has no content")
        files[member.name] = content.read(member.size)
    return files


def _check_member(path: Path, member: tarfile.TarInfo, files: Mapping[str, bytes]) -> None:
    name = _shown(member.name)
    if not (member.name in {HEAD, CHECKSUMS} or MEMBER.fullmatch(member.name)):
        raise BundleError(f"{path}: a bundle has no file {name}")
    if not member.isreg() or member.issparse():
        raise BundleError(f"{path}: {name} is a link, a device or sparse; allowed: plain files")
    if member.name in files:
        raise BundleError(f"{path}: {name} stands there twice")
    if member.size > MAX_MEMBER_BYTES:
        raise BundleError(f"{path}: {name} has {member.size} bytes, limit {MAX_MEMBER_BYTES}")
    if len(files) > MAX_RUNS * len(PARTS) + 1:
        raise BundleError(f"{path}: more than {MAX_RUNS} runs")


def _check_sums(path: Path, files: dict[str, bytes]) -> None:
    if CHECKSUMS not in files or HEAD not in files:
        missing = CHECKSUMS if CHECKSUMS not in files else HEAD
        raise BundleError(f"{path}: {missing} is missing; this is no bundle of polysense")
    checksums = parse_json(path, CHECKSUMS, files.pop(CHECKSUMS))
    if not isinstance(checksums, dict):
        raise BundleError(f"{path}: {CHECKSUMS} is no list of checksums")
    for name in sorted({*files, *map(str, checksums)}):
        if name not in files:
            raise BundleError(f"{path}: {_shown(name)} is missing from the archive")
        if hashlib.sha256(files[name]).hexdigest() != checksums.get(name):
            raise BundleError(f"{path}: {name} is not what was exported: its checksum differs")


def _shown(name: str) -> str:
    return ascii(name if len(name) <= 80 else name[:80] + "…")
