"""Which cases of two runs are the same, and answered by both?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from metrics.errors import MetricsError
from metrics.statistics.paired_samples import OF_A, OF_B
from metrics.table import OutcomeRow

Key = tuple[str, str, str | None, str, str]
"""Item, language, subset, task, variant."""

ACROSS_TASKS: Mapping[str, tuple[str, ...]] = {"dtails": ("select", "translate")}
"""By benchmark: tasks that end in the same choice, so that an item's answers can be compared."""


class UnlikeError(MetricsError):
    """Two runs that cannot be compared item by item; the message says why."""


@dataclass(frozen=True, slots=True)
class Matched:
    """The cases of two runs that both answered, and how many are left over."""

    first: tuple[OutcomeRow, ...]
    second: tuple[OutcomeRow, ...]
    n_items: int
    """Items with a case that both answered."""
    n_only_first: int
    """Cases that only A answered, or was asked."""
    n_only_second: int
    tasks: tuple[str, str] | None = None
    """A's and B's task where they are not the same."""

    def stacked(self) -> list[OutcomeRow]:
        """Return the rows of both runs as one run's: nothing of A has the name of something of B.

        Units of A and B differ in their last sign only: they are redrawn and exchanged together.
        """
        offset = 1 + max((row.number for row in self.first), default=0)
        return [
            *(_marked(row, OF_A, 0) for row in self.first),
            *(_marked(row, OF_B, offset) for row in self.second),
        ]


def match_rows(
    benchmark: str, first: Sequence[OutcomeRow], second: Sequence[OutcomeRow]
) -> Matched:
    """Keep what both answered.

    Cases are matched by item, language, task and variant. Where the runs share no task, but each
    has one that ends in the same choice, items are matched, whatever their variants.

    Args:
        benchmark: Of both runs.
        first: Every case of A.
        second: Every case of B.

    Raises:
        UnlikeError: They share no answered case.
    """
    tasks = _tasks_across(benchmark, first, second)
    if tasks is not None:
        return _matched_items(first, second, tasks)
    a = {_key(row): row for row in first if row.status != "unanswered"}
    b = {_key(row): row for row in second if row.status != "unanswered"}
    shared = [key for key in a if key in b]
    if not shared:
        raise UnlikeError(_why_nothing(a, b))
    items = {key[:2] for key in shared}
    return Matched(
        first=tuple(a[key] for key in shared),
        second=tuple(b[key] for key in shared),
        n_items=len(items),
        n_only_first=len(a) - len(shared),
        n_only_second=len(b) - len(shared),
    )


def _matched_items(
    first: Sequence[OutcomeRow], second: Sequence[OutcomeRow], tasks: tuple[str, str]
) -> Matched:
    """Match items across two tasks; B's rows take the name of A's task."""
    a = [row for row in first if row.status != "unanswered"]
    b = [replace(row, task=tasks[0]) for row in second if row.status != "unanswered"]
    shared = {_item(row) for row in a} & {_item(row) for row in b}
    if not shared:
        raise UnlikeError(f"no item was answered in {tasks[0]} and in {tasks[1]}")
    kept_a = tuple(row for row in a if _item(row) in shared)
    kept_b = tuple(row for row in b if _item(row) in shared)
    return Matched(
        first=kept_a,
        second=kept_b,
        n_items=len(shared),
        n_only_first=len(a) - len(kept_a),
        n_only_second=len(b) - len(kept_b),
        tasks=tasks,
    )


def _tasks_across(
    benchmark: str, first: Sequence[OutcomeRow], second: Sequence[OutcomeRow]
) -> tuple[str, str] | None:
    a, b = ({row.task for row in rows} for rows in (first, second))
    allowed = set(ACROSS_TASKS.get(benchmark, ()))
    if len(a) == len(b) == 1 and not a & b and a | b <= allowed:
        return min(a), min(b)
    return None


def _item(row: OutcomeRow) -> tuple[str, str]:
    return row.item_id, row.language


def _key(row: OutcomeRow) -> Key:
    return row.item_id, row.language, row.subset, row.task, row.variant


def _why_nothing(a: Mapping[Key, OutcomeRow], b: Mapping[Key, OutcomeRow]) -> str:
    if not a or not b:
        return f"{'A' if not a else 'B'} has no answered item"
    for at, what in ((1, "languages"), (3, "tasks"), (4, "variants"), (2, "subsets or splits")):
        ours, theirs = ({str(key[at] or "–") for key in keys} for keys in (a, b))
        if not ours & theirs:
            told = " and ".join(", ".join(sorted(names)[:5]) for names in (ours, theirs))
            return f"the runs share no answered item: their {what} are {told}"
    return "the runs share no answered item"


def _marked(row: OutcomeRow, mark: str, offset: int) -> OutcomeRow:
    return replace(
        row, number=row.number + offset, item_id=row.item_id + mark, unit=row.unit + mark
    )
