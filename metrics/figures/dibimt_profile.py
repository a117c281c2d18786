"""What does a whole system look like? All its scores of every language on one page.

Source: Campolungo et al. 2022 (DiBiMT), appendix D.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from metrics.dibimt_groups import LARGE_GROUP
from metrics.figures.dibimt_agreement import agreement_cells, agreement_view
from metrics.figures.dibimt_cells import (
    MEAN,
    METRICS,
    PARTS_OF_SPEECH,
    SOURCE,
    counts_text,
    find_score,
    languages_of,
    verdict_counts,
)
from metrics.figures.dibimt_errors import ALL, AXES, chosen_rows, group_rows, group_view
from metrics.figures.dibimt_verdicts import piece_layers, pieces
from metrics.figures.figure import Figure, FigureRun
from metrics.figures.options import chosen
from metrics.figures.panels import panel_title, point_layers
from metrics.figures.run_names import run_names
from metrics.figures.style import Specification, caption, finished
from metrics.score import Score

KIND = "dibimt-profile"
EVERY = "all words"
PARTS = (EVERY, *PARTS_OF_SPEECH)
MIN_GROUP = f"min_group={LARGE_GROUP}"
MODEL_ERRORS = "model errors"
PANELS: Mapping[str, tuple[str, str | None]] = {
    **{name: (metric, None) for metric, name in METRICS.items()},
    f"SFII, n ≥ {LARGE_GROUP}": ("sfii", MIN_GROUP),
    f"SPDI, n ≥ {LARGE_GROUP}": ("spdi", MIN_GROUP),
}
BASELINES = ("first-sense", "wsd")
"""Disambiguation without translation, on the items that are GOOD or BAD."""
N_COLUMNS = 5
ROW = 40
"""Pixels of a language."""


def draw(runs: Sequence[FigureRun], options: Mapping[str, str]) -> Figure:
    """Draw a page a run: classes, every score, errors by μ and δ, sense agreement.

    Args:
        runs: At least one with translations, with rows.
        options: None.

    Raises:
        FigureError: No run has translations, or there is an option.
    """
    chosen(options, {}, KIND)
    languages, names = languages_of(runs), run_names(runs)
    body = {
        "vconcat": [
            _page(number, name, run, languages)
            for number, (name, run) in enumerate(zip(names, runs, strict=True))
        ],
        "spacing": 60,
        "resolve": {"scale": {"color": "independent", "shape": "independent"}},
    }
    words = caption(
        "Good is a high accuracy with all other scores low, and an error rate that does not rise"
        " with μ and δ; 95 % intervals resample lemmas; grey ticks at the accuracy: first sense"
        " or predicted senses, on the same items",
        counts_text(runs),
        f"{SOURCE}, appendix D; SFII and SPDI also over groups of {LARGE_GROUP} items or more",
    )
    finding = " ".join(_finding(name, run) for name, run in zip(names, runs, strict=True))
    title = "DiBiMT: all scores of a system" if len(runs) == 1 else "DiBiMT: all scores by system"
    return finished(KIND, title, words, finding, body)


def _page(number: int, name: str, run: FigureRun, languages: Sequence[str]) -> Specification:
    rows = chosen_rows(run, ALL, ALL)
    views = []
    for by in AXES:
        found = group_rows(rows, by, run.seed)
        views.append(group_view(found, by, [each["index"] for each in found]))
    first = [_verdicts(f"verdicts{number}", run, languages)]
    if len(languages) > 1:
        cells = agreement_cells(run, languages)
        title = {**panel_title("sense agreement"), "fontWeight": "normal"}
        view = f"agreement{number}"
        map_of = agreement_view(cells, languages, f"{view}_color")
        first.append({"name": view, "title": title, **map_of})
    apart = {"resolve": {"scale": {"color": "independent"}}}
    return {
        "title": {**panel_title(name), "fontSize": 13},
        "vconcat": [
            {"hconcat": first, "spacing": 40, **apart},
            _scores(run, languages),
            {"hconcat": views},
        ],
        "spacing": 24,
        "resolve": {"scale": {"color": "independent", "shape": "independent"}},
    }


def _verdicts(view: str, run: FigureRun, languages: Sequence[str]) -> Specification:
    values = [
        {"language": language, **piece}
        for language in languages
        for piece in pieces(verdict_counts(run, language), "shares")
    ]
    y = {"field": "language", "type": "nominal", "sort": list(languages), "title": None}
    return {
        "name": view,
        "data": {"values": values},
        "width": 380,
        "height": {"step": 26},
        "layer": piece_layers(y, "shares", f"{view}_color"),
    }


def _scores(run: FigureRun, languages: Sequence[str]) -> Specification:
    values = [
        _value(panel, language, part, find_score(run, metric, language, subset, setting))
        for panel, (metric, setting) in PANELS.items()
        for language in (*languages, None)
        for part, subset in zip(PARTS, (None, *PARTS_OF_SPEECH), strict=True)
        if setting is None or subset is None
    ]
    panels = list(PANELS)
    errors = [score for score in run.scores if _is_model_errors(score)]
    if errors:
        panels.append(MODEL_ERRORS)
        values += [_value(MODEL_ERRORS, score.language, EVERY, score) for score in errors]
    place: Specification = {
        "y": {"field": "language", "type": "nominal", "sort": [*languages, MEAN], "title": None},
        "yOffset": {"field": "label", "type": "nominal", "sort": list(PARTS)},
    }
    return {
        "data": {"values": values},
        "facet": {"field": "panel", "sort": panels, "title": None},
        "columns": N_COLUMNS,
        "spec": {
            "width": 130,
            "height": (len(languages) + 1) * ROW,
            "layer": [
                *(_baseline_layer(field, place["y"]) for field in BASELINES),
                *point_layers(place, PARTS, along="x", title="", domain=(0, 1)),
            ],
        },
    }


def _baseline_layer(field: str, y: Mapping[str, Any]) -> Specification:
    x = {"field": field, "type": "quantitative", "title": ""}
    return {
        "transform": [{"filter": f"isValid(datum['{field}'])"}],
        "mark": {"type": "tick", "style": "reference-mark", "size": 30, "thickness": 2},
        "encoding": {"y": y, "x": x, "tooltip": [{"field": field}]},
    }


def _is_model_errors(score: Score) -> bool:
    return score.metric == "model_error_share" and score.subset is None and score.setting is None


def _value(panel: str, language: str | None, part: str, score: Score | None) -> dict[str, Any]:
    return {
        "panel": panel,
        "language": MEAN if language is None else language,
        "label": part,
        "value": None if score is None else score.value,
        "low": None if score is None else score.ci_low,
        "high": None if score is None else score.ci_high,
        "n": 0 if score is None else score.n,
        **_baselines(panel, part, score),
    }


def _baselines(panel: str, part: str, score: Score | None) -> dict[str, float | None]:
    if score is None or panel != METRICS["accuracy"] or part != EVERY:
        return {}
    return {name: score.baselines.get(name) for name in BASELINES}


def _finding(name: str, run: FigureRun) -> str:
    cells = []
    for metric, called in METRICS.items():
        score = find_score(run, metric, None)
        value = None if score is None else score.value
        cells.append(f"{called} no value" if value is None else f"{called} {value:.3f}")
    return f"{name}, means of languages: {', '.join(cells)}."
