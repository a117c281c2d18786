"""How is an outcome of StingrayBench read? One mark a case, by one parser."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from metrics.table import OutcomeRow

Setting = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Mark:
    """A case as one parser reads it."""

    task: str
    language: str
    subset: str | None
    unit: str
    side: str
    """L1 or L2 in the usage task, else empty."""
    value: float | None
    """None where there is no answer; an unreadable one is wrong."""
    is_valid: bool
    gold: str | None
    """None where there is no answer."""
    gold_shown: str | None
    """The gold label as it was printed in the prompt; differs where the options were swapped."""
    predicted: str | None
    shown: str | None
    """The answered label as it was printed."""
    is_tie: bool
    sides: Mapping[str, float]
    """Semantic task: by side, whether it is accepted exactly when the gold accepts it."""
    baselines: Mapping[str, float | None]

    @property
    def stratum(self) -> str:
        """Intervals are stratified by language and subset."""
        return f"{self.language}|{self.subset}"

    @property
    def resampled_unit(self) -> str:
        """Words of two languages are two words."""
        return f"{self.language}|{self.unit}"


@dataclass(frozen=True, slots=True)
class Part:
    """The marks behind one row of scores."""

    task: str
    language: str | None
    """None: the unweighted mean over languages."""
    subset: str | None
    marks: tuple[Mark, ...]


def split_by_way(rows: Sequence[OutcomeRow]) -> dict[tuple[tuple[str, str], ...], list[OutcomeRow]]:
    """Part the rows by prompt style and option order; the default way is the empty key, first."""
    found: dict[tuple[tuple[str, str], ...], list[OutcomeRow]] = {(): []}
    for row in rows:
        found.setdefault(_way(row), []).append(row)
    return {way: of_way for way, of_way in found.items() if of_way}


def read_marks(rows: Sequence[OutcomeRow], parser: str) -> list[Mark]:
    """Read every row; an empty parser is the one the run has chosen."""
    return [_read(row, parser) for row in rows]


def parts(marks: Sequence[Mark]) -> Iterator[Part]:
    """Yield every task × (language, then their mean) × (both subsets together, then each)."""
    by_cell: dict[tuple[str, str, str | None], list[Mark]] = defaultdict(list)
    for mark in marks:
        by_cell[mark.task, mark.language, mark.subset].append(mark)
    for task in sorted({mark.task for mark in marks}):
        languages = sorted({mark.language for mark in marks if mark.task == task})
        subsets = sorted({mark.subset for mark in marks if mark.task == task and mark.subset})
        for language in (*languages, None):
            for subset in (None, *subsets):
                wanted = tuple(
                    mark
                    for cell, of_cell in by_cell.items()
                    if cell[0] == task and language in (None, cell[1]) and subset in (None, cell[2])
                    for mark in of_cell
                )
                if wanted:
                    yield Part(task, language, subset, wanted)


def coverage(marks: Sequence[Mark]) -> float | None:
    """Return the share of the asked cases with a readable answer."""
    return sum(mark.is_valid for mark in marks) / len(marks) if marks else None


def baseline_means(marks: Sequence[Mark]) -> dict[str, float | None]:
    """Return what each baseline gets on the answered cases, as an unweighted mean of languages."""
    answered = [mark for mark in marks if mark.value is not None]
    names = sorted({name for mark in marks for name in mark.baselines})
    return {
        name: mean_over_languages(answered, [mark.baselines.get(name) for mark in answered])
        for name in names
    }


def mean_over_languages(marks: Sequence[Mark], values: Sequence[float | None]) -> float | None:
    """Return the unweighted mean of languages; None where one of them has no value."""
    by_language: dict[str, list[float]] = {mark.language: [] for mark in marks}
    for mark, value in zip(marks, values, strict=True):
        if value is not None:
            by_language[mark.language].append(value)
    if not marks or not all(by_language.values()):
        return None
    return fmean(map(fmean, by_language.values()))


def _way(row: OutcomeRow) -> tuple[tuple[str, str], ...]:
    """Read `L1.paper` or `released.l2-first` as the settings it stands for."""
    head, _, tail = row.variant.partition(".")
    if row.task == "usage":
        return (("prompt_style", tail),) if tail else ()
    return (("option_order", tail), ("prompt_style", head)) if head else ()


def _read(row: OutcomeRow, parser: str) -> Mark:
    detail: Mapping[str, Any] = {**row.detail, **row.detail.get("by_parser", {}).get(parser, {})}
    is_answered = row.status != "unanswered"
    predicted = detail.get("predicted")
    value = row.value if is_answered else None
    is_valid = row.status == "valid"
    if parser in row.detail.get("by_parser", {}):
        value, is_valid = float(predicted == detail.get("gold")), predicted is not None
    return Mark(
        task=row.task,
        language=row.language,
        subset=row.subset,
        unit=row.unit,
        side=row.variant.partition(".")[0] if row.task == "usage" else "",
        value=value,
        is_valid=is_valid,
        gold=detail.get("gold"),
        gold_shown=detail.get("gold_shown", detail.get("gold")),
        predicted=predicted,
        shown=detail.get("shown"),
        is_tie=bool(detail.get("is_tie", False)),
        sides=detail.get("sides", {}) if is_answered else {},
        baselines=row.baselines,
    )
