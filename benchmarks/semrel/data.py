"""Which file holds a language's pairs, and what does a row of it say?

The released layout is `Track A|B|C/<language>/<language>_<split>[_with_labels].csv`. Header names
differ in case, columns in order; the two sentences of `Text` are joined by a line break or a TAB.
"""

import csv
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.errors import DataError, UnknownNameError

TRACKS = ("A", "B", "C")
TRACK_A_ONLY = ("mar", "tel")
"""Scored on Track A's files in every track (Ousidhoum et al. 2024, section 5)."""
WITHOUT_TEST_LABELS = ("esp",)
"""Their test labels were never released: the labelled dev split stands in for the test split."""
SEPARATORS = ("\n", "\t", "\\n")
"""What joins the two sentences, in the order tried; the last is written out."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences and how related people found them."""

    id: str
    """Its PairID; a repetition in the same file gets `#2`, `#3`, …"""
    text_a: str
    text_b: str
    gold: float | None
    """In [0, 1]; None where the file has no score."""
    line: int
    """1-based."""


def track_folders(folder: Path, track: str | None = None) -> list[Path]:
    """Return the folders of tracks, in the order in which they are asked for a language.

    Raises:
        DataError: The folder is missing or has no track.
    """
    if not folder.is_dir():
        raise DataError(f"no data folder at {folder}")
    wanted = TRACKS if track is None else (track,)
    found = [path for name in wanted if (path := folder / f"Track {name}").is_dir()]
    if not found:
        names = ", ".join(f"'Track {name}'" for name in wanted)
        raise DataError(f"{folder} has none of the folders {names}")
    return found


def file_of(folder: Path, language: str, split: str, track: str | None = None) -> Path | None:
    """Return the labelled file of a language's split, or None where there is none."""
    if track in ("B", "C") and language in TRACK_A_ONLY and (folder / "Track A").is_dir():
        track = "A"
    names = [f"{language}_{split}_with_labels.csv"]
    if split == "train":
        names.append(f"{language}_train.csv")
    candidates = (path / language / name for path in track_folders(folder, track) for name in names)
    return next((path for path in candidates if path.is_file()), None)


def scored_split(language: str, split: str) -> str:
    """Return the split that is scored when `split` is asked for."""
    return "dev" if split == "test" and language in WITHOUT_TEST_LABELS else split


def labelled_files(folder: Path, split: str, track: str | None = None) -> dict[str, Path]:
    """Return the file of every language that has the split with labels, by language in order."""
    tracks = track_folders(folder, track)
    if track in ("B", "C") and (folder / "Track A").is_dir():
        tracks = [*tracks, folder / "Track A"]
    names = {path.name for root in tracks for path in root.iterdir() if path.is_dir()}
    found = {
        name: path
        for name in sorted(names)
        if (path := file_of(folder, name, scored_split(name, split), track)) is not None
    }
    if not found:
        raise DataError(f"{folder} has no language with a labelled {split} file")
    return found


def chosen_files(files: Mapping[str, Path], languages: Sequence[str]) -> dict[str, Path]:
    """Return the files of the languages asked for; of all of them if none is.

    Raises:
        UnknownNameError: A language has no such file.
    """
    for language in languages:
        if language not in files:
            raise UnknownNameError(
                f"language {language!r} is not in the data; allowed: {', '.join(files)}"
            )
    return {name: files[name] for name in files if not languages or name in languages}


def read_pairs(path: Path) -> Iterator[Pair]:
    """Read one file, row by row; blank rows are passed over.

    Raises:
        DataError: The file is empty, lacks a column, or a row cannot be read.
    """
    seen: Counter[str] = Counter()
    for line, row in _rows(path):
        name = row["pairid"].strip()
        if not name:
            raise DataError(f"{path}:{line}: the PairID is empty")
        seen[name] += 1
        number = seen[name]
        text_a, text_b = _sentences(row["text"], f"{path}:{line}")
        gold = _gold(row.get("score", ""), f"{path}:{line}")
        yield Pair(name if number == 1 else f"{name}#{number}", text_a, text_b, gold, line)


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    n_rows = 0
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file)
            header = _header(next(reader, []), path)
            line = reader.line_num + 1
            for cells in reader:
                if any(cell.strip() for cell in cells):
                    n_rows += 1
                    yield line, _named(cells, header, f"{path}:{line}")
                line = reader.line_num + 1
    except (csv.Error, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read as CSV in UTF-8: {error}") from error
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from error
    if not n_rows:
        raise DataError(f"{path}: the file has a header and no row")


def _header(cells: Sequence[str], path: Path) -> list[str]:
    header = [cell.strip().lower() for cell in cells]
    if not any(header):
        raise DataError(f"{path}: the file is empty")
    wanted = ["PairID", "Text"]
    if path.stem.endswith(("_with_labels", "_train")):
        wanted.append("Score")
    missing = [name for name in wanted if name.lower() not in header]
    if missing:
        raise DataError(f"{path}:1: no column {', '.join(missing)}; there are {', '.join(cells)}")
    return header


def _named(cells: Sequence[str], header: Sequence[str], place: str) -> dict[str, str]:
    if len(cells) != len(header):
        raise DataError(f"{place}: {len(cells)} columns, but the header has {len(header)}")
    return dict(zip(header, cells, strict=True))


def _sentences(text: str, place: str) -> tuple[str, str]:
    plain = text.replace("\r\n", "\n").strip("\n\t")
    for separator in SEPARATORS:
        first, met, second = plain.partition(separator)
        if met:
            return first, second.lstrip("\n\t")
    raise DataError(f"{place}: Text holds one sentence; two joined by a line break or TAB belong")


def _gold(cell: str, place: str) -> float | None:
    if not cell.strip():
        return None
    try:
        gold = float(cell)
    except ValueError as error:
        raise DataError(f"{place}: the score {cell!r} is not a number") from error
    if not math.isfinite(gold):
        raise DataError(f"{place}: the score {cell!r} is not a finite number")
    return gold
