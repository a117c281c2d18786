"""How many answers are right, how many can be read, and which label is preferred?"""

from collections.abc import Mapping, Sequence

from metrics.estimated import setting_text, with_estimate
from metrics.score import Score
from metrics.spread import with_spread
from metrics.statistics.intervals import Estimate, proportion, undefined
from metrics.statistics.macro import macro_proportion
from metrics.stingray_marks import (
    Mark,
    Part,
    Setting,
    baseline_means,
    coverage,
    mean_over_languages,
    parts,
)

LABELS = {"semantic": ("A", "B", "C"), "usage": ("Yes", "No")}


def accuracy_scores(
    marks: Sequence[Mark], setting: Setting, seed: int, *, is_generated: bool
) -> list[Score]:
    """Return accuracies, for generated answers over the readable ones too, and shares of labels."""
    found: list[Score] = []
    for part in parts(marks):
        baselines = baseline_means(part.marks)
        values = [mark.value for mark in part.marks]
        found.append(_score(part, "accuracy", setting, values, seed, baselines))
        if is_generated:
            readable = [mark.value if mark.is_valid else None for mark in part.marks]
            baselines = baseline_means([mark for mark in part.marks if mark.is_valid])
            found.append(_score(part, "parsed_accuracy", setting, readable, seed, baselines))
        else:
            ties = [None if mark.value is None else float(mark.is_tie) for mark in part.marks]
            found.append(_score(part, "tie_share", setting, ties, seed, {}))
        found += _label_shares(part, setting, seed)
    return found


def spread_scores(marks_by_way: Sequence[Sequence[Mark]], setting: Setting) -> list[Score]:
    """Return how far accuracies lie apart over the ways of asking: greatest minus least."""
    by_key: dict[tuple[str, str | None, str | None], list[Part]] = {}
    for marks in marks_by_way:
        for part in parts(marks):
            by_key.setdefault((part.task, part.language, part.subset), []).append(part)
    found = []
    for (task, language, subset), of_key in by_key.items():
        if len(of_key) < 2:
            continue
        means = [
            mean_over_languages(part.marks, [mark.value for mark in part.marks]) for part in of_key
        ]
        score = Score(
            benchmark="stingray",
            metric="accuracy_spread",
            task=task,
            language=language,
            subset=subset,
            setting=setting_text(setting),
            value=None,
            n=0,
        )
        found.append(with_spread(score, means))
    return found


def _label_shares(part: Part, setting: Setting, seed: int) -> list[Score]:
    """Return the share of each label among the readable answers, the gold's beside it."""
    found = []
    for label in LABELS[part.task]:
        values = [_share(mark, mark.shown == label) for mark in part.marks]
        golds = [_share(mark, mark.gold_shown == label) for mark in part.marks]
        baselines = {"gold": mean_over_languages(part.marks, golds)}
        chosen = {**setting, "answer": label}
        found.append(_score(part, "position_share", chosen, values, seed, baselines))
    return found


def _share(mark: Mark, is_label: bool) -> float | None:
    return None if mark.predicted is None else float(is_label)


def _score(
    part: Part,
    metric: str,
    setting: Setting,
    values: Sequence[float | None],
    seed: int,
    baselines: Mapping[str, float | None],
) -> Score:
    score = Score(
        benchmark="stingray",
        metric=metric,
        task=part.task,
        language=part.language,
        subset=part.subset,
        setting=setting_text(setting),
        value=None,
        n=0,
        unit="word",
        coverage=coverage(part.marks),
        baselines=baselines,
    )
    return with_estimate(score, _estimate(part, values, seed))


def _estimate(part: Part, values: Sequence[float | None], seed: int) -> Estimate:
    if all(value is None for value in values):
        return undefined("no answer")
    units = [mark.resampled_unit for mark in part.marks]
    strata = [mark.stratum for mark in part.marks]
    if part.language is None:
        languages = [mark.language for mark in part.marks]
        return macro_proportion(values, languages, units, strata, seed)
    return proportion(values, units, strata, seed)
