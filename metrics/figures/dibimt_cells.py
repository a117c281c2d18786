"""Where does a figure of DiBiMT find a system's scores, and what are its counts?"""

from collections.abc import Mapping, Sequence

from metrics.errors import FigureError
from metrics.figures.figure import FigureRun
from metrics.score import Score

SOURCE = "Campolungo et al. 2022 (DiBiMT, ACL 2022)"
VERDICTS = ("GOOD", "BAD", "MISS", "AMBIGUOUS")
PARTS_OF_SPEECH = ("NOUN", "VERB")
MEAN = "mean"

METRICS: Mapping[str, str] = {
    "accuracy": "accuracy",
    "miss_share": "MISS share",
    "ambiguous_share": "AMBIGUOUS share",
    "sfii": "SFII",
    "spdi": "SPDI",
    "mfs": "MFS",
    "mfs_plus": "MFS+",
}
"""The scores of the paper, and how they are called there; accuracy is better when it is higher."""


def find_score(
    run: FigureRun,
    metric: str,
    language: str | None,
    subset: str | None = None,
    setting: str | None = None,
) -> Score | None:
    """Return one score of a run's translations; None where the run has no such score."""
    for score in run.scores:
        if (
            score.task == "translate"
            and score.metric == metric
            and score.language == language
            and score.subset == subset
            and score.setting == setting
        ):
            return score
    return None


def languages_of(runs: Sequence[FigureRun]) -> list[str]:
    """Return every language that a run was translated into, in alphabetical order.

    Raises:
        FigureError: No run has translations.
    """
    found = {
        score.language
        for run in runs
        for score in run.scores
        if score.task == "translate" and score.metric == "accuracy" and score.language is not None
    }
    if not found:
        raise FigureError("the runs have no judged translations: draw runs of the task translate")
    return sorted(found)


def verdict_counts(
    run: FigureRun, language: str, subset: str | None = None
) -> dict[str, int] | None:
    """Return how many items are GOOD, BAD, MISS and AMBIGUOUS; None without a translation.

    Read back from three scores: accuracy = GOOD/(GOOD+BAD), whose n is GOOD+BAD; the MISS share's
    n is N = GOOD+BAD+MISS; the AMBIGUOUS share's n is N + AMBIGUOUS.
    """
    accuracy = find_score(run, "accuracy", language, subset)
    miss = find_score(run, "miss_share", language, subset)
    ambiguous = find_score(run, "ambiguous_share", language, subset)
    if accuracy is None or miss is None or ambiguous is None or ambiguous.n == 0:
        return None
    n_good = round((accuracy.value or 0) * accuracy.n)
    return {
        "GOOD": n_good,
        "BAD": accuracy.n - n_good,
        "MISS": miss.n - accuracy.n,
        "AMBIGUOUS": ambiguous.n - miss.n,
    }


def counts_text(runs: Sequence[FigureRun]) -> str:
    """Say how many judged translations a language has, and how many languages there are."""
    languages = languages_of(runs)
    found = [
        score.n
        for run in runs
        for language in languages
        if (score := find_score(run, "ambiguous_share", language)) is not None and score.n
    ]
    least, most = min(found, default=0), max(found, default=0)
    items = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    return f"{items} judged translations a language, {len(languages)} languages"
