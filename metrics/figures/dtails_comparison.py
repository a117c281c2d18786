"""Lexical choice by models with and without rules and by translation systems, a panel a language.

Source: Barua et al. 2024 (arXiv:2411.05781), Figure 2.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from metrics.errors import FigureError
from metrics.figures.figure import Figure, FigureRun
from metrics.figures.missing import MissingNotes, missing_layer
from metrics.figures.options import chosen
from metrics.figures.run_names import run_names
from metrics.figures.style import by_label, caption, finished, interval_layers
from metrics.score import Score

KIND = "dtails-comparison"
OPTIONS = {"spread": ("sd", "interval"), "show": ("select,translate", "select", "translate")}
SPREAD = {
    "sd": "whiskers are ± one standard deviation over seeds",
    "interval": "whiskers are 95 % intervals",
}
CONDITIONS = ("no rules", "own rules", "another's rules", "translation system", "baseline")
LINES = ("frequency", "chance")
COLUMNS = 3
WIDTH, STEP = 210, 24
Row = dict[str, Any]


def draw(runs: Sequence[FigureRun], options: Mapping[str, str]) -> Figure:
    """Draw a bar for each run and language, lines for frequency and chance."""
    choice = chosen(options, OPTIONS, KIND)
    tasks = choice["show"].split(",")
    bars = [(name, run, task) for name, run, task in _bars(runs) if task in tasks]
    found = [(name, run, task, _scores(run, task)) for name, run, task in bars]
    languages = sorted({language for *_, scores in found for language in scores})
    if not languages:
        raise FigureError(f"figure {KIND!r}: the runs have no accuracy of {' or '.join(tasks)}")
    notes = MissingNotes()
    rows = [
        _row(name, _condition(run, task), language, scores.get(language))
        | {"missing": notes.words(scores.get(language))}
        for name, run, task, scores in found
        for language in languages
    ]
    for row in rows:
        _add_spread(row, choice["spread"])
    words = caption(
        f"Longer bars are better; {SPREAD[choice['spread']]}; dashed lines: the most frequent"
        " variation, and chance",
        f"{sum(_n(rows, language) for language in languages):,} sentences in {len(languages)}"
        " languages",
        "Barua et al. 2024 (arXiv:2411.05781), Figure 2",
    )
    title = "DTAiLS: is the right variation chosen?"
    names = [name for name, *_ in bars]
    panels = [
        _panel([row for row in rows if row["language"] == each], names, each, number % COLUMNS == 0)
        for number, each in enumerate(languages)
    ]
    body = {"concat": panels, "columns": COLUMNS, "spacing": 18}
    return finished(KIND, title, words + notes.sentence(), _finding(rows, languages), body)


def _bars(runs: Sequence[FigureRun]) -> list[tuple[str, FigureRun, str]]:
    """Return a bar for each task of each run; a run of both tasks has two."""
    found = []
    for run, name in zip(runs, run_names(runs), strict=True):
        tasks = list(dict.fromkeys(score.task for score in run.scores if score.task))
        for task in tasks:
            label = f"{name} · {task}" if len(tasks) > 1 else name
            found.append((label, run, task))
    return found


def _condition(run: FigureRun, task: str) -> str:
    if run.model.startswith("baseline:"):
        return CONDITIONS[4]
    if task == "translate":
        return CONDITIONS[3]
    rules = str(run.settings.get("rules", "none"))
    return {"none": CONDITIONS[0], "self": CONDITIONS[1]}.get(rules, CONDITIONS[2])


def _scores(run: FigureRun, task: str) -> dict[str, Score]:
    return {
        score.language: score
        for score in run.scores
        if (score.metric, score.task, score.subset, score.setting) == ("accuracy", task, None, None)
        and score.language is not None
    }


def _row(name: str, condition: str, language: str, score: Score | None) -> Row:
    return {
        "run": name,
        "condition": condition,
        "language": language,
        "value": score and score.value,
        "ci_low": score and score.ci_low,
        "ci_high": score and score.ci_high,
        "sd": score and score.sd,
        "n": 0 if score is None else score.n,
        **{line: None if score is None else score.baselines.get(line) for line in LINES},
    }


def _add_spread(row: Row, spread: str) -> None:
    low, high = row.pop("ci_low"), row.pop("ci_high")
    value, sd = row["value"], row["sd"]
    if spread == "sd":
        has_both = value is not None and sd is not None
        low, high = (value - sd, value + sd) if has_both else (None, None)
    row["low"], row["high"] = low, high


def _n(rows: Sequence[Row], language: str) -> int:
    return max(int(row["n"]) for row in rows if row["language"] == language)


def _panel(rows: Sequence[Row], names: Sequence[str], language: str, is_first: bool) -> Row:
    y = {"field": "run", "type": "nominal", "title": None, "sort": list(names),
         "axis": {"labels": is_first, "ticks": is_first}}  # fmt: skip
    x = {"field": "value", "type": "quantitative", "title": "accuracy",
         "scale": {"domain": [0, 1]}}  # fmt: skip
    other = {"y": y}
    return {
        "title": {"text": f"{language} (n = {_n(rows, language):,})", "fontSize": 12,
                  "offset": 6, "frame": "group"},
        "data": {"values": list(rows)},
        "width": WIDTH,
        "height": {"step": STEP},
        "layer": [
            {"mark": {"type": "bar", "height": {"band": 0.7}},
             "encoding": other | {"x": x} | by_label("condition", CONDITIONS)},
            *interval_layers("low", "high", axis="x", other=other, title="accuracy"),
            *_line_layers(rows),
            missing_layer("x", 0.0, other),
        ],
    }  # fmt: skip


def _line_layers(rows: Sequence[Row]) -> list[Row]:
    """Return the lines of the baselines, by the run that answered most, and their names."""
    fullest = max(rows, key=lambda row: int(row["n"]))
    found = sorted((fullest[line], line) for line in LINES if fullest[line] is not None)
    x = {"field": "at", "type": "quantitative"}
    layers: list[Row] = []
    for number, (at, line) in enumerate(found):
        data = {"data": {"values": [{"at": at, "name": line}]}}
        align = "right" if number == 0 and len(found) > 1 else "left"
        mark = {"type": "text", "style": "reference-label", "baseline": "bottom", "y": -2,
                "align": align}  # fmt: skip
        layers += [
            {**data, "mark": {"type": "rule", "style": "reference"}, "encoding": {"x": x}},
            {**data, "mark": mark, "encoding": {"x": x, "text": {"field": "name"}}},
        ]
    return layers


def _finding(rows: Sequence[Row], languages: Sequence[str]) -> str:
    sentences = []
    for language in languages:
        known = [row for row in rows if row["language"] == language and row["value"] is not None]
        if not known:
            sentences.append(f"{language}: no value.")
            continue
        best = max(known, key=lambda row: float(row["value"]))
        line = "" if best["frequency"] is None else f", frequency {best['frequency']:.2f}"
        sentences.append(
            f"{language}: best {best['run']} ({best['condition']}) {best['value']:.2f}{line}."
        )
    return "Share of right variations. " + " ".join(sentences)
