"""DTAiLS' scores: accuracy a language, its spread over seeds, and what stands beside it.

Paper: Barua et al. 2024 (arXiv:2411.05781). Accuracy is micro over a language's items (each the
mean over seeds); an unreadable answer is wrong, a failed call is unscored. Parsed accuracy is over
the answers that could be read, each for itself.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from metrics.dtails_cells import Cell, cell_scores, language_estimate, make_score, spread_scores
from metrics.dtails_positions import position_shares
from metrics.score import Score
from metrics.table import OutcomeRow

_VERDICTS = {"select": ("parsers", "parser"), "translate": ("matchers", "matcher")}
"""A task's entry of verdicts in an outcome's detail, and the setting that picks among them."""


def scores(rows: Sequence[OutcomeRow], settings: Mapping[str, Any], seed: int) -> list[Score]:
    """Return the headline rows of every task first, then all that varies inside the run."""
    cells = [
        Cell([row for row in rows if row.task == task], task, _value)
        for task in dict.fromkeys(row.task for row in rows)
    ]
    headlines = [_with_style(cell, "") for cell in cells]
    found = [score for cell in headlines for score in cell_scores(cell, seed)]
    for cell in headlines:
        parsed = replace(cell, value_of=_parsed_value, metric="parsed_accuracy", average="case")
        found += cell_scores(parsed, seed)
    for cell, headline in zip(cells, headlines, strict=True):
        if len(headline.rows) < len(cell.rows):
            found += spread_scores(replace(cell, value_of=headline.value_of))
    for cell, headline in zip(cells, headlines, strict=True):
        found += _other_verdicts(headline, settings, seed)
        found += _styles(cell, headline, seed)
        found += _by_concept(headline, seed)
        found += position_shares(headline.rows, seed)
    return found


def _value(row: OutcomeRow) -> float | None:
    return row.value


def _parsed_value(row: OutcomeRow) -> float | None:
    return row.value if row.status == "valid" else None


def _style(row: OutcomeRow) -> str:
    """Return the style in a variant's name (`seed1.short`, `short`); empty for the headline's."""
    return row.variant.partition(".")[2] if row.variant.startswith("seed") else row.variant


def _with_style(cell: Cell, style: str) -> Cell:
    kept = [row for row in cell.rows if _style(row) == style]
    return Cell(kept, cell.task, cell.value_of, f"prompt_style={style}" if style else None)


def _other_verdicts(cell: Cell, settings: Mapping[str, Any], seed: int) -> Iterator[Score]:
    """Yield what the parser or matcher that was not chosen makes of the same answers."""
    entry, setting = _VERDICTS[cell.task]
    names = dict.fromkeys(name for row in cell.rows for name in row.detail.get(entry, ()))
    for name in names:
        if name != settings.get(setting, "released"):
            yield from cell_scores(_read_by(cell, entry, name, f"{setting}={name}"), seed)


def _read_by(cell: Cell, entry: str, name: str, setting: str) -> Cell:
    """Return the cell as another parser or matcher reads it."""

    def value_of(row: OutcomeRow) -> float | None:
        verdict = row.detail.get(entry, {}).get(name)
        return None if verdict is None else float(verdict["value"])

    def is_read(row: OutcomeRow) -> bool:
        return row.detail.get(entry, {}).get(name, {}).get("predicted") is not None

    return Cell(cell.rows, cell.task, value_of, setting, is_read=is_read)


def _styles(cell: Cell, headline: Cell, seed: int) -> Iterator[Score]:
    """Yield each further style, then the mean over all: its sd is over styles and orders."""
    others = [style for style in dict.fromkeys(map(_style, cell.rows)) if style]
    for style in others:
        yield from cell_scores(_with_style(cell, style), seed)
    if others:
        both = Cell(cell.rows, cell.task, headline.value_of, "prompt_style=all")
        yield from cell_scores(both, seed)


def _by_concept(cell: Cell, seed: int) -> Iterator[Score]:
    """Yield each concept's accuracy, then the means over concepts.

    A concept is one sampling unit: its accuracy has no interval.
    """
    for language in cell.languages:
        part = cell.of_language(language)
        for concept in dict.fromkeys(row.unit for row in part.rows):
            one = replace(part, rows=[row for row in part.rows if row.unit == concept])
            estimate = language_estimate(one.means(), seed)
            yield make_score(one, estimate, language, subset=concept)
    averaged = replace(cell, setting="average=concept", average="concept")
    # The spread over seeds is that of the mean over items.
    for score in cell_scores(averaged, seed):
        yield score.model_copy(update={"sd": None})
