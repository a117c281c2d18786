"""Does a model find its own wrong translation likelier than a right one?

Source: Campolungo et al. 2022 (DiBiMT), the table of model errors.
"""

from collections.abc import Iterator, Mapping, Sequence

from metrics.score import Score
from metrics.spread import with_spread
from metrics.statistics.intervals import Estimate, proportion, undefined
from metrics.statistics.macro import macro_proportion
from metrics.table import OutcomeRow


def is_paired(row: OutcomeRow) -> bool:
    """Return whether the item was drawn and has a wrong and a right translation to compare."""
    return row.status == "unanswered" or bool(row.detail.get("is_paired"))


def estimate_error_share(rows: Sequence[OutcomeRow], seed: int) -> Estimate:
    """Estimate the share of pairs with ppl(BAD) < ppl(GOOD), strictly; lemmas are resampled."""
    values = [row.value for row in rows]
    if all(value is None for value in values):
        return undefined("no pair of a wrong and a right translation")
    units = [row.unit for row in rows]
    return proportion(values, units, [str(row.subset) for row in rows], seed)


def estimate_mean_error_share(
    rows_by_language: Mapping[str, Sequence[OutcomeRow]], seed: int
) -> Estimate:
    """Estimate the unweighted mean over languages; a lemma is drawn for all of them at once."""
    for language, rows in rows_by_language.items():
        if all(row.value is None for row in rows):
            return undefined(f"no pair of a wrong and a right translation in {language}")
    rows = [row for rows in rows_by_language.values() for row in rows]
    return macro_proportion(
        [row.value for row in rows],
        [row.language for row in rows],
        [row.unit for row in rows],
        [f"{row.language} {row.subset}" for row in rows],
        seed,
    )


def spread_scores(found: Sequence[Score]) -> Iterator[Score]:
    """Yield how far the scores of several prompt styles lie apart: greatest minus least.

    Args:
        found: The scores of one metric, of every language and of their mean, in every style.
    """
    for language in dict.fromkeys(score.language for score in found):
        of_language = [score for score in found if score.language == language]
        score = Score(
            benchmark=of_language[0].benchmark,
            metric=f"{of_language[0].metric}_spread",
            task=of_language[0].task,
            language=language,
            value=None,
            n=0,
        )
        yield with_spread(score, [each.value for each in of_language])
