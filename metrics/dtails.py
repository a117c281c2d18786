"""DTAiLS' scores: accuracy a language, its spread over seeds, and what stands beside it.

Paper: Barua et al. 2024 (arXiv:2411.05781). Accuracy is micro over a language's items (each the
mean over seeds); an unreadable answer is wrong, a failed call is unscored. Parsed accuracy is over
the answers that could be read, each for itself.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from metrics.dtails_cells import (
    Cell,
    ItemMean,
    ValueOf,
    cell_scores,
    language_estimate,
    macro_estimate,
    make_score,
    mean_of_known,
)
from metrics.dtails_positions import position_shares
from metrics.score import Score
from metrics.statistics.intervals import proportion
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
        parsed = replace(cell, value_of=_parsed_value, metric="parsed_accuracy", is_by_case=True)
        found += cell_scores(parsed, seed)
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
    """Return the prompt style in a variant's name (`seed1.short`); empty for the headline's."""
    return row.variant.partition(".")[2]


def _with_style(cell: Cell, style: str) -> Cell:
    kept = [row for row in cell.rows if _style(row) == style]
    return Cell(kept, cell.task, cell.value_of, f"prompt_style={style}" if style else None)


def _other_verdicts(cell: Cell, settings: Mapping[str, Any], seed: int) -> Iterator[Score]:
    """Yield what the parser or matcher that was not chosen makes of the same answers."""
    entry, setting = _VERDICTS[cell.task]
    names = dict.fromkeys(name for row in cell.rows for name in row.detail.get(entry, ()))
    for name in names:
        if name != settings.get(setting, "released"):
            other = Cell(cell.rows, cell.task, _verdict_of(entry, name), f"{setting}={name}")
            yield from cell_scores(other, seed)


def _verdict_of(entry: str, name: str) -> ValueOf:
    def value_of(row: OutcomeRow) -> float | None:
        verdict = row.detail.get(entry, {}).get(name)
        return None if verdict is None else float(verdict["value"])

    return value_of


def _styles(cell: Cell, headline: Cell, seed: int) -> Iterator[Score]:
    """Yield each further style, then the mean over all: its sd is over styles and orders."""
    others = [style for style in dict.fromkeys(map(_style, cell.rows)) if style]
    for style in others:
        yield from cell_scores(_with_style(cell, style), seed)
    if others:
        both = Cell(cell.rows, cell.task, headline.value_of, "prompt_style=all")
        yield from cell_scores(both, seed)


def _by_concept(cell: Cell, seed: int) -> Iterator[Score]:
    """Yield each concept's accuracy, then the means over concepts."""
    concept_means: list[ItemMean] = []
    for language in cell.languages:
        part = cell.of_language(language)
        for concept in dict.fromkeys(row.unit for row in part.rows):
            one = Cell([row for row in part.rows if row.unit == concept], cell.task, cell.value_of)
            values = [item.value for item in one.item_means()]
            estimate = proportion(
                values, list(map(str, range(len(values)))), [language] * len(values), seed
            )
            score = make_score(one, estimate, language, subset=concept)
            yield score.model_copy(update={"unit": "item"})
            concept_means.append(ItemMean(language, concept, mean_of_known(values)))
    yield from _concept_averages(cell, concept_means, seed)


def _concept_averages(cell: Cell, means: Sequence[ItemMean], seed: int) -> Iterator[Score]:
    averaged = Cell(cell.rows, cell.task, cell.value_of, "average=concept")
    for language in cell.languages:
        kept = [item for item in means if item.language == language]
        part = averaged.of_language(language)
        yield _without_sd(make_score(part, language_estimate(kept, seed), language))
    yield _without_sd(make_score(averaged, macro_estimate(means, seed), None))


def _without_sd(score: Score) -> Score:
    """Drop the spread over seeds, which is that of the mean over items."""
    return score.model_copy(update={"sd": None})
