"""Which languages does a figure of XCOMPS put together, and what is their mean?"""

from collections.abc import Mapping, Sequence

from benchmarks.xcomps.languages import groups_of
from metrics.errors import FigureError
from metrics.estimated import with_estimate
from metrics.score import Score
from metrics.statistics.intervals import Estimate
from metrics.statistics.macro import mean_of_independent

COLUMNS = ("typology", "family", "resource")
"""What languages can be grouped by; the classes of `resource` are those of Joshi et al. 2020."""
COLUMN_SOURCES = {
    "typology": "classes as in the paper; English is in none",
    "family": "families as in the paper; English is in none",
    "resource": "classes of Joshi et al. 2020, class 5 has most data",
}


def grouped(languages: Sequence[str], column: str) -> Mapping[str, tuple[str, ...]]:
    """Return which of these languages each group holds, groups in alphabetical order.

    Raises:
        FigureError: None of the languages is in a group.
    """
    found = {
        name: tuple(language for language in members if language in languages)
        for name, members in sorted(groups_of(column).items())
    }
    kept = {name: members for name, members in found.items() if members}
    if not kept:
        raise FigureError(f"none of {', '.join(languages)} has a {column}")
    return kept


def group_label(name: str, members: Sequence[str]) -> str:
    """Return how a group is called on an axis: with the number of its languages."""
    return f"{name} ({len(members)})"


def group_mean(scores: Sequence[Score]) -> Score | None:
    """Return the unweighted mean of the scores of several languages; None without any."""
    if not scores:
        return None
    estimates = {
        str(score.language): Estimate(
            score.value,
            score.ci_low,
            score.ci_high,
            score.se,
            score.n,
            score.n_units or 0,
            score.interval,
            score.reason,
        )
        for score in scores
    }
    mean = scores[0].model_copy(update={"language": None, "baselines": {}})
    return with_estimate(mean, mean_of_independent(estimates))
