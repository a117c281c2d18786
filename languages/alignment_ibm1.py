"""Align words without a model: IBM model 1 in both directions, and what both agree on.

Everything is done on flat arrays of word pairs. The table of probabilities has one entry for each
pair of words that ever share a sentence pair; both directions use the same table and go through the
corpus together, chunk by chunk.

Source: Brown et al. 1993 (Computational Linguistics 19), model 1; Och & Ney 2003 (ibid. 29), the
intersection of both directions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SentencePair = tuple[Sequence[str], Sequence[str]]
"""The words of a sentence and of its translation."""
Links = list[tuple[int, int]]
"""Places (source word, target word) that are translations of each other, sorted."""

IntArray = NDArray[np.int32]
FloatArray = NDArray[np.float64]

MAX_CELLS = 2_000_000
"""How many word pairs are worked on at once."""
MAX_WORDS = 100
"""A sentence with more words is not aligned; its links are empty."""


@dataclass(frozen=True)
class _Chunk:
    """Some sentence pairs, every source word beside every target word, target by target."""

    sentences: NDArray[np.int64]
    """Which sentence pairs of the corpus."""
    source_words: IntArray
    target_words: IntArray
    """Word numbers, sentence after sentence."""
    n_source: NDArray[np.int64]
    n_target: NDArray[np.int64]
    """Words a sentence."""

    def cells(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the source and the target place of every cell, as places in this chunk."""
        width = np.repeat(self.n_source, self.n_target)
        target = np.repeat(np.arange(len(self.target_words)), width)
        first_source = np.repeat(np.cumsum(self.n_source) - self.n_source, self.n_target)
        first_cell = np.cumsum(width) - width
        source = np.arange(len(target)) + np.repeat(first_source - first_cell, width)
        return source, target


@dataclass
class _Table:
    """Both translation probabilities of every pair of words that ever meet."""

    keys: NDArray[np.int64]
    """source · n_target_words + target, sorted."""
    source_of: IntArray
    target_of: IntArray
    forward: FloatArray
    """p(target | source)."""
    backward: FloatArray
    """p(source | target)."""
    null_forward: FloatArray
    """p(target | no word), one a target word."""
    null_backward: FloatArray
    """p(source | no word), one a source word."""


def align_ibm1(pairs: Sequence[SentencePair], n_iterations: int = 5) -> list[Links]:
    """Return the links of every sentence pair on which both directions agree.

    Each word picks its likeliest partner, or none; among equally likely ones the place nearest to
    the diagonal, then the first. Takes memory for 4 bytes a word pair of the corpus and about 50
    for each pair of different words that meet.

    Args:
        pairs: Words as they should be counted: lemmas align better than surfaces.
        n_iterations: Rounds of expectation and maximisation.
    """
    found: list[Links] = [[] for _ in pairs]
    chunks = list(_chunks(pairs))
    if not chunks:
        return found
    n_target_words = max(int(chunk.target_words.max()) for chunk in chunks) + 1
    table = _empty_table(chunks, n_target_words)
    places = [_table_places(chunk, table, n_target_words) for chunk in chunks]
    for _ in range(n_iterations):
        _improve(chunks, places, table)
    for chunk, place in zip(chunks, places, strict=True):
        for sentence, source, target in _agreed(chunk, place, table):
            found[sentence].append((source, target))
    return found


def _chunks(pairs: Sequence[SentencePair]) -> Iterator[_Chunk]:
    number_by_source: dict[str, int] = {}
    number_by_target: dict[str, int] = {}
    held: list[int] = []
    sources: list[list[int]] = []
    targets: list[list[int]] = []
    n_cells = 0
    for at, (source, target) in enumerate(pairs):
        if not (0 < len(source) <= MAX_WORDS and 0 < len(target) <= MAX_WORDS):
            continue
        held.append(at)
        sources.append([number_by_source.setdefault(w, len(number_by_source)) for w in source])
        targets.append([number_by_target.setdefault(w, len(number_by_target)) for w in target])
        n_cells += len(source) * len(target)
        if n_cells >= MAX_CELLS:
            yield _chunk(held, sources, targets)
            held, sources, targets, n_cells = [], [], [], 0
    if held:
        yield _chunk(held, sources, targets)


def _chunk(held: list[int], sources: list[list[int]], targets: list[list[int]]) -> _Chunk:
    return _Chunk(
        np.array(held),
        np.array([word for words in sources for word in words], np.int32),
        np.array([word for words in targets for word in words], np.int32),
        np.array([len(words) for words in sources]),
        np.array([len(words) for words in targets]),
    )


def _keys(chunk: _Chunk, n_target_words: int) -> NDArray[np.int64]:
    source, target = chunk.cells()
    return chunk.source_words[source].astype(np.int64) * n_target_words + chunk.target_words[target]


