"""Which rows is a score made from, and how does it say so?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from metrics.dibimt_verdicts import is_scored
from metrics.estimated import with_estimate
from metrics.score import Score
from metrics.statistics.intervals import Estimate, widened
from metrics.table import OutcomeRow

BENCHMARK, UNIT = "dibimt", "lemma"


@dataclass(frozen=True)
class Part:
    """Some rows of a run, by language, and the names of the dimensions they stand for."""

    rows_by_language: Mapping[str, Sequence[OutcomeRow]]
    task: str
    subset: str | None = None
    setting: str | None = None
    is_single: bool = False
    """Whether this is one language, and not a mean over languages that has only one."""

    @property
    def rows(self) -> list[OutcomeRow]:
        """All rows, language by language."""
        return [row for rows in self.rows_by_language.values() for row in rows]

    @property
    def language(self) -> str | None:
        """The only language; None where scores are means over languages."""
        return next(iter(self.rows_by_language)) if self.is_single else None

    def of_language(self, language: str) -> "Part":
        """Return the part of one language."""
        return replace(
            self, rows_by_language={language: self.rows_by_language[language]}, is_single=True
        )

    def each(self) -> list["Part"]:
        """Return the part of each language, then all of them together for the mean."""
        return [*map(self.of_language, self.rows_by_language), self]

    def narrowed(self, subset: str) -> "Part":
        """Return the part of one part of speech."""
        kept = {
            language: [row for row in rows if row.subset == subset]
            for language, rows in self.rows_by_language.items()
        }
        return replace(self, rows_by_language=kept, subset=subset)


def part_of(rows: Sequence[OutcomeRow], task: str) -> Part:
    """Return the rows of one task, by language in the order of the run."""
    chosen = [row for row in rows if row.task == task]
    languages = dict.fromkeys(row.language for row in chosen)
    return Part({name: [row for row in chosen if row.language == name] for name in languages}, task)


def make_score(part: Part, metric: str, estimate: Estimate) -> Score:
    """Put an estimate and what it was made from together."""
    rows = part.rows
    score = Score(
        benchmark=BENCHMARK,
        metric=metric,
        task=part.task,
        language=part.language,
        subset=part.subset,
        setting=part.setting,
        value=None,
        n=0,
        unit=UNIT,
        coverage=sum(row.status == "valid" for row in rows) / len(rows) if rows else None,
        baselines=_baselines(part) if metric == "accuracy" else {},
    )
    return with_estimate(score, widened(estimate))


def _baselines(part: Part) -> dict[str, float | None]:
    """Return each baseline's accuracy on the GOOD and BAD items, and on `_all` items.

    Source: Campolungo et al. 2022 (DiBiMT), the table of word-sense disambiguation: the systems are
    compared on the items a translation system did not miss.
    """
    names = sorted({name for row in part.rows for name in row.baselines})
    found: dict[str, float | None] = {}
    for name in names:
        scored, every = [], []
        for rows in part.rows_by_language.values():
            scored.append(_mean([row.baselines.get(name) for row in rows if is_scored(row)]))
            every.append(_mean([row.baselines.get(name) for row in rows if row.baselines]))
        found[name] = _mean(scored)
        found[f"{name}_all"] = _mean(every)
    return found


def _mean(values: Sequence[float | None]) -> float | None:
    """Return the mean; None where a value is missing, or there is none."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None
