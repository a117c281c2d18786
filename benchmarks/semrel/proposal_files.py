"""What does the pair proposer read? A corpus, and files of paraphrases or of similar sentences.

Source: Ousidhoum et al. 2024 (arXiv:2402.08638), section 3.2.
"""

import random
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.errors import DataError
from benchmarks.semrel.proposer import Lengths, Proposal, spread_evenly

PARAPHRASE, SIMILARITY = "paraphrase", "similarity"
"""What proposals from files are called."""


def read_proposals(path: Path, method: str, lengths: Lengths | None = None) -> Iterator[Proposal]:
    """Read pairs from a file of paraphrases, or of sentences with a similarity.

    Args:
        path: TAB-separated: two sentences, and for similarities a number in [0, 1].
        method: What the proposals are called: paraphrase, similarity.
        lengths: Words a sentence may have.

    Raises:
        DataError: A line does not hold two sentences, or its number is none.
    """
    limits = lengths or Lengths()
    for line, text in enumerate(_lines(path), start=1):
        if not text.strip():
            continue
        cells = [cell.strip() for cell in text.split("\t")]
        if not 2 <= len(cells) <= 3:
            raise DataError(f"{path}:{line}: {len(cells)} columns; two sentences belong there")
        value = _similarity(cells[2], f"{path}:{line}") if len(cells) == 3 else None
        if method == SIMILARITY and value is None:
            raise DataError(f"{path}:{line}: no third column; a similarity in [0, 1] is needed")
        if cells[0] != cells[1] and limits.hold(cells[0]) and limits.hold(cells[1]):
            yield Proposal(cells[0], cells[1], method, value)


def draw_proposals(proposals: Iterable[Proposal], n: int, seed: int, method: str) -> list[Proposal]:
    """Draw at most n proposals of a file, spread evenly over their similarities."""
    return spread_evenly(proposals, n, random.Random(f"{seed}:{method}"))


def read_sentences(path: Path) -> list[str]:
    """Read a corpus, a sentence a line in the order of the text; blank lines end documents.

    Raises:
        DataError: It cannot be read, is not UTF-8, or holds no sentence.
    """
    sentences = [line.strip() for line in _lines(path)]
    if not any(sentences):
        raise DataError(f"{path}: no sentence; one a line is expected")
    return sentences


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 (byte {error.start})") from error
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from error


def _similarity(cell: str, place: str) -> float:
    try:
        value = float(cell)
    except ValueError as error:
        raise DataError(f"{place}: the similarity {cell!r} is not a number") from error
    if not 0 <= value <= 1:
        raise DataError(f"{place}: the similarity {cell!r} is not in [0, 1]")
    return value
