"""How far do annotators agree? Total agreement, Fleiss' kappa and PABAK."""

from collections import Counter
from collections.abc import Hashable, Sequence

Ratings = Sequence[Sequence[Hashable]]
"""A question each: the categories its annotators chose, None where one did not answer."""


def total_agreement(ratings: Ratings) -> float | None:
    """Return the share of questions on which all annotators agree, in [0, 1].

    Questions with fewer than two answers, or an answer missing, are left out; None if none is left.

    Source: Barua et al. 2024 (DTAiLS), TA of three annotators.
    """
    kept = complete(ratings)
    if not kept:
        return None
    return sum(len(set(row)) == 1 for row in kept) / len(kept)


def pabak(ratings: Ratings) -> float | None:
    """Return 2·TA - 1, in [-1, 1]: agreement adjusted for prevalence and bias.

    Source: Byrt et al. 1993 (J. Clin. Epidemiol. 46), for two categories, with the total agreement
    of all annotators as the observed agreement: so Barua et al. 2024 (DTAiLS) compute every cell.
    """
    share = total_agreement(ratings)
    return None if share is None else 2 * share - 1


def fleiss_kappa(ratings: Ratings) -> float | None:
    """Return (P - Pe)/(1 - Pe), in (-∞, 1]; None where only one category occurs.

    P is the mean share of agreeing pairs a question, Pe the sum of squared category shares. Every
    question that counts must have as many answers as the others.

    Raises:
        ValueError: The numbers of answers differ.

    Source: Fleiss 1971 (Psychol. Bull. 76).
    """
    kept = complete(ratings)
    if not kept:
        return None
    n_raters = len(kept[0])
    if any(len(row) != n_raters for row in kept):
        raise ValueError(f"questions with {sorted({len(row) for row in kept})} answers: not equal")
    n_pairs = n_raters * (n_raters - 1)
    agreeing = [sum(n * (n - 1) for n in Counter(row).values()) / n_pairs for row in kept]
    observed = sum(agreeing) / len(kept)
    totals = Counter(answer for row in kept for answer in row)
    if len(totals) == 1:
        return None
    n_answers = n_raters * len(kept)
    expected = sum((n / n_answers) ** 2 for n in totals.values())
    return (observed - expected) / (1 - expected)


def complete(ratings: Ratings) -> list[Sequence[Hashable]]:
    """Return the questions that at least two annotators, and all of them, answered."""
    return [row for row in ratings if len(row) > 1 and None not in row]
