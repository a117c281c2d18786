"""Do languages that a model knows inside also score well outside? Direct against Neuro.

Source: He et al. 2025 (arXiv:2502.19737), Figure 3: across languages, by negative type.
"""

from collections.abc import Iterator, Sequence

from benchmarks.xcomps.records import NEGATIVE_TYPES
from metrics.estimated import with_estimate
from metrics.score import Score
from metrics.statistics.correlation import correlation_estimate
from metrics.statistics.intervals import undefined
from metrics.xcomps_parts import BENCHMARK

MIN_LANGUAGES = 3


def relation_scores(found: Sequence[Score]) -> Iterator[Score]:
    """Yield the correlations of Direct accuracy and Neuro F1 over languages.

    Args:
        found: The scores of both tasks; nothing is yielded where one is missing.
    """
    direct = _by_language(found, "direct", "accuracy", None)
    by_summary = {
        setting: _by_language(found, "neuro", "f1", setting)
        for setting in (None, "layers=best", "layers=mean")
    }
    for setting, neuro in by_summary.items():
        for subset in (None, *NEGATIVE_TYPES):
            pairs = [
                (value, neuro[key])
                for key, value in sorted(direct.items())
                if key[1] == (subset or "") and key in neuro
            ]
            if direct and neuro:
                yield from _correlations(pairs, subset, setting)


def _correlations(
    pairs: Sequence[tuple[float, float]], subset: str | None, setting: str | None
) -> Iterator[Score]:
    for metric in ("pearson", "spearman"):
        score = Score(
            benchmark=BENCHMARK,
            metric=metric,
            task=None,
            language=None,
            subset=subset,
            setting=setting,
            value=None,
            n=len(pairs),
            unit="language",
        )
        if len(pairs) < MIN_LANGUAGES:
            reason = f"{len(pairs)} languages; a correlation over languages needs {MIN_LANGUAGES}"
            yield with_estimate(score, undefined(reason, len(pairs), len(pairs)))
            continue
        first, second = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        estimate = correlation_estimate(first, second, of_ranks=metric == "spearman")
        yield with_estimate(score, estimate)


def _by_language(
    found: Sequence[Score], task: str, metric: str, setting: str | None
) -> dict[tuple[str, str], float]:
    """Return the values of a task by (language, negative type); an empty type is all of them."""
    return {
        (score.language, score.subset or ""): score.value
        for score in found
        if score.task == task
        and score.metric == metric
        and score.setting == setting
        and score.layer is None
        and score.language is not None
        and score.value is not None
    }
