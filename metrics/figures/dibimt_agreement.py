"""Does a system take the same sense of a word in two languages?

Source: Campolungo et al. 2022 (DiBiMT), Figures 4 and 9-15.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from metrics.errors import FigureError
from metrics.figures.dibimt_cells import MEAN, SOURCE, find_score, languages_of
from metrics.figures.figure import Figure, FigureRun
from metrics.figures.heat_map import CELL, heat_layers
from metrics.figures.options import chosen
from metrics.figures.panels import panel_title
from metrics.figures.run_names import run_names
from metrics.figures.style import Specification, caption, finished

KIND = "dibimt-agreement"
METRIC = "sense_agreement"
ALL_SYSTEMS = f"{MEAN} of systems"
N_COLUMNS = 3


def draw(runs: Sequence[FigureRun], options: Mapping[str, str]) -> Figure:
    """Draw one map a run and, of several runs, one of their mean.

    Args:
        runs: At least one that translated into two languages.
        options: None.

    Raises:
        FigureError: No run translated into two languages, or there is an option.
    """
    chosen(options, {}, KIND)
    languages, names = languages_of(runs), run_names(runs)
    if len(languages) < 2:
        raise FigureError(f"an agreement needs two languages; met {languages[0]} alone")
    by_name = {name: agreement_cells(run, languages) for name, run in zip(names, runs, strict=True)}
    if len(runs) > 1:
        by_name[ALL_SYSTEMS] = _mean_cells(list(by_name.values()))
    body = {
        "concat": [
            {"title": panel_title(name), **agreement_view(cells, languages)}
            for name, cells in by_name.items()
        ],
        "columns": N_COLUMNS,
        "spacing": 30,
    }
    n = [cell["n"] for name in names for cell in by_name[name] if cell["n"]]
    words = caption(
        "Dark is much: of the items that are GOOD or BAD in both languages, the share whose matched"
        " words have a sense in common; much agreement with many errors is a bias of the system,"
        " not of a language",
        f"{min(n, default=0):,} to {max(n, default=0):,} items a pair of languages",
        f"{SOURCE}, Figures 4 and 9-15; the mean of systems is unweighted and"
        " has no value where a system has none",
    )
    finding = " ".join(_finding(name, cells) for name, cells in by_name.items())
    return finished(KIND, "DiBiMT: sense agreement between languages", words, finding, body)


def agreement_cells(run: FigureRun, languages: Sequence[str]) -> list[dict[str, Any]]:
    """Return one row a pair of languages."""
    found = []
    for first, second in combinations(languages, 2):
        score = find_score(run, METRIC, f"{first}_{second}") or find_score(
            run, METRIC, f"{second}_{first}"
        )
        found.append(
            {
                "first": first,
                "second": second,
                "value": None if score is None else score.value,
                "low": None if score is None else score.ci_low,
                "high": None if score is None else score.ci_high,
                "n": 0 if score is None else score.n,
            }
        )
    return found


def agreement_view(
    cells: Sequence[Mapping[str, Any]], languages: Sequence[str], scale: str = "color"
) -> Specification:
    """Return the lower half of a square of languages."""
    axis = {"domain": False, "ticks": False, "labelAngle": 0}
    place = {"type": "nominal", "title": None, "axis": axis}
    return {
        "data": {"values": list(cells)},
        "width": {"step": 2 * CELL},
        "height": {"step": CELL},
        "encoding": {
            "x": {"field": "first", "sort": list(languages[:-1]), **place},
            "y": {"field": "second", "sort": list(languages[1:]), **place},
            "tooltip": [{"field": field} for field in ("first", "second", "value", "n")],
        },
        "layer": heat_layers("value", "sense agreement", (0, 1), scheme="ramp", scale=scale),
    }


def _mean_cells(found: Sequence[Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Return the unweighted means over systems; None where one of them has no value."""
    means = []
    for cells in zip(*found, strict=True):
        known = [float(cell["value"]) for cell in cells if cell["value"] is not None]
        mean = sum(known) / len(known) if len(known) == len(cells) else None
        both = {"first": cells[0]["first"], "second": cells[0]["second"]}
        means.append({**both, "value": mean, "low": None, "high": None, "n": len(known)})
    return means


def _finding(name: str, cells: Sequence[Mapping[str, Any]]) -> str:
    known = [cell for cell in cells if cell["value"] is not None]
    if not known:
        return f"{name}: no value."
    most = max(known, key=lambda cell: float(cell["value"]))
    least = min(known, key=lambda cell: float(cell["value"]))
    places = [f"{c['value']:.2f} ({c['first']} and {c['second']})" for c in (most, least)]
    return f"{name}: most {places[0]}, least {places[1]}."
