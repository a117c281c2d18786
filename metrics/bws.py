"""How reliable are Best-Worst annotations, and where do annotators disagree?

Paper: Ousidhoum et al. 2024 (arXiv:2402.08638), section 3.4.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.semrel.bws import Annotation, PairKey, pair_scores, read_bws
from metrics.statistics.correlation import spearman

N_REPETITIONS = 1_000
MAX_CELLS = 4_000_000
"""How many shuffled annotations are held at once."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """How often two annotators of the same tuple differ."""

    n: int
    """Annotations."""
    best: float | None
    """Share of annotator pairs that chose different bests; None with one annotation."""
    worst: float | None


def bws_report(path: Path, seed: int = 0) -> dict[str, Any]:
    """Score a file of annotated tuples and say how far its scores can be trusted.

    Returns:
        n_pairs, n_dropped (rows, and `dropped` by reason), n_annotations, n_tuples,
        split_half_reliability (None where it is undefined), scores by pair with 2 decimals.

    Raises:
        DataError: The file cannot be read.
    """
    file = read_bws(path)
    scores = pair_scores(file.annotations)
    return {
        "n_pairs": len(scores),
        "n_dropped": sum(file.dropped.values()),
        "dropped": dict(file.dropped),
        "n_annotations": len(file.annotations),
        "n_tuples": len({annotation.tuple_key for annotation in file.annotations}),
        "split_half_reliability": split_half_reliability(file.annotations, seed),
        "scores": {file.text_by_pair[key]: round(score, 2) for key, score in scores.items()},
    }


def split_half_reliability(
    annotations: Sequence[Annotation], seed: int, n_repetitions: int = N_REPETITIONS
) -> float | None:
    """Correlate the scores from two random halves of each tuple's annotations.

    An odd annotation goes to a random half; tuples with one annotation are left out; Spearman over
    the pairs that both halves hold, averaged over repetitions without Spearman-Brown correction.

    Returns:
        In [-1, 1]; None where no repetition has a correlation.

    Source: Kiritchenko & Mohammad 2017 (arXiv:1712.01765), section 4.
    """
    table = _Table.of(annotations)
    if table is None:
        return None
    generator = np.random.default_rng(seed)
    step = max(1, MAX_CELLS // table.n_rows)
    found: list[float] = []
    for at in range(0, n_repetitions, step):
        halves = table.first_halves(min(step, n_repetitions - at), generator)
        found += [rho for half in halves if (rho := table.correlation(half)) is not None]
    return float(np.mean(found)) if found else None


def tuple_disagreements(
    annotations: Sequence[Annotation],
) -> dict[tuple[PairKey, ...], Disagreement]:
    """Return for each tuple how often its annotators differ."""
    bests: dict[tuple[PairKey, ...], Counter[PairKey]] = defaultdict(Counter)
    worsts: dict[tuple[PairKey, ...], Counter[PairKey]] = defaultdict(Counter)
    for annotation in annotations:
        bests[annotation.tuple_key][annotation.best] += 1
        worsts[annotation.tuple_key][annotation.worst] += 1
    return {
        key: Disagreement(best.total(), _differing(best), _differing(worsts[key]))
        for key, best in bests.items()
    }


def pair_disagreements(annotations: Sequence[Annotation]) -> dict[PairKey, Disagreement]:
    """Return for each pair how often two annotators of a tuple differ on *it*.

    Annotator pairs are counted within tuples and summed over the tuples that hold the pair.
    """
    by_tuple: dict[tuple[PairKey, ...], list[Annotation]] = defaultdict(list)
    for annotation in annotations:
        by_tuple[annotation.tuple_key].append(annotation)
    sums: dict[PairKey, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for keys, verdicts in by_tuple.items():
        n = len(verdicts)
        for key in set(keys):
            n_best = sum(verdict.best == key for verdict in verdicts)
            n_worst = sum(verdict.worst == key for verdict in verdicts)
            counts = (n, n * (n - 1) // 2, n_best * (n - n_best), n_worst * (n - n_worst))
            sums[key] = [total + count for total, count in zip(sums[key], counts, strict=True)]
    return {
        key: Disagreement(n, *(differ / asked if asked else None for differ in (best, worst)))
        for key, (n, asked, best, worst) in sums.items()
    }


def _differing(choices: Counter[PairKey]) -> float | None:
    n = choices.total()
    if n < 2:
        return None
    same = sum(count * (count - 1) for count in choices.values())
    return 1 - same / (n * (n - 1))


@dataclass(frozen=True, slots=True)
class _Table:
    """Annotations as numbers, those of one tuple side by side."""

    tuples: NDArray[np.intp]
    """Which tuple each row annotates, in rising order."""
    places: NDArray[np.intp]
    """The row's 0-based place among its tuple's."""
    sizes: NDArray[np.intp]
    """How many rows the row's tuple has."""
    members: NDArray[np.intp]
    """Shape (n_rows, 4): the pairs' numbers; a pair that stands twice in a tuple counts once."""
    best: NDArray[np.intp]
    worst: NDArray[np.intp]
    n_pairs: int
    totals: NDArray[np.float64]
    """Shape (2, n_pairs): best less worst, and n, of all rows."""

    @property
    def n_rows(self) -> int:
        return len(self.tuples)

    @classmethod
    def of(cls, annotations: Sequence[Annotation]) -> "_Table | None":
        sizes = Counter(annotation.tuple_key for annotation in annotations)
        kept = sorted(
            (row for row in annotations if sizes[row.tuple_key] > 1),
            key=lambda row: (row.tuple_key, row.best, row.worst),
        )
        if not kept:
            return None
        pairs = {key: n for n, key in enumerate(sorted({k for row in kept for k in row.pairs}))}
        keys = [row.tuple_key for row in kept]
        starts = {key: place for place, key in reversed(list(enumerate(keys)))}
        n_pairs = len(pairs)
        members = [_numbers(row, pairs, spare=n_pairs) for row in kept]
        table = cls(
            tuples=np.array([starts[key] for key in keys]),
            places=np.array([place - starts[key] for place, key in enumerate(keys)]),
            sizes=np.array([sizes[key] for key in keys]),
            members=np.array(members),
            best=np.array([pairs[row.best] for row in kept]),
            worst=np.array([pairs[row.worst] for row in kept]),
            n_pairs=n_pairs,
            totals=np.zeros((2, n_pairs)),
        )
        table.totals[:] = table.counts(np.ones(len(kept), dtype=bool))
        return table

    def first_halves(self, n: int, generator: np.random.Generator) -> NDArray[np.bool_]:
        """Draw n times which rows form the first half; shape (n, n_rows)."""
        keys = self.tuples + generator.random((n, self.n_rows))
        order = np.argsort(keys, axis=1)
        odd = generator.random((n, self.n_rows)) < 0.5
        coin = np.take_along_axis(odd, self.tuples[None, :].repeat(n, axis=0), axis=1)
        in_first = self.places < self.sizes // 2 + (self.sizes % 2) * coin
        drawn = np.empty((n, self.n_rows), dtype=bool)
        np.put_along_axis(drawn, order, in_first, axis=1)
        return drawn

    def counts(self, chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return best less worst, and n, of each pair over the chosen rows."""
        best = np.bincount(self.best[chosen], minlength=self.n_pairs)
        worst = np.bincount(self.worst[chosen], minlength=self.n_pairs)
        seen = np.bincount(self.members[chosen].ravel(), minlength=self.n_pairs + 1)
        return np.stack([best - worst, seen[: self.n_pairs]]).astype(np.float64)

    def correlation(self, chosen: NDArray[np.bool_]) -> float | None:
        """Correlate the scores from the chosen rows with those from the others."""
        first = self.counts(chosen)
        second = self.totals - first
        both = (first[1] > 0) & (second[1] > 0)
        if both.sum() < 2:
            return None
        return spearman(first[0, both] / first[1, both], second[0, both] / second[1, both])


def _numbers(row: Annotation, pairs: dict[PairKey, int], spare: int) -> list[int]:
    numbers = [pairs[key] for key in dict.fromkeys(row.pairs)]
    return numbers + [spare] * (4 - len(numbers))
