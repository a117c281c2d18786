"""What a person reads in the terminal: aligned tables that fit 80 columns, one line a step."""

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from metrics.score import Score
from services.metrics.published import published_for
from storage.records import Spending

MAX_ROWS = 60
"""More rows than these are no glance."""
N_BAR = 10
NO_TERMINAL_WIDTH = 132
WIDE = 110


def say(message: str) -> None:
    """Tell on stderr, in one line, what is being done."""
    sys.stderr.write(message + "\n")
    sys.stderr.flush()


def print_json(document: Any) -> None:  # noqa: ANN401  # any JSON value
    """Print one JSON document on stdout and nothing else."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print an aligned table; numbers, in columns whose name ends in a blank, to the right."""
    table = Table(title=title or None, title_justify="left", box=None, pad_edge=False)
    for column in columns:
        is_number = column.endswith(" ")
        table.add_column(
            column.strip(),
            justify="right" if is_number else "left",
            no_wrap=is_number,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*row)
    console().print(table)


def console() -> Console:
    """Return where tables are printed; markup in data is never obeyed."""
    width = None if sys.stdout.isatty() else NO_TERMINAL_WIDTH
    return Console(markup=False, highlight=False, width=width)


def print_scores(scores: Sequence[Score]) -> None:
    """Print scores with their interval, n and coverage; baselines where the line has room."""
    is_wide = console().width >= WIDE
    columns = ["task", "metric", "language", "of", "value ", "95% interval ", "n ", "cov. "]
    if is_wide:
        columns += ["", "baselines"]
    rows = [_score_row(score, is_wide=is_wide) for score in scores]
    print_table("", columns, rows)
    for reason in dict.fromkeys(score.reason for score in scores if score.reason):
        sys.stdout.write(f"– {reason}\n")


def without_empty_headlines(scores: Iterable[Score]) -> list[Score]:
    """Leave out headline rows without a value where rows by subset, which are there, have one.

    What must not be pooled has no headline; its subsets are shown instead of a dash.
    """
    rows = list(scores)
    split = {_headline_of(row) for row in rows if row.subset is not None and row.value is not None}
    return [
        row
        for row in rows
        if row.subset is not None or row.value is not None or _headline_of(row) not in split
    ]


def worth_a_glance(found: Sequence[Score]) -> list[Score]:
    """Return the headline rows; the subsets too where these are few, or must not be pooled.

    Where there are many and some must not be pooled: those, and each task's main (first) metric.
    """
    plain = [score for score in found if score.setting is None and score.layer is None]
    shown = without_empty_headlines(plain)
    if len(plain) <= MAX_ROWS:
        return shown
    headlines = [score for score in plain if score.subset is None]
    if len(shown) == len(plain):
        return headlines
    main = {score.task: score.metric for score in reversed(headlines)}
    left = {_headline_of(score) for score in shown if score.subset is None}
    wanted = {
        key
        for score in headlines
        if (key := _headline_of(score)) not in left or score.metric == main[score.task]
    }
    return [score for score in shown if score.subset is None or _headline_of(score) in wanted]


def undefined_sentences(scores: Iterable[Score]) -> list[str]:
    """Say which tasks' main scores have no value, and why; the first row of a task is its main one.

    A mean is told of only where every language has a value.
    """
    rows = [row for row in scores if row.task is not None and row.subset is None]
    main = {row.task: row.metric for row in reversed(rows)}
    named: dict[tuple[str | None, str, str], list[str]] = {}
    for row in sorted(rows, key=lambda row: row.language is None):
        if row.metric != main[row.task] or row.value is not None:
            continue
        is_told = any(task == row.task for task, _, _ in named)
        if row.language is None and is_told:
            continue
        key = (row.task, row.metric, row.reason or "not known why")
        named.setdefault(key, []).append(row.language or "the mean")
    return [
        f"{task}: no {metric} for {', '.join(dict.fromkeys(languages))}: {reason}"
        for (task, metric, reason), languages in named.items()
    ]


def _headline_of(score: Score) -> tuple[object, ...]:
    return (score.task, score.metric, score.language, score.layer, score.setting)


def print_published(scores: Sequence[Score]) -> None:
    """Print what the papers report beside one's own scores; nothing where they report nothing."""
    found = published_for(scores)
    if not found:
        return
    rows = [
        (
            score.task or "all",
            score.metric,
            score.language or "mean",
            "–" if score.value is None else number(score.value),
            " · ".join(f"{value.system} {number(value.value)}" for value in values),
        )
        for score, values in found
    ]
    sys.stdout.write("\n")
    columns = ("task", "metric", "language", "own ", "others")
    print_table("published, on the released data", columns, rows)
    values = [value for _, beside in found for value in beside]
    for source in dict.fromkeys(f"{value.table}: {value.source}" for value in values):
        sys.stdout.write(f"– {source}\n")
    for note in dict.fromkeys(value.known_error or value.note for value in values):
        if note is not None:
            sys.stdout.write(f"– {note}\n")


def spending_sentence(spent: Spending) -> str:
    """Return what a run has taken in one line; empty where nobody counts."""
    parts = []
    if spent.input_tokens or spent.output_tokens:
        parts.append(f"{spent.input_tokens} tokens read, {spent.output_tokens} written")
    if spent.characters:
        parts.append(f"{spent.characters} characters")
    if not parts:
        return ""
    if spent.is_partly_unpriced:
        parts.append("price not known")
    else:
        parts.append(f"{spent.money:.4f} {spent.currency or ''}".rstrip())
    if spent.held:
        parts.append(f"{spent.held:.4f} held for calls whose end nobody saw")
    return f"{', '.join(parts)}; {spent.n_asked} requests asked, {spent.n_saved} saved"


def _score_row(score: Score, *, is_wide: bool) -> list[str]:
    layer = None if score.layer is None else f"layer={score.layer}"
    row = [
        score.task or "all",
        score.metric,
        score.language or "mean",
        " ".join(part for part in (score.subset, layer, score.setting) if part),
        "–" if score.value is None else number(score.value),
        _interval(score),
        str(score.n),
        "–" if score.coverage is None else f"{score.coverage:.0%}",
    ]
    return [*row, _bar(score), _baselines(score)] if is_wide else row


def number(value: float) -> str:
    """Print a score's value: three decimals, and no minus sign before a zero."""
    return f"{value:z.3f}"


def _interval(score: Score) -> str:
    if score.ci_low is None or score.ci_high is None:
        return "–"
    return f"{number(score.ci_low)} {number(score.ci_high)}"


def _bar(score: Score) -> str:
    if score.value is None or not 0 <= score.value <= 1:
        return ""
    n_full = round(score.value * N_BAR)
    return "▪" * n_full + "·" * (N_BAR - n_full)


def _baselines(score: Score) -> str:
    return " ".join(
        f"{name} {number(value)}" for name, value in score.baselines.items() if value is not None
    )
