"""How often is each unit drawn? Stratified resamples of unit totals; the rows are read only once.

A statistic that depends on the rows only through sums (a mean, a ratio, a mean of ratios) depends
on a resample only through its column sums. Units with equal totals are exchangeable, so a resample
is one multinomial draw over the *distinct* totals of a stratum: 10,000 resamples of 100,000 yes/no
outcomes cost a few hundred multinomials, not a thousand million draws.

Source: Efron & Tibshirani 1993 (An Introduction to the Bootstrap), chapters 6 and 8; Davison &
Hinkley 1997, section 3.8 (clusters are resampled whole).
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

MAX_CELLS = 2_000_000
"""How many drawn cells are held at once."""

FEW_COLUMNS = 4
"""Up to here, adding what was drawn column by column is quicker than counting it first."""
MANY_COLUMNS = 1_000
"""From here on no two units are alike, and looking for those that are would cost the most."""
CELLS_PER_DRAW = 10
"""A multinomial cell costs about as much as this many plain draws."""


@dataclass(frozen=True, slots=True)
class UnitTotals:
    """The rows of an experiment summed up by sampling unit."""

    totals: FloatArray
    """Shape (n_units, n_columns)."""
    strata: tuple[str, ...]
    """One a unit."""
    names: tuple[str, ...] = ()
    """One a unit; empty where nobody needs to tell them apart."""

    @property
    def n_units(self) -> int:
        """How many units there are."""
        return len(self.strata)


def sum_by_unit(columns: ArrayLike, units: Sequence[str], strata: Sequence[str]) -> UnitTotals:
    """Sum rows by unit.

    A unit whose rows stand in several strata (a group with one row of each type) is still one unit;
    it forms a stratum with the units that stand in exactly the same ones. Units that merely share a
    name (one lemma in two languages) must be told apart by the caller.

    Args:
        columns: Shape (n_rows, n_columns).
        units: One a row.
        strata: One a row.

    Raises:
        ValueError: The lengths differ.
    """
    table = np.asarray(columns, dtype=np.float64)
    if not len(table) == len(units) == len(strata):
        raise ValueError(f"{len(table)} rows, {len(units)} units, {len(strata)} strata: not equal")
    numbers, names, strata_of_units = number_units(units, strata)
    totals = np.zeros((len(names), table.shape[1] if table.ndim == 2 else 0))
    np.add.at(totals, numbers, table)
    return UnitTotals(totals, strata_of_units, names)


def number_units(
    units: Sequence[str], strata: Sequence[str]
) -> tuple[NDArray[np.intp], tuple[str, ...], tuple[str, ...]]:
    """Return each row's unit as a number, the units' names in order, and the stratum of each."""
    strata_by_unit = _strata_by_unit(units, strata)
    names = tuple(sorted(strata_by_unit))
    number = {unit: index for index, unit in enumerate(names)}
    numbers = np.fromiter((number[unit] for unit in units), np.intp, len(units))
    labels = {each: "\x1f".join(sorted(each)) for each in set(strata_by_unit.values())}
    return numbers, names, tuple(labels[strata_by_unit[name]] for name in names)


def _strata_by_unit(units: Sequence[str], strata: Sequence[str]) -> dict[str, frozenset[str]]:
    """Return in which strata each unit stands; units in the same ones share one set."""
    nowhere: frozenset[str] = frozenset()
    joined: dict[tuple[frozenset[str], str], frozenset[str]] = {}
    found: dict[str, frozenset[str]] = {}
    for unit, stratum in zip(units, strata, strict=True):
        before = found.get(unit, nowhere)
        if stratum not in before:
            step = (before, stratum)
            found[unit] = joined.setdefault(step, before | {stratum})
    return found


def group_by_stratum(strata: Sequence[str]) -> list[NDArray[np.intp]]:
    """Return the unit numbers of each stratum, in the order of their names.

    A stratum of one unit cannot vary when resampled: such strata are collapsed into one, and a last
    single unit joins the smallest of the others.

    Source: collapsed strata, Cochran 1977 (Sampling Techniques), section 5A.12.
    """
    numbers: dict[str, list[int]] = defaultdict(list)
    for number, stratum in enumerate(strata):
        numbers[stratum].append(number)
    groups = [numbers[stratum] for stratum in sorted(numbers)]
    single = [group[0] for group in groups if len(group) == 1]
    groups = [group for group in groups if len(group) > 1]
    if len(single) == 1 and groups:
        min(groups, key=len).extend(single)
    elif single:
        groups.append(single)
    return [np.array(group, dtype=np.intp) for group in groups]


def resample_totals(units: UnitTotals, seed: int, n_resamples: int) -> FloatArray:
    """Draw units with replacement within each stratum and sum their totals.

    Returns:
        Shape (n_resamples, n_columns); the same for any order of the units.
    """
    generator = np.random.default_rng(seed)
    sums = np.zeros((n_resamples, units.totals.shape[1]))
    for group in group_by_stratum(units.strata):
        if units.totals.shape[1] >= MANY_COLUMNS:
            _add_drawn(sums, units.totals[group], generator)
            continue
        distinct, counts = np.unique(units.totals[group], axis=0, return_counts=True)
        if len(distinct) * CELLS_PER_DRAW <= len(group):
            _add_multinomial(sums, distinct, counts, generator)
        else:
            _add_drawn(sums, np.repeat(distinct, counts, axis=0), generator)
    return sums


def _add_multinomial(
    sums: FloatArray, distinct: FloatArray, counts: NDArray[np.intp], generator: np.random.Generator
) -> None:
    n_units = int(counts.sum())
    for part in _chunks(len(sums), len(distinct)):
        drawn = generator.multinomial(n_units, counts / n_units, size=part.stop - part.start)
        sums[part] += drawn @ distinct


def _add_drawn(sums: FloatArray, totals: FloatArray, generator: np.random.Generator) -> None:
    n_units = len(totals)
    for part in _chunks(len(sums), n_units):
        drawn = generator.integers(n_units, size=(part.stop - part.start, n_units), dtype=np.int32)
        if totals.shape[1] <= FEW_COLUMNS:
            for column in range(totals.shape[1]):
                sums[part, column] += totals[:, column].take(drawn).sum(axis=1)
        else:
            sums[part] += _counts(drawn, n_units) @ totals


def _counts(drawn: NDArray[np.int32], n_units: int) -> NDArray[np.intp]:
    """Return how often each unit was drawn; shape (n_resamples, n_units)."""
    n_rows = len(drawn)
    cells = (drawn + np.arange(n_rows)[:, None] * n_units).ravel()
    return np.bincount(cells, minlength=n_rows * n_units).reshape(n_rows, n_units)


def _chunks(n_resamples: int, width: int) -> list[slice]:
    step = max(1, MAX_CELLS // max(width, 1))
    return [slice(at, min(at + step, n_resamples)) for at in range(0, n_resamples, step)]
