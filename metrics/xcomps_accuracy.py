"""Is the acceptable sentence the likelier one? Accuracies of the Direct and the Meta task."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from metrics.estimated import setting_text, with_estimate
from metrics.score import Score
from metrics.spread import with_spread
from metrics.table import OutcomeRow
from metrics.xcomps_parts import (
    BENCHMARK,
    UNIT,
    Part,
    Reading,
    Setting,
    estimate_part,
    is_left_out,
    part_score,
    parts,
)

NORMALISATIONS: Mapping[str, tuple[str, ...]] = {
    "direct": ("sum", "tokens", "characters", "bytes"),
    "meta": ("sum", "tokens"),
}

ORDER_BASELINES = {"1": (1.0, 0.5), "2": (0.0, 0.5), "both": (0.0, 0.25)}
"""By order of the options: what always-first and a guess in each order get."""


def accuracy_scores(
    rows: Sequence[OutcomeRow], task: str, settings: Mapping[str, Any], seed: int
) -> Iterator[Score]:
    """Yield the scores of a task, of each prompt style where several were asked."""
    rows_by_style: dict[str, list[OutcomeRow]] = {}
    for row in rows:
        if row.task == task:
            rows_by_style.setdefault(row.variant, []).append(row)
    for style in sorted(rows_by_style):
        setting = {"prompt_style": style} if style else {}
        yield from _style_scores(rows_by_style[style], task, settings, setting, seed)
    if len(rows_by_style) > 1:
        yield from _spreads(rows_by_style, task)


def _style_scores(
    rows: Sequence[OutcomeRow], task: str, settings: Mapping[str, Any], setting: Setting, seed: int
) -> Iterator[Score]:
    for part in parts(rows, task, setting):
        yield part_score(part, "accuracy", lambda row: row.value, seed)
    default = settings.get("normalisation", "sum")
    default = default if default in NORMALISATIONS[task] else "sum"
    for name in NORMALISATIONS[task]:
        if name != default:
            for part in parts(rows, task, {**setting, "normalisation": name}):
                yield part_score(part, "accuracy", _verdict(name), seed)
    for part in parts(rows, task, setting):
        yield part_score(part, "tie_share", _is_tie(default), seed, {})
        yield _left_out_share(part, seed)
    if task == "meta":
        yield from _order_scores(rows, setting, seed)


def _order_scores(rows: Sequence[OutcomeRow], setting: Setting, seed: int) -> Iterator[Score]:
    """Yield what each order of the options gives, and how often the first option is answered."""
    always_first = {"1": 1.0, "2": 0.0, "both": 0.0}
    for order, reading in (("1", _order(0)), ("2", _order(1)), ("both", _both_orders)):
        baselines = {
            "always-first": always_first[order],
            "chance": 0.25 if order == "both" else 0.5,
        }
        for part in parts(rows, "meta", {**setting, "order": order}):
            yield part_score(part, "accuracy", reading, seed, baselines)
    for part in parts(rows, "meta", {**setting, "answer": "first"}):
        yield part_score(part, "position_share", _first_share, seed, {"always-first": 1.0})


def _spreads(rows_by_style: Mapping[str, Sequence[OutcomeRow]], task: str) -> Iterator[Score]:
    """Yield how far the accuracies of styles and orders lie apart: greatest minus least."""
    values: dict[tuple[str | None, str | None, str | None], list[float | None]] = {}
    for rows in rows_by_style.values():
        for reading in (_order(0), _order(1)):
            for part in parts(rows, task, {}):
                values.setdefault(
                    (part.language, part.subset, setting_text(part.setting)), []
                ).append(_plain_mean(part, reading))
    for (language, subset, setting), found in values.items():
        score = Score(
            benchmark=BENCHMARK,
            metric="accuracy_spread",
            task=task,
            language=language,
            subset=subset,
            setting=setting,
            value=None,
            n=0,
        )
        yield with_spread(score, found)


def _plain_mean(part: Part, reading: Reading) -> float | None:
    by_language: dict[str, list[float]] = {}
    for row in part.rows:
        if row.status != "unanswered" and (value := reading(row)) is not None:
            by_language.setdefault(row.language, []).append(value)
    if len(by_language) < len({row.language for row in part.rows}):
        return None
    means = [sum(values) / len(values) for values in by_language.values()]
    return sum(means) / len(means)


def _left_out_share(part: Part, seed: int) -> Score:
    """Return the share of pairs whose two sentences are identical.

    It is a fact of the data: nothing of it is kept for comparing models.
    """
    score = Score(
        benchmark=BENCHMARK,
        metric="left_out_share",
        task=part.task,
        language=part.language,
        subset=part.subset,
        setting=setting_text(part.setting),
        value=None,
        n=0,
        unit=UNIT,
    )
    values = [float(is_left_out(row)) for row in part.rows]
    return with_estimate(score, replace(estimate_part(part, part.rows, values, seed), sample=None))


def _verdict(normalisation: str) -> Reading:
    def read(row: OutcomeRow) -> float | None:
        value: float | None = row.detail.get("verdicts", {}).get(normalisation)
        return value

    return read


def _is_tie(normalisation: str) -> Reading:
    def read(row: OutcomeRow) -> float | None:
        return float(normalisation in row.detail["ties"]) if "ties" in row.detail else None

    return read


def _order(number: int) -> Reading:
    def read(row: OutcomeRow) -> float | None:
        found = row.detail.get("by_order")
        return None if found is None else float(found[number])

    return read


def _both_orders(row: OutcomeRow) -> float | None:
    found = row.detail.get("by_order")
    return None if found is None else float(all(found))


def _first_share(row: OutcomeRow) -> float | None:
    found = row.detail.get("is_first_chosen")
    return None if found is None else float(sum(found) / len(found))
