"""Pairs of texts become vectors, and vectors one number a pair."""

from collections.abc import Sequence
from typing import Literal

from scorer.backend import States
from scorer.batching.scoring_row import failed
from scorer.errors import NothingToScoreError
from scorer.schemas import FailedItem, SimilarityRequest, SimilarityResult
from scorer.similarity import bertscore_f1, cosine

Text = tuple[States | FailedItem, Sequence[bool]]
"""States at one layer, and which tokens are special."""


def texts_of(request: SimilarityRequest) -> list[str]:
    """Return each text of the pairs once, in the order they are met."""
    return list(
        dict.fromkeys(text for pair in request.pairs for text in (pair.text_a, pair.text_b))
    )


def compare(
    one: Text, other: Text, measure: Literal["cosine", "bertscore"]
) -> SimilarityResult | FailedItem:
    """Return how alike two texts are, or why one of them cannot be compared."""
    (one_states, one_special), (other_states, other_special) = one, other
    if isinstance(one_states, FailedItem):
        return one_states
    if isinstance(other_states, FailedItem):
        return other_states
    if measure == "cosine":
        return SimilarityResult(value=cosine(one_states[0], other_states[0]))
    specials = (list(one_special), list(other_special))
    try:
        return SimilarityResult(value=bertscore_f1(one_states[0], other_states[0], *specials))
    except NothingToScoreError as error:
        return failed(error)
