"""Does a model prefer a place in the list? Shares of parsed answers at each shown position."""

from collections.abc import Iterator, Sequence

from metrics.dtails_cells import BENCHMARK, UNIT
from metrics.estimated import with_estimate
from metrics.score import Score
from metrics.statistics.intervals import proportion
from metrics.table import OutcomeRow

POOLED = ("af", "lv", "ja")
"""The languages that the paper pools."""
SIZES = (2, 3)
"""How many variations are shown, in the paper."""


def position_shares(rows: Sequence[OutcomeRow], seed: int) -> Iterator[Score]:
    """Yield the share of parsed answers at each position, a language each, then pooled.

    `gold` beside it is the share of right answers at that position: what an unbiased model would
    have if it were always right.

    Source: Barua et al. 2024 (DTAiLS), position bias for k = 2 and k = 3.
    """
    placed = [row for row in rows if row.detail.get("n_variations") in SIZES]
    for language in dict.fromkeys(row.language for row in placed):
        part = [row for row in placed if row.language == language]
        yield from _shares(part, language, "", seed)
    pooled = [row for row in placed if row.language in POOLED]
    names = sorted({row.language for row in pooled})
    if names:
        yield from _shares(pooled, None, f"pool={'+'.join(names)};", seed)


def _shares(
    rows: Sequence[OutcomeRow], language: str | None, pool: str, seed: int
) -> Iterator[Score]:
    for size in SIZES:
        shown = [row for row in rows if row.detail["n_variations"] == size]
        parsed = [row for row in shown if row.detail.get("position") is not None]
        for position in range(1, size + 1) if shown else ():
            estimate = proportion(
                [float(row.detail["position"] == position) for row in parsed],
                [f"{row.language}:{row.unit}" for row in parsed],
                [row.language for row in parsed],
                seed,
            )
            gold = [row.detail["gold_position"] == position for row in parsed]
            share = Score(
                benchmark=BENCHMARK,
                metric="position_share",
                task="select",
                language=language,
                setting=f"k={size};{pool}position={position}",
                value=None,
                n=0,
                unit=UNIT,
                coverage=len(parsed) / len(shown),
                baselines={
                    "gold": sum(gold) / len(gold) if gold else None,
                    "uniform": 1 / size,
                },
            )
            yield with_estimate(share, estimate)
