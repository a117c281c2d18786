"""Spearman's correlation by language, with intervals, the word overlap and published values.

Source: Ousidhoum et al. 2024 (arXiv:2402.08638), Table 11 and the authors' released results.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.published import PublishedValue, published_by_key
from metrics.figures.figure import Figure, FigureRun
from metrics.figures.missing import missing_layer, missing_lines, missing_note
from metrics.figures.options import chosen
from metrics.figures.run_names import run_names
from metrics.figures.style import by_label, caption, finished, interval_layers
from metrics.score import Score

KIND = "semrel-spearman"
OPTIONS = {"published": ("main", "all", "none")}
MAIN_SYSTEMS = ("LaBSE, untuned", "LaBSE, tuned on all train sets together", "lexical overlap")
TITLE = "Spearman's ρ with gold relatedness"
Row = dict[str, Any]


def draw(runs: Sequence[FigureRun], options: Mapping[str, str]) -> Figure:
    """Draw a group of bars a language; published values are open marks."""
    published = chosen(options, OPTIONS, KIND)["published"]
    names = run_names(runs)
    rows = [row for run, name in zip(runs, names, strict=True) for row in _rows(run, name)]
    languages = sorted({row["language"] for row in rows})
    references = list(_references(languages, published))
    n = max((sum(row["n"] for row in rows if row["run"] == name) for name in names), default=0)
    words = caption(
        "Longer bars are better: 1 is the gold's order, 0 none; whiskers are 95 % intervals, open"
        " marks published values",
        f"{n:,} pairs in {len(languages)} languages",
        "Ousidhoum et al. 2024 (arXiv:2402.08638)",
    )
    return finished(
        KIND,
        "SemRel2024: does a model order sentence pairs as people do?",
        words + missing_note(rows),
        _finding(rows, names),
        _body(rows, references, names),
    )


def headline_scores(run: FigureRun) -> dict[str, Score]:
    """Return the score of each language as the run was asked."""
    return {
        score.language: score
        for score in run.scores
        if score.metric == "spearman" and score.language and score.setting is None
    } or {
        score.language: score
        for score in run.scores
        if score.metric == "spearman" and score.language and "split=" not in (score.setting or "")
    }


def _rows(run: FigureRun, name: str) -> Iterator[Row]:
    for language, score in headline_scores(run).items():
        yield {
            "run": name,
            "language": language,
            "value": score.value,
            "low": score.ci_low,
            "high": score.ci_high,
            "n": score.n,
            "missing": missing_lines(score, width=60),
        }


def _references(languages: Sequence[str], which: str) -> Iterator[Row]:
    table = published_by_key("semrel")
    for language in languages:
        found: tuple[PublishedValue, ...] = table.get(
            ("relatedness", "spearman", language, None), ()
        )
        for value in found if which != "none" else ():
            if which == "all" or value.system in MAIN_SYSTEMS:
                yield {"language": language, "value": value.value, "system": value.system}


def _body(rows: Sequence[Row], references: Sequence[Row], names: Sequence[str]) -> Row:
    y = {"field": "language", "type": "nominal", "title": None}
    other = {"y": y, "yOffset": {"field": "run", "scale": {"domain": list(names)}}}
    value = {"field": "value", "type": "quantitative", "title": TITLE}
    layers: list[Row] = [
        {"mark": {"type": "bar"}, "encoding": other | {"x": value} | by_label("run", names)},
        *interval_layers("low", "high", axis="x", other=other, title=TITLE),
        missing_layer("x", 0.0, other),
    ]
    if references:
        systems = list(dict.fromkeys(row["system"] for row in references))
        layers.append(_reference_layer(references, systems, y, value))
    return {
        "data": {"values": list(rows)},
        "width": 460,
        "height": {"step": 22 if len(names) == 1 else 13, "for": "offset"},
        "layer": layers,
        "resolve": {"scale": {"shape": "independent"}},
    }  # fmt: skip


def _reference_layer(rows: Sequence[Row], systems: Sequence[str], y: Row, value: Row) -> Row:
    legend = {"title": "published", "columns": 2, "symbolFillColor": "transparent"}
    shape = {"field": "system", "type": "nominal", "scale": {"domain": list(systems)},
             "legend": legend}  # fmt: skip
    return {
        "data": {"values": list(rows)},
        "mark": {"type": "point", "style": "reference-mark", "filled": False, "size": 45},
        "encoding": {"y": y, "x": value, "shape": shape},
    }


def _finding(rows: Sequence[Row], names: Sequence[str]) -> str:
    sentences = []
    for name in names:
        known = [row for row in rows if row["run"] == name and row["value"] is not None]
        if not known:
            sentences.append(f"{name} has no value in any language.")
            continue
        best = max(known, key=lambda row: float(row["value"]))
        worst = min(known, key=lambda row: float(row["value"]))
        sentences.append(
            f"{name}: from {worst['value']:.2f} ({worst['language']}) to {best['value']:.2f}"
            f" ({best['language']}) over {len(known)} languages."
        )
    return "Spearman's correlation of predicted and gold relatedness. " + " ".join(sentences)
