"""From the sample behind a score of two runs together to the draws of their difference.

The rows of both runs stand in one sample: a unit's name ends in `OF_A` or `OF_B`. So the columns of
both are the same, whatever the metric, and the two rows of a unit are redrawn and exchanged as one.
"""

from collections.abc import Sequence

import numpy as np

from metrics.statistics.draws import Draws, mean_of_draws
from metrics.statistics.intervals import ratio
from metrics.statistics.paired import (
    MAX_EXACT_UNITS,
    drawn_shifts,
    every_shift,
    mcnemar_exact,
)
from metrics.statistics.paired_correlation import ranked_draws
from metrics.statistics.recording import Averaged, Ranked, Sample, Statistic, Summed
from metrics.statistics.resampling import FloatArray, UnitTotals, resample_totals

OF_A, OF_B = "\x1dA", "\x1dB"


class Drawer:
    """Draws from samples; those over the same units are read from one draw."""

    def __init__(self, seed: int) -> None:
        """Start at a seed; every set of units gets one of its own, in the order they come."""
        self._seed = seed
        self._n_begun = 0
        self._latest: tuple[UnitTotals, PairedSums | None] | None = None
        self._by_sample: dict[int, tuple[Sample, Draws | None]] = {}

    def draws(self, sample: Sample) -> Draws | None:
        """Return the draws of a difference; None where the units of A and B cannot be told."""
        known = self._by_sample.get(id(sample))
        if known is None:
            known = sample, self._draw(sample)
            self._by_sample[id(sample)] = known
        return known[1]

    def _draw(self, sample: Sample) -> Draws | None:
        match sample:
            case Averaged():
                found = [self.draws(part) for part in sample.parts]
                parts = [draws for draws in found if draws is not None]
                whole = len(parts) == len(found) > 0
                return mean_of_draws(parts, self._next_seed()) if whole else None
            case Ranked():
                return self._ranked(sample)
            case Summed():
                sums = self._sums(sample)
                return None if sums is None else sums.draws(sample.statistic)

    def _next_seed(self) -> int:
        self._n_begun += 1
        return int(np.random.SeedSequence((self._seed, self._n_begun)).generate_state(1)[0])

    def _sums(self, sample: Summed) -> "PairedSums | None":
        if self._latest is None or self._latest[0] is not sample.units:
            pair = split_units(sample.units)
            seed = self._next_seed()
            sums = None if pair is None else PairedSums(*pair, seed, sample.n_resamples)
            self._latest = sample.units, sums
        return self._latest[1]

    def _ranked(self, sample: Ranked) -> Draws | None:
        names = _names(sample.names)
        if names is None or len(names) * 2 != len(sample.names):
            return None
        place = {name: at for at, name in enumerate(sample.names)}
        a = np.array([place[name + OF_A] for name in names], dtype=np.intp)
        b = np.array([place[name + OF_B] for name in names], dtype=np.intp)
        predictions = sample.predictions
        return ranked_draws(predictions[a], predictions[b], sample.golds[a], self._next_seed())


class PairedSums:
    """The column sums of two runs, with one set of resamples and exchanges for all statistics."""

    def __init__(self, a: UnitTotals, b: UnitTotals, seed: int, n: int) -> None:
        """Draw.

        Args:
            a: A's totals by unit.
            b: B's totals of the same units.
            seed: Where drawing starts.
            n: How many resamples, and how many exchanges where not every one is tried.
        """
        self._a, self._b = a, b
        self._width = a.totals.shape[1]
        both = UnitTotals(np.hstack([a.totals, b.totals]), a.strata)
        n_resamples = n if a.n_units > 1 else 0
        self._resampled = resample_totals(both, seed, n_resamples)
        moves = b.totals - a.totals
        moves = moves[np.any(moves != 0, axis=1)]
        self._is_exact = len(moves) <= MAX_EXACT_UNITS
        self._shifts = every_shift(moves) if self._is_exact else drawn_shifts(moves, seed, n)

    def draws(self, statistic: Statistic) -> Draws:
        """Return the draws of one statistic's difference."""
        sum_a = self._a.totals.sum(axis=0, keepdims=True)
        sum_b = self._b.totals.sum(axis=0, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            return Draws(
                first=float(statistic(sum_a)[0]),
                second=float(statistic(sum_b)[0]),
                resampled=statistic(self._resampled[:, self._width :])
                - statistic(self._resampled[:, : self._width]),
                exchanged=statistic(sum_b - self._shifts) - statistic(sum_a + self._shifts),
                is_exact=self._is_exact,
                strata=self._a.strata,
                mcnemar=self._mcnemar() if statistic is ratio else None,
            )

    def _mcnemar(self) -> float | None:
        """Return McNemar's p-value where every unit is one item, right or wrong."""
        a, b = self._a.totals, self._b.totals
        is_single = bool((a[:, 1] == 1).all() and (b[:, 1] == 1).all())
        if not is_single or not np.isin(np.append(a[:, 0], b[:, 0]), (0.0, 1.0)).all():
            return None
        n_only_a = int(np.count_nonzero(a[:, 0] > b[:, 0]))
        return mcnemar_exact(n_only_a, int(np.count_nonzero(b[:, 0] > a[:, 0])))


def split_units(units: UnitTotals) -> tuple[UnitTotals, UnitTotals] | None:
    """Return A's and B's totals over the same units; one that a side lacks has zeros there.

    Returns:
        None where a unit says neither A nor B.
    """
    names = _names(units.names)
    if names is None or len(units.names) != units.n_units:
        return None
    place = {name: at for at, name in enumerate(units.names)}
    strata = tuple(
        "\x1f".join(
            sorted(
                {
                    part
                    for mark in (OF_A, OF_B)
                    if (at := place.get(name + mark)) is not None
                    for part in units.strata[at].split("\x1f")
                }
            )
        )
        for name in names
    )
    return (
        UnitTotals(_rows(units, place, names, OF_A), strata, names),
        UnitTotals(_rows(units, place, names, OF_B), strata, names),
    )


def _rows(units: UnitTotals, place: dict[str, int], names: Sequence[str], mark: str) -> FloatArray:
    padded = np.vstack([units.totals, np.zeros((1, units.totals.shape[1]))])
    return np.asarray(padded[[place.get(name + mark, units.n_units) for name in names]])


def _names(names: Sequence[str]) -> tuple[str, ...] | None:
    """Return the units' names without their marks, sorted; None where one has no mark."""
    if not all(name.endswith((OF_A, OF_B)) for name in names):
        return None
    return tuple(sorted({name[: -len(OF_A)] for name in names}))
