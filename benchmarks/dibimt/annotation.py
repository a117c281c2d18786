"""How much did annotators change, and do items of one sense agree? %OG, %RG and %SL.

Source: Campolungo et al. 2022 (DiBiMT), the table of annotation statistics; theirs are percentages.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from benchmarks.dibimt.data import Row
from benchmarks.dibimt.records import Answers
from languages.normalisation import fold


@dataclass(frozen=True, slots=True)
class AnnotationStatistics:
    """What annotation did to one language's answer sets; None where there is nothing to divide."""

    language: str
    n_items: int
    added_share: float | None
    """%OG: mean over items of good lemmas added by annotators / good lemmas."""
    removed_share: float | None
    """%RG: mean over items of good lemmas removed / good lemmas the wordnet gave."""
    same_set_share: float | None
    """%SL: pairs of items with one synset whose good sets are equal / all such pairs."""
    n_pairs: int


def annotation_statistics(rows: Sequence[Row], language: str) -> AnnotationStatistics:
    """Return the statistics of one language; items without a good lemma are left out of a mean."""
    own = [row for row in rows if language in row.record.languages]
    answers = [row.record.languages[language] for row in own]
    equal = [
        _good_set(first.record.languages[language]) == _good_set(second.record.languages[language])
        for first, second in combinations(own, 2)
        if first.record.synset == second.record.synset
    ]
    return AnnotationStatistics(
        language,
        len(own),
        _mean([share for each in answers if (share := added_share(each)) is not None]),
        _mean([share for each in answers if (share := removed_share(each)) is not None]),
        _mean([float(each) for each in equal]),
        len(equal),
    )


def added_share(answers: Answers) -> float | None:
    """Return good lemmas added by annotators / good lemmas; None without a good lemma."""
    return _mean([float(good.origin == "annotator") for good in answers.good])


def removed_share(answers: Answers) -> float | None:
    """Return removed / pre-filled good lemmas; pre-filled are the wordnet's, kept or removed.

    None where the wordnet gave none.
    """
    n_kept = sum(good.origin == "wordnet" for good in answers.good)
    n_removed = len(answers.removed)
    return n_removed / (n_kept + n_removed) if n_kept + n_removed else None


def _good_set(answers: Answers) -> frozenset[str]:
    return frozenset(fold(good.lemma, casefold=True) for good in answers.good)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
