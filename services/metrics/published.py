"""Which of the papers' numbers belong beside a run's scores?"""

from collections.abc import Sequence
from typing import Any

from benchmarks.errors import UnknownNameError
from benchmarks.published import PublishedValue, published_by_key
from metrics.score import Score


def published_beside(score: Score) -> tuple[PublishedValue, ...]:
    """Return what others report for a score's metric, task, language and subset.

    Only scores under the default settings are compared: no paper names ours. A benchmark that is
    not installed here has none.
    """
    if score.setting is not None or score.layer is not None:
        return ()
    try:
        known = published_by_key(score.benchmark)
    except UnknownNameError:
        return ()
    return known.get((score.task, score.metric, score.language, score.subset), ())


def published_for(scores: Sequence[Score]) -> list[tuple[Score, tuple[PublishedValue, ...]]]:
    """Return the scores that have published values beside them, with these, in their order."""
    found = [(score, published_beside(score)) for score in scores]
    return [(score, values) for score, values in found if values]


def published_document(scores: Sequence[Score]) -> list[dict[str, Any]]:
    """Return the published values beside the scores as JSON, each tagged as such."""
    return [
        {"tag": "published", **value.model_dump(mode="json")}
        for _, values in published_for(scores)
        for value in values
    ]
