"""Which figures are there, written out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

from metrics.errors import FigureError
from metrics.figures.figure import Figure, FigureRun


class DrawFunction(Protocol):
    """Every figure's module has one, called `draw`."""

    def __call__(self, runs: Sequence[FigureRun], options: Mapping[str, str]) -> Figure:
        """Return the figure.

        Args:
            runs: At least one, all of the kind's benchmark.
            options: What the caller chose, such as `by=language`; unknown ones are refused.

        Raises:
            FigureError: The runs lack what the figure shows, or an option is not allowed.
        """
        ...


@dataclass(frozen=True, slots=True)
class FigureKind:
    """One kind of figure."""

    benchmark: str
    module: str
    summary: str
    """What it shows, in half a line."""
    needs_rows: bool = False
    """Whether scores are not enough."""


KINDS: Mapping[str, FigureKind] = {
    "stingray-plot": FigureKind(
        "stingray",
        "metrics.figures.stingray_plot",
        "accuracy on L1 against L2, contours of bias and comprehension",
        needs_rows=True,
    ),
    "stingray-comprehension": FigureKind(
        "stingray", "metrics.figures.stingray_comprehension", "comprehension by run and pair"
    ),
    "stingray-bias": FigureKind(
        "stingray", "metrics.figures.stingray_bias", "signed or absolute bias by run and pair"
    ),
    "stingray-parameters": FigureKind(
        "stingray",
        "metrics.figures.stingray_parameters",
        "comprehension or bias against parameters, a line a family",
    ),
    "dtails-comparison": FigureKind(
        "dtails",
        "metrics.figures.dtails_comparison",
        "models with and without rules, translation systems, frequency and chance",
    ),
    "dtails-positions": FigureKind(
        "dtails", "metrics.figures.dtails_positions", "shares of the places chosen, and the gold's"
    ),
    "semrel-violins": FigureKind(
        "semrel", "metrics.figures.semrel_violins", "gold scores by language", needs_rows=True
    ),
    "semrel-scatter": FigureKind(
        "semrel",
        "metrics.figures.semrel_scatter",
        "predicted against gold relatedness by language",
        needs_rows=True,
    ),
    "xcomps-heat-map": FigureKind(
        "xcomps", "metrics.figures.xcomps_heat_map", "scores by language, method and negative type"
    ),
    "xcomps-correlation": FigureKind(
        "xcomps", "metrics.figures.xcomps_correlation", "Direct against Neuro across languages"
    ),
    "xcomps-typology": FigureKind(
        "xcomps", "metrics.figures.xcomps_typology", "means by typology, family or resources"
    ),
    "xcomps-layers": FigureKind(
        "xcomps", "metrics.figures.xcomps_layers", "F1 or selectivity by layer, a panel a language"
    ),
    "xcomps-peak": FigureKind(
        "xcomps", "metrics.figures.xcomps_peak", "layer of the maximum by typology"
    ),
    "xcomps-differences": FigureKind(
        "xcomps",
        "metrics.figures.xcomps_differences",
        "other runs less the first, on the same pairs",
        needs_rows=True,
    ),
    "dibimt-verdicts": FigureKind(
        "dibimt", "metrics.figures.dibimt_verdicts", "GOOD, BAD, MISS, AMBIGUOUS by language"
    ),
    "dibimt-errors": FigureKind(
        "dibimt",
        "metrics.figures.dibimt_errors",
        "GOOD, BAD and error rate by μ and by δ",
        needs_rows=True,
    ),
    "dibimt-agreement": FigureKind(
        "dibimt", "metrics.figures.dibimt_agreement", "sense agreement between languages"
    ),
    "dibimt-pos": FigureKind("dibimt", "metrics.figures.dibimt_pos", "a score by part of speech"),
    "dibimt-profile": FigureKind(
        "dibimt",
        "metrics.figures.dibimt_profile",
        "all scores of a system on one page",
        needs_rows=True,
    ),
    "semrel-spearman": FigureKind(
        "semrel",
        "metrics.figures.semrel_spearman",
        "Spearman's correlation by language, published values beside it",
    ),
}


def figure_kind(kind: str) -> FigureKind:
    """Return a kind by its name.

    Raises:
        FigureError: There is no such kind.
    """
    if kind not in KINDS:
        raise FigureError(f"unknown figure {kind!r}; allowed: {', '.join(sorted(KINDS))}")
    return KINDS[kind]


def require_benchmark(kind: str, benchmarks: Sequence[str]) -> None:
    """Check that runs of these benchmarks can be drawn.

    Raises:
        FigureError: There is no such kind, or one is of another benchmark.
    """
    allowed = figure_kind(kind).benchmark
    if strangers := sorted(set(benchmarks) - {allowed}):
        met = ", ".join(strangers)
        raise FigureError(f"figure {kind!r} draws runs of {allowed}; met {met}")


def draw_figure(
    kind: str, runs: Sequence[FigureRun], options: Mapping[str, str] | None = None
) -> Figure:
    """Draw some runs.

    Raises:
        FigureError: There is no such kind, or these runs cannot be drawn as it.
    """
    found = figure_kind(kind)
    require_benchmark(kind, [run.benchmark for run in runs])
    if not runs:
        raise FigureError(f"figure {kind!r} needs at least one run")
    function: DrawFunction = import_module(found.module).draw
    return function(runs, options or {})
