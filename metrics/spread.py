"""How far apart are the scores of several ways of asking (prompt styles, orders of options)?"""

from collections.abc import Sequence

from metrics.score import Score

NO_ANSWER = "no answer in one of the ways of asking"


def with_spread(score: Score, values: Sequence[float | None], reason: str = NO_ANSWER) -> Score:
    """Return the score with the greatest value less the least; it has no interval.

    Args:
        score: What it is a score of.
        values: One a way of asking; at least one.
        reason: What to say where one of them has no value.
    """
    known = [value for value in values if value is not None]
    is_known = len(known) == len(values)
    return score.model_copy(
        update={
            "value": max(known) - min(known) if is_known else None,
            "n": len(values),
            "unit": "way of asking",
            "reason": None if is_known else reason,
        }
    )
