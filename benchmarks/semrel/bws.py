"""What did annotators say about tuples of four pairs? Reading and scoring Best-Worst Scaling files.

A row holds four pairs and which of them is the most and the least related; a pair is a cell with a
Python list of two sentences. Scores by counting: Louviere et al. 2015; Kiritchenko & Mohammad 2017
(arXiv:1712.01765); used so by Ousidhoum et al. 2024 (arXiv:2402.08638).
"""

import ast
import csv
import re
import unicodedata
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.errors import DataError

PairKey = tuple[str, str]
"""What two spellings of a pair have in common."""

MAX_CELL = 20_000
"""Characters; a longer cell is not two sentences."""
BETWEEN = re.compile(r"""['"]\s*,\s*['"]""")
EDGES = re.compile(r"""^\s*\[\s*['"]|['"]\s*\][^\]]*$""")
"""A bracket and a quote at either end, and what stands after the last bracket."""
ITEM = re.compile(r"(pair?|item|text)\D*[1-4]$", re.IGNORECASE)
BEST, WORST = re.compile("best|most", re.IGNORECASE), re.compile("worst|least", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Annotation:
    """One person's verdict on one tuple."""

    pairs: tuple[PairKey, ...]
    """Four, as the row orders them."""
    best: PairKey
    worst: PairKey

    @property
    def tuple_key(self) -> tuple[PairKey, ...]:
        """What annotations of the same set of four pairs share."""
        return tuple(sorted(self.pairs))


@dataclass(frozen=True, slots=True)
class BwsFile:
    """Everything a file says."""

    annotations: Sequence[Annotation]
    text_by_pair: Mapping[PairKey, str]
    """How a pair was first spelled: its sentences joined by a line break."""
    dropped: Mapping[str, int]
    """Rows left out, by reason."""
    n_headers: int
    """Header rows in the middle of the file."""


def read_bws(path: Path) -> BwsFile:
    """Read one file of annotated tuples.

    Raises:
        DataError: The file is missing, empty, or its header names no four pairs, best and worst.
    """
    rows = _rows(path)
    columns = _columns(rows[0], path)
    annotations: list[Annotation] = []
    texts: dict[PairKey, str] = {}
    dropped: Counter[str] = Counter()
    n_headers = 0
    for row in rows[1:]:
        cells = [row[index] if index < len(row) else "" for index in columns]
        if _is_header(cells):
            n_headers += 1
            continue
        sentences = [read_pair(cell) for cell in cells[:4]]
        found = _annotation(sentences, _index(cells[4]), _index(cells[5]))
        if isinstance(found, str):
            dropped[found] += 1
            continue
        annotations.append(found)
        for key, pair in zip(found.pairs, sentences, strict=True):
            if pair is not None:
                texts.setdefault(key, "\n".join(pair))
    return BwsFile(annotations, texts, dict(dropped), n_headers)


def read_pair(cell: str) -> tuple[str, str] | None:
    """Read a cell with a list of two sentences; None where even its repair fails.

    Where the list is not valid Python (an apostrophe, a character after the bracket), it is split
    at the quote-comma-quote in its middle.
    """
    if len(cell) > MAX_CELL:
        return None
    for value in (_literal(cell), BETWEEN.split(EDGES.sub("", cell))):
        if isinstance(value, list) and len(value) == 2:
            first, second = value
            if isinstance(first, str) and isinstance(second, str):
                return first, second
    return None


def _literal(cell: str) -> object:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            warnings.simplefilter("ignore", DeprecationWarning)
            return ast.literal_eval(cell.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None


def pair_key(pair: tuple[str, str]) -> PairKey:
    """Return each sentence's letters, marks and digits after NFKC, in the order of the pair."""
    return _plain(pair[0]), _plain(pair[1])


def pair_scores(annotations: Sequence[Annotation]) -> dict[PairKey, float]:
    """Score each pair by how often it was best less how often it was worst.

    Returns:
        ((best - worst) / n + 1) / 2, in [0, 1], not rounded; n = annotations that show the pair.

    Source: Ousidhoum et al. 2024, section 3.4; rescaled from [-1, 1] as in the released files.
    """
    n_seen: Counter[PairKey] = Counter()
    balance: Counter[PairKey] = Counter()
    for annotation in annotations:
        n_seen.update(dict.fromkeys(annotation.pairs, 1))  # once each, in their order
        balance[annotation.best] += 1
        balance[annotation.worst] -= 1
    return {key: (balance[key] / n + 1) / 2 for key, n in n_seen.items()}


def _plain(text: str) -> str:
    normal = unicodedata.normalize("NFKC", text)
    return "".join(char for char in normal if unicodedata.category(char)[0] in "LMN")


def _annotation(
    sentences: Sequence[tuple[str, str] | None], best: int | None, worst: int | None
) -> Annotation | str:
    """Return the annotation, or why there is none."""
    if best is None or worst is None:
        return "best or worst is not one of 1 to 4"
    if best == worst:
        return "best and worst are the same"
    keys = [pair_key(pair) for pair in sentences if pair is not None]
    if len(keys) < len(sentences):
        return "a cell is not a list of two sentences"
    return Annotation(tuple(keys), keys[best - 1], keys[worst - 1])


def _index(cell: str) -> int | None:
    met = re.fullmatch(r"\s*([1-4])(?:\.0*)?\s*", cell)
    return int(met.group(1)) if met else None


def _is_header(cells: Sequence[str]) -> bool:
    """Return whether a row in the middle repeats the header, in whatever words."""
    return not any(cell.lstrip().startswith("[") for cell in cells[:4]) and not any(
        any(char.isdigit() for char in cell) for cell in cells[4:]
    )


def _rows(path: Path) -> list[list[str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file) if any(cell.strip() for cell in row)]
    except (csv.Error, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read as CSV in UTF-8: {error}") from error
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from error
    if not rows:
        raise DataError(f"{path}: the file is empty")
    return rows


def _columns(header: Sequence[str], path: Path) -> list[int]:
    """Return where the four pairs, the best and the worst stand."""
    names = [name.strip() for name in header]
    items = [index for index, name in enumerate(names) if ITEM.search(name)]
    best = [index for index, name in enumerate(names) if BEST.search(name)]
    worst = [index for index, name in enumerate(names) if WORST.search(name)]
    if (len(items), len(best), len(worst)) != (4, 1, 1):
        raise DataError(
            f"{path}:1: four pairs, a best (most) and a worst (least) column belong in the header;"
            f" there are {', '.join(names)}"
        )
    return [*items, *best, *worst]
