"""Spearman's correlation by language, with intervals, the word overlap and published values.

Source: Ousidhoum et al. 2024 (arXiv:2402.08638), Table 11 and the authors' released results.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.published import PublishedValue, published_by_key
from metrics.figures.figure import Figure, FigureRun
from metrics.figures.missing import MissingNotes, missing_layer
from metrics.figures.options import chosen
from metrics.figures.run_names import run_names
from metrics.figures.style import by_label, caption, finished, interval_layers
from metrics.score import Score

KIND = "semrel-spearman"
OPTIONS = {"published": ("main", "none")}
MAIN_SYSTEMS = ("LaBSE, untuned", "LaBSE, tuned on all train sets together", "lexical overlap")
LANE = "published"
"""Where published values stand, below a language's bars."""
TITLE = "Spearman's ρ with gold relatedness"
Row = dict[str, Any]


def draw(runs: Sequence[FigureRun], options: Mapping[str, str]) -> Figure:
    """Draw a group of bars a language; published values are open marks."""
    published = chosen(options, OPTIONS, KIND)["published"]
    names = run_names(runs)
    found = [headline_scores(run) for run in runs]
    languages = sorted({language for scores in found for language in scores})
    notes = MissingNotes()
    rows = [
        _row(name, language, scores.get(language), notes)
        for scores, name in zip(found, names, strict=True)
        for language in languages
    ]
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
        words + notes.sentence(),
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


def _row(name: str, language: str, score: Score | None, notes: MissingNotes) -> Row:
    return {
        "run": name,
        "language": language,
        "value": None if score is None else score.value,
        "low": None if score is None else score.ci_low,
        "high": None if score is None else score.ci_high,
        "n": 0 if score is None else score.n,
        "missing": notes.words(score, 60),
    }


def _references(languages: Sequence[str], which: str) -> Iterator[Row]:
    table = published_by_key("semrel")
    for language in languages:
        found: tuple[PublishedValue, ...] = table.get(
            ("relatedness", "spearman", language, None), ()
        )
        for value in found if which != "none" else ():
            if value.system in MAIN_SYSTEMS:
                yield {
                    "run": LANE,
                    "language": language,
                    "value": value.value,
                    "system": value.system,
                }


def _body(rows: Sequence[Row], references: Sequence[Row], names: Sequence[str]) -> Row:
    y = {"field": "language", "type": "nominal", "title": None}
    lanes = [*names, LANE] if references else list(names)
    offset = {"field": "run", "type": "nominal", "scale": {"domain": lanes}}
    other = {"y": y, "yOffset": offset}
    value = {"field": "value", "type": "quantitative", "title": TITLE}
    layers: list[Row] = [
        {"mark": {"type": "bar"}, "encoding": other | {"x": value} | by_label("run", names)},
        *interval_layers("low", "high", axis="x", other=other, title=TITLE),
        missing_layer("x", 0.0, other),
    ]
    if references:
        systems = list(dict.fromkeys(row["system"] for row in references))
        layers.append(_reference_layer(references, systems, other, value))
    return {
        "data": {"values": list(rows)},
        "width": 460,
        "height": {"step": 15, "for": "offset"},
        "layer": layers,
        "resolve": {"scale": {"shape": "independent"}},
    }  # fmt: skip


def _reference_layer(rows: Sequence[Row], systems: Sequence[str], other: Row, value: Row) -> Row:
    legend = {"title": "published", "columns": 2, "symbolFillColor": "transparent"}
    shape = {"field": "system", "type": "nominal", "scale": {"domain": list(systems)},
             "legend": legend}  # fmt: skip
    return {
        "data": {"values": list(rows)},
        "mark": {"type": "point", "style": "reference-mark", "filled": False, "size": 45},
        "encoding": other | {"x": value, "shape": shape},
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