def _empty_table(chunks: Sequence[_Chunk], n_target_words: int) -> _Table:
    """Return the table in which every translation is as likely as any other."""
    keys = np.empty(0, np.int64)
    for chunk in chunks:
        keys = np.union1d(keys, _keys(chunk, n_target_words))
    source_of, target_of = np.divmod(keys, n_target_words)
    return _Table(
        keys,
        source_of.astype(np.int32),
        target_of.astype(np.int32),
        np.ones(len(keys)),
        np.ones(len(keys)),
        np.ones(n_target_words),
        np.ones(int(source_of.max()) + 1),
    )


def _table_places(chunk: _Chunk, table: _Table, n_target_words: int) -> IntArray:
    return np.searchsorted(table.keys, _keys(chunk, n_target_words)).astype(np.int32)


def _improve(chunks: Sequence[_Chunk], places: Sequence[IntArray], table: _Table) -> None:
    """Replace the probabilities by the expected shares under them."""
    forward, backward = np.zeros_like(table.forward), np.zeros_like(table.backward)
    null_forward = np.zeros_like(table.null_forward)
    null_backward = np.zeros_like(table.null_backward)
    for chunk, place in zip(chunks, places, strict=True):
        source, target = chunk.cells()
        _expect(table.forward[place], target, table.null_forward, chunk.target_words).add_to(
            forward, place, null_forward
        )
        _expect(table.backward[place], source, table.null_backward, chunk.source_words).add_to(
            backward, place, null_backward
        )
    table.forward = forward / np.bincount(table.source_of, forward)[table.source_of]
    table.backward = backward / np.bincount(table.target_of, backward)[table.target_of]
    table.null_forward = null_forward / null_forward.sum()
    table.null_backward = null_backward / null_backward.sum()


@dataclass(frozen=True)
class _Expected:
    """How often, in expectation, each cell's words and each word and none were linked."""

    shares: FloatArray
    null_shares: FloatArray
    words: IntArray

    def add_to(self, counts: FloatArray, place: IntArray, null_counts: FloatArray) -> None:
        np.add.at(counts, place, self.shares)
        np.add.at(null_counts, self.words, self.null_shares)


def _expect(
    likelihood: FloatArray, explained: NDArray[np.int64], null: FloatArray, words: IntArray
) -> _Expected:
    """Share each explained word out among the words that may explain it, and none.

    Args:
        likelihood: Of each cell.
        explained: Each cell's place of the word that is explained.
        null: Of each word, if nothing explains it.
        words: The word at each place.
    """
    null_likelihood = null[words]
    total = np.bincount(explained, likelihood, len(words)) + null_likelihood
    return _Expected(likelihood / total[explained], null_likelihood / total, words)


def _agreed(chunk: _Chunk, place: IntArray, table: _Table) -> Iterator[tuple[int, int, int]]:
    """Yield (sentence, source, target) of the cells that both directions pick, in order."""
    source, target = chunk.cells()
    sentence = np.repeat(np.arange(len(chunk.n_target)), chunk.n_target)[target]
    in_source = source - (np.cumsum(chunk.n_source) - chunk.n_source)[sentence]
    in_target = target - (np.cumsum(chunk.n_target) - chunk.n_target)[sentence]
    slant = np.abs(
        (in_source + 0.5) / chunk.n_source[sentence] - (in_target + 0.5) / chunk.n_target[sentence]
    )
    null_target = table.null_forward[chunk.target_words]
    null_source = table.null_backward[chunk.source_words]
    is_picked = _picked(table.forward[place], target, slant, null_target)
    is_picked &= _picked(table.backward[place], source, slant, null_source)
    cells = np.flatnonzero(is_picked)
    order = np.lexsort((in_target[cells], in_source[cells], sentence[cells]))
    chosen = cells[order]
    yield from zip(
        chunk.sentences[sentence[chosen]].tolist(),
        in_source[chosen].tolist(),
        in_target[chosen].tolist(),
        strict=True,
    )


def _picked(
    likelihood: FloatArray, explained: NDArray[np.int64], slant: FloatArray, null: FloatArray
) -> NDArray[np.bool_]:
    """Mark, for every explained place, its likeliest cell, unless none is likelier still."""
    best = np.zeros(len(null))
    np.maximum.at(best, explained, likelihood)
    is_best = (likelihood == best[explained]) & (best >= null)[explained]
    least = np.full(len(null), np.inf)
    np.minimum.at(least, explained[is_best], slant[is_best])
    cells = np.flatnonzero(is_best & (slant == least[explained]))
    _, first = np.unique(explained[cells], return_index=True)
    picked = np.zeros(len(likelihood), np.bool_)
    picked[cells[first]] = True
    return picked
