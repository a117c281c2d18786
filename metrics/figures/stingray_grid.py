"""The grid that several figures of StingrayBench share: a row a subset, a column a pair."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from metrics.figures.figure import FigureRun
from metrics.figures.missing import MissingNotes, missing_layer
from metrics.figures.run_names import run_names
from metrics.figures.stingray_words import SUBSETS
from metrics.figures.style import by_label, interval_layers
from metrics.score import Score

FULL = 100.0
ALL_PAIRS = "all pairs"
TASKS = ("all", "semantic", "usage")
PANEL_WIDTH = 150
STEP = 24
CHANCE = "chance"
Row = dict[str, Any]


def find_score(
    run: FigureRun, metric: str, place: tuple[str, str], language: str | None
) -> Score | None:
    """Return a run's headline score of one cell.

    Args:
        run: The run.
        metric: `cognate_bias` or `cognate_comprehension`.
        place: Task (`all` for the mean over tasks, or the only one) and subset.
        language: A pair; None for the mean over pairs.
    """
    task, subset = place
    found = {
        score.task: score
        for score in run.scores
        if (score.metric, score.language, score.subset, score.setting)
        == (metric, language, subset, None)
    }
    if task != "all":
        return found.get(task)
    return found.get(None) or (next(iter(found.values())) if len(found) == 1 else None)


def pairs_of(runs: Sequence[FigureRun]) -> list[str | None]:
    """Return every pair of the runs' scores, then None for their mean where there are several."""
    pairs = sorted(
        {
            score.language
            for run in runs
            for score in run.scores
            if score.metric == "cognate_comprehension" and score.language is not None
        }
    )
    return [*pairs, None] if len(pairs) > 1 else [*pairs]


def grid_rows(
    runs: Sequence[FigureRun], metric: str, task: str, notes: MissingNotes
) -> Iterator[Row]:
    """Yield a row for every run, pair and subset, with or without a value."""
    for run, name in zip(runs, run_names(runs), strict=True):
        for language in pairs_of(runs):
            for subset, subset_name in SUBSETS.items():
                score = find_score(run, metric, (task, subset), language)
                yield {
                    "run": name,
                    "pair": language or ALL_PAIRS,
                    "subset": subset_name,
                    "value": score and score.value,
                    "low": score and score.ci_low,
                    "high": score and score.ci_high,
                    "chance": None if score is None else score.baselines.get(CHANCE),
                    "n": 0 if score is None else score.n,
                    "missing": notes.words(score, 26),
                }


def grid(rows: Sequence[Row], names: Sequence[str], mark: Mapping[str, Any], axis: Row) -> Row:
    """Return the grid's view: a mark, its interval and chance a run.

    Args:
        rows: With `value`, `low`, `high`, `chance`, in the axis' unit.
        names: The runs, from top to bottom.
        mark: The values' mark, a bar or a point.
        axis: The encoding of the values' axis, its field `value`.
    """
    y = {"field": "run", "type": "nominal", "title": None, "sort": list(names)}
    other = {"y": y}
    chance = {
        "transform": [{"filter": "isValid(datum.chance)"}],
        "mark": {"type": "tick", "style": "reference", "thickness": 1.5, "strokeDash": [1, 0]},
        "encoding": other | {"x": {**axis, "field": "chance"}},
    }
    is_bar = mark["type"] == "bar"
    channels = by_label("run", names, shape=not is_bar)
    channels = {name: {**channel, "legend": None} for name, channel in channels.items()}
    intervals = interval_layers("low", "high", axis="x", other=other, title=axis["title"])
    values = {"mark": dict(mark), "encoding": other | {"x": axis} | channels}
    pairs = list(dict.fromkeys(row["pair"] for row in rows))
    return {
        "data": {"values": list(rows)},
        "facet": {
            "row": {"field": "subset", "type": "nominal", "title": None,
                    "sort": list(SUBSETS.values()),
                    "header": {"labelAngle": 0, "labelAlign": "left"}},
            "column": {"field": "pair", "type": "nominal", "title": None, "sort": pairs},
        },
        "spec": {
            "width": PANEL_WIDTH,
            "height": {"step": STEP},
            "layer": [
                chance,
                *((values, *intervals) if is_bar else (*intervals, values)),
                missing_layer("x", axis["scale"]["domain"][0], other),
            ],
        },
    }  # fmt: skip


def extremes(rows: Sequence[Row], words: str) -> str:
    """Say for each subset and pair which run has the greatest and which the least value."""
    sentences = []
    for pair, subset in dict.fromkeys((row["pair"], row["subset"]) for row in rows):
        known = [
            (row["value"], row["run"])
            for row in rows
            if (row["pair"], row["subset"]) == (pair, subset) and row["value"] is not None
        ]
        if not known:
            sentences.append(f"{pair}, {subset}: no value.")
            continue
        best, worst = max(known), min(known)
        text = f"{pair}, {subset}: {best[1]} {best[0]:.3g}"
        sentences.append(
            f"{text}." if len(known) == 1 else f"{text} (most), {worst[1]} {worst[0]:.3g} (least)."
        )
    return f"{words}. " + " ".join(sentences)
