"""What does one judged translation add to a score? 1, 0, or None where it is outside of it.

Source: Campolungo et al. 2022 (DiBiMT): N = GOOD + BAD + MISS. AMBIGUOUS is ours and outside N.
"""

from collections.abc import Callable, Mapping

from metrics.table import OutcomeRow

Values = Callable[[OutcomeRow], float | None]


def verdict(row: OutcomeRow) -> str | None:
    """Return GOOD, BAD, MISS or AMBIGUOUS; None where there is no translation."""
    return row.detail.get("class")


def is_scored(row: OutcomeRow) -> bool:
    """Return whether a translation is GOOD or BAD."""
    return verdict(row) in ("GOOD", "BAD")


def is_good(row: OutcomeRow) -> float | None:
    """Return 1 for GOOD, 0 for BAD: accuracy = GOOD / (GOOD + BAD)."""
    return float(verdict(row) == "GOOD") if is_scored(row) else None


def is_miss(row: OutcomeRow) -> float | None:
    """Return 1 for MISS, 0 for GOOD and BAD: miss share = MISS / N."""
    return float(verdict(row) == "MISS") if verdict(row) in ("GOOD", "BAD", "MISS") else None


def is_ambiguous(row: OutcomeRow) -> float | None:
    """Return 1 for AMBIGUOUS, else 0: ambiguous share = AMBIGUOUS / (N + AMBIGUOUS)."""
    return float(verdict(row) == "AMBIGUOUS") if verdict(row) is not None else None


def is_most_frequent(row: OutcomeRow) -> float | None:
    """Return 1 where a BAD item took the commonest sense; MFS is their share of BAD.

    All BAD items are in the denominator, also those whose wrong sense is not known.

    Source: Campolungo et al. 2022 (DiBiMT), the definition of MFS.
    """
    return float(row.detail["wrong_mu"] == 1) if verdict(row) == "BAD" else None


def is_more_frequent(row: OutcomeRow) -> float | None:
    """Return 1 where a BAD item took a commoner sense than its own; MFS+ is their share of BAD.

    Source: Campolungo et al. 2022 (DiBiMT), the definition of MFS+.
    """
    if verdict(row) != "BAD":
        return None
    wrong = row.detail["wrong_mu"]
    return float(wrong is not None and wrong < row.detail["mu"])


PROPORTIONS: Mapping[str, tuple[Values, str]] = {
    "accuracy": (is_good, "no GOOD or BAD item"),
    "miss_share": (is_miss, "no GOOD, BAD or MISS item"),
    "ambiguous_share": (is_ambiguous, "no translation"),
    "mfs": (is_most_frequent, "no BAD item"),
    "mfs_plus": (is_more_frequent, "no BAD item"),
}
"""By metric: the value of an item, and why the score may be undefined."""
