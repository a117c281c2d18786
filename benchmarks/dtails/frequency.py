"""The frequency baseline: always the variation that is the label most often."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.dtails.data import EXPERT, TRAIN, Row, read_rows

FILES_BY_SOURCE: Mapping[str, tuple[str, ...]] = {
    "expert": (EXPERT,),
    "train": (TRAIN,),
    "train+expert": (TRAIN, EXPERT),
}


def counted_files(folder: Path, source: str) -> tuple[Path, ...]:
    """Return the files of a language whose labels are counted."""
    return tuple(folder / name for name in FILES_BY_SOURCE[source])


def count_labels(rows: Iterable[Row]) -> dict[str, Counter[str]]:
    """Return how often each label stands, by concept."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        counts.setdefault(row.concept, Counter())[row.label] += 1
    return counts


def read_label_counts(folder: Path, source: str) -> dict[str, Counter[str]]:
    """Count the labels of a language's files, whole.

    Raises:
        DataError: A file is missing or cannot be read.
    """
    return count_labels(row for path in counted_files(folder, source) for row in read_rows(path))


def most_frequent(variations: Sequence[str], counts: Mapping[str, int]) -> str:
    """Return the variation counted most often; the first in the list wins a tie.

    Source: Barua et al. 2024 (DTAiLS), frequency baseline; the tie rule is ours.
    """
    return max(variations, key=lambda variation: counts.get(variation, 0))
