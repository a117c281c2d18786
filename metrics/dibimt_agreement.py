"""Does a system take the same sense of a word in two languages?

Source: Campolungo et al. 2022 (DiBiMT), the heat maps of sense agreement.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from metrics.dibimt_verdicts import is_scored
from metrics.statistics.intervals import Estimate, proportion, undefined
from metrics.statistics.macro import macro_proportion
from metrics.table import OutcomeRow

Agreements = Mapping[str, tuple[float, OutcomeRow]]


@dataclass(frozen=True, slots=True)
class LanguagePair:
    """The items of one system that are GOOD or BAD in both languages."""

    name: str
    """`de_es`."""
    agreements: Agreements
    """By item: 1 where the matched lemmas share a synset, and the row of the first language."""
    n_items: int
    """Items that were asked in both languages."""

    @property
    def values(self) -> list[float]:
        """One an item."""
        return [value for value, _ in self.agreements.values()]

    @property
    def rows(self) -> list[OutcomeRow]:
        """One an item."""
        return [row for _, row in self.agreements.values()]


def language_pairs(rows_by_language: Mapping[str, Sequence[OutcomeRow]]) -> list[LanguagePair]:
    """Return every pair of languages, in the order of the languages."""
    return [
        pair_of(f"{first}_{second}", rows_by_language[first], rows_by_language[second])
        for first, second in combinations(rows_by_language, 2)
    ]


def pair_of(name: str, first: Sequence[OutcomeRow], second: Sequence[OutcomeRow]) -> LanguagePair:
    """Return which items of two languages agree; items are matched by id."""
    others = {row.item_id: row for row in second}
    both = [(row, others[row.item_id]) for row in first if row.item_id in others]
    agreements = {
        row.item_id: (float(not _synsets(row).isdisjoint(_synsets(other))), row)
        for row, other in both
        if is_scored(row) and is_scored(other)
    }
    return LanguagePair(name, agreements, len(both))


def sense_agreement(pair: LanguagePair) -> float | None:
    """Return items whose matched lemmas share a synset / items GOOD or BAD in both languages.

    Source: Campolungo et al. 2022 (DiBiMT), sense agreement.
    """
    return sum(pair.values) / len(pair.values) if pair.values else None


def estimate_agreement(pair: LanguagePair, seed: int) -> Estimate:
    """Estimate one pair's agreement; lemmas are resampled."""
    if not pair.values:
        return undefined("no item is GOOD or BAD in both languages")
    units = [row.unit for row in pair.rows]
    return proportion(pair.values, units, [str(row.subset) for row in pair.rows], seed)


def estimate_mean_agreement(pairs: Sequence[LanguagePair], seed: int) -> Estimate:
    """Estimate the unweighted mean over pairs; a lemma is drawn for all pairs at once."""
    if empty := [pair.name for pair in pairs if not pair.values]:
        return undefined(f"no item is GOOD or BAD in both languages of {', '.join(empty)}")
    rows = [(pair.name, row) for pair in pairs for row in pair.rows]
    return macro_proportion(
        [value for pair in pairs for value in pair.values],
        [name for name, _ in rows],
        [row.unit for _, row in rows],
        [f"{name} {row.subset}" for name, row in rows],
        seed,
    )


def _synsets(row: OutcomeRow) -> set[str]:
    return set((row.detail.get("matched") or {}).get("synsets", ()))
