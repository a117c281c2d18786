"""Does polysemy hurt? Errors by how common a sense is (μ) and by how many a word has (δ).

Source: Campolungo et al. 2022 (DiBiMT): SFII, SPDI, and the figure of errors by μ and by δ.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metrics.dibimt_verdicts import is_scored, verdict
from metrics.statistics.intervals import Estimate, bootstrap_statistic, undefined
from metrics.statistics.resampling import sum_by_unit
from metrics.table import OutcomeRow

By = Literal["mu", "delta"]

LARGE_GROUP = 5
"""Groups with fewer GOOD and BAD items are left out of the second SFII and SPDI."""

N_RESAMPLES = 2_000
"""Fewer than elsewhere: every group is a column, and the mean over languages has hundreds."""


@dataclass(frozen=True, slots=True)
class Group:
    """The GOOD and BAD items whose words (senses) have one δ (μ)."""

    index: int
    """μ or δ itself; groups are never merged."""
    n_good: int
    n_bad: int

    @property
    def n(self) -> int:
        """How many items count."""
        return self.n_good + self.n_bad

    @property
    def error_rate(self) -> float:
        """BAD / (GOOD + BAD)."""
        return self.n_bad / self.n


def groups(rows: Sequence[OutcomeRow], by: By) -> list[Group]:
    """Return the groups of exactly equal μ (δ) with at least one GOOD or BAD item, ascending."""
    counts: dict[int, list[int]] = {}
    for row in rows:
        if is_scored(row):
            counts.setdefault(int(row.detail[by]), [0, 0])[verdict(row) == "BAD"] += 1
    return [Group(index, *counts[index]) for index in sorted(counts)]


def influence(found: Sequence[Group], min_group: int = 1) -> float | None:
    """Return the unweighted mean of the groups' error rates: SFII over μ, SPDI over δ.

    Args:
        found: From `groups`.
        min_group: Leave out groups with fewer items.

    Returns:
        In [0, 1], lower is better; None without a group.

    Source: Campolungo et al. 2022 (DiBiMT), the definitions of SFII and SPDI; theirs is in percent.
    """
    rates = [group.error_rate for group in found if group.n >= min_group]
    return sum(rates) / len(rates) if rates else None


def estimate_influence(
    languages: Sequence[Sequence[OutcomeRow]], by: By, min_group: int, seed: int
) -> Estimate:
    """Estimate SFII (SPDI) as the unweighted mean over languages, lemmas resampled jointly.

    A lemma is drawn for all languages at once. A group is what it is in the data: with a minimum
    size, it is chosen once and may shrink in a resample; where it is empty it is left out there.

    Args:
        languages: The rows of each language; one language gives its own estimate.
        by: mu for SFII, delta for SPDI.
        min_group: Leave out groups with fewer items.
        seed: Where resampling starts.
    """
    kept = [[row for row in rows if is_scored(row)] for rows in languages]
    chosen = [[g.index for g in groups(rows, by) if g.n >= min_group] for rows in kept]
    n = sum(row.detail[by] in own for rows, own in zip(kept, chosen, strict=True) for row in rows)
    if not all(chosen) or not chosen:
        size = f" of at least {min_group} items" if min_group > 1 else ""
        return undefined(f"no GOOD or BAD item in a group{size}", n)
    columns, units, strata = _columns(kept, chosen, by)
    edges = np.cumsum([0, *(2 * len(own) for own in chosen)])
    spans = [slice(a, b) for a, b in pairwise(edges)]
    totals = sum_by_unit(columns, units, strata)
    return bootstrap_statistic(
        totals, lambda sums: _mean_rate(sums, spans), seed, n=n, n_resamples=N_RESAMPLES
    )


def _columns(
    languages: Sequence[Sequence[OutcomeRow]], chosen: Sequence[Sequence[int]], by: By
) -> tuple[NDArray[np.float64], list[str], list[str]]:
    """Return BAD and GOOD-or-BAD counts, two columns a group of each language, with lemmas."""
    place = {
        (number, index): at
        for at, (number, index) in enumerate((n, i) for n, own in enumerate(chosen) for i in own)
    }
    kept = [
        (place[number, row.detail[by]], row)
        for number, rows in enumerate(languages)
        for row in rows
        if (number, row.detail[by]) in place
    ]
    columns = np.zeros((len(kept), 2 * len(place)))
    for line, (at, row) in enumerate(kept):
        columns[line, 2 * at : 2 * at + 2] = verdict(row) == "BAD", 1.0
    units = [row.unit for _, row in kept]
    return columns, units, [f"{row.language} {row.subset}" for _, row in kept]


def _mean_rate(sums: NDArray[np.float64], spans: Sequence[slice]) -> NDArray[np.float64]:
    """Return the mean over languages of the mean over their groups that are not empty."""
    total = np.zeros(len(sums))
    for span in spans:
        bad, scored = sums[:, span][:, 0::2], sums[:, span][:, 1::2]
        is_there = scored > 0
        rates = np.where(is_there, bad / np.where(is_there, scored, 1.0), 0.0)
        total += rates.sum(axis=1) / is_there.sum(axis=1)
    return total / len(spans)
