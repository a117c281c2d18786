"""Are nouns easier than verbs? Any score of DiBiMT by part of speech.

Source: Campolungo et al. 2022 (DiBiMT), Table 6.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from metrics.figures.dibimt_cells import (
    MEAN,
    METRICS,
    PARTS_OF_SPEECH,
    SOURCE,
    counts_text,
    find_score,
    languages_of,
)
from metrics.figures.figure import Figure, FigureRun
from metrics.figures.options import chosen
from metrics.figures.run_names import run_names
from metrics.figures.style import Specification, by_label, caption, finished, interval_layers

KIND = "dibimt-pos"
OPTIONS = {"metric": tuple(METRICS)}
N_COLUMNS = 3


def draw(runs: Sequence[FigureRun], options: Mapping[str, str]) -> Figure:
    """Draw a panel a language and one of their mean; two bars a run.

    Args:
        runs: At least one with translations.
        options: `metric=`, one of the scores of the paper; accuracy as in Table 6.

    Raises:
        FigureError: No run has translations, or an option is not allowed.
    """
    metric = chosen(options, OPTIONS, KIND)["metric"]
    languages, names = languages_of(runs), run_names(runs)
    values = [
        {
            "label": name,
            "language": MEAN if language is None else language,
            "pos": pos,
            **_cell(run, metric, language, pos),
        }
        for name, run in zip(names, runs, strict=True)
        for language in (*languages, None)
        for pos in PARTS_OF_SPEECH
    ]
    body = {
        "data": {"values": values},
        "facet": {"field": "language", "sort": [*languages, MEAN], "title": None},
        "columns": min(N_COLUMNS, len(languages) + 1),
        "spec": {
            "width": 190,
            "height": {"step": 14, "for": "offset"},
            "layer": _layers(names, METRICS[metric]),
        },
    }
    better = "Higher" if metric == "accuracy" else "Lower"
    words = caption(
        f"{better} is better; {METRICS[metric]} of nouns and of verbs with 95 % intervals over"
        " lemmas; the mean over languages is unweighted",
        counts_text(runs),
        f"{SOURCE}, Table 6, whose column ALL does not equal the means of its cells",
    )
    title = f"DiBiMT: {METRICS[metric]} by part of speech"
    return finished(KIND, title, words, _finding(values, names), body)


def _cell(run: FigureRun, metric: str, language: str | None, pos: str) -> dict[str, Any]:
    score = find_score(run, metric, language, pos)
    return {
        "value": None if score is None else score.value,
        "low": None if score is None else score.ci_low,
        "high": None if score is None else score.ci_high,
        "n": 0 if score is None else score.n,
    }


def _layers(names: Sequence[str], title: str) -> list[Specification]:
    place: Specification = {
        "y": {"field": "label", "type": "nominal", "sort": list(names), "title": None},
        "yOffset": {"field": "pos", "type": "nominal", "sort": list(PARTS_OF_SPEECH)},
    }
    x = {"field": "value", "type": "quantitative", "title": title, "scale": {"domain": [0, 1]}}
    tooltip = [{"field": field} for field in ("label", "language", "pos", "value", "n")]
    return [
        {
            "transform": [{"filter": "isValid(datum.value)"}],
            "mark": {"type": "bar", "height": 11},
            "encoding": {**place, "x": x, **by_label("pos", PARTS_OF_SPEECH), "tooltip": tooltip},
        },
        *interval_layers("low", "high", axis="x", other=place, title=title, cap=5),
        {
            "transform": [{"filter": "!isValid(datum.value)"}],
            "mark": {
                "type": "text", "style": "missing", "text": "no value", "align": "left", "dx": 4
            },
            "encoding": {**place, "x": {"datum": 0, "type": "quantitative"}},
        },
    ]  # fmt: skip


def _finding(values: Sequence[Mapping[str, Any]], names: Sequence[str]) -> str:
    found = []
    for name in names:
        means = {
            each["pos"]: each["value"]
            for each in values
            if (each["label"], each["language"]) == (name, MEAN)
        }
        cells = (
            f"{pos} no value" if value is None else f"{pos} {value:.3f}"
            for pos, value in means.items()
        )
        found.append(f"{name}, mean of languages: {', '.join(cells)}.")
    return " ".join(found)
