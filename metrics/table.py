"""The rows that scores are made of: every case of a run, answered or not."""

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, overload

Status = Literal["valid", "invalid", "unanswered"]
"""valid: the answer could be read · invalid: it could not · unanswered: there is none."""


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """One case of a run with what its answer was worth."""

    number: int
    """The item's 0-based position in the run's data."""
    item_id: str
    language: str
    subset: str | None
    unit: str
    task: str
    variant: str
    status: Status
    value: float | None
    detail: Mapping[str, Any] = field(default_factory=dict)
    baselines: Mapping[str, float | None] = field(default_factory=dict)


class RowView(Sequence[OutcomeRow]):
    """Some rows of a table that makes its rows when they are looked at; copies none of them."""

    def __init__(self, rows: Sequence[OutcomeRow], positions: Sequence[int]) -> None:
        self._rows = rows
        self._positions = positions

    def __len__(self) -> int:
        return len(self._positions)

    @overload
    def __getitem__(self, at: int) -> OutcomeRow: ...

    @overload
    def __getitem__(self, at: slice) -> "RowView": ...

    def __getitem__(self, at: "int | slice") -> "OutcomeRow | RowView":
        if isinstance(at, slice):
            return RowView(self._rows, self._positions[at])
        return self._rows[self._positions[at]]

    def __iter__(self) -> Iterator[OutcomeRow]:
        return (self._rows[position] for position in self._positions)


def narrowed(
    rows: Sequence[OutcomeRow], keep: Callable[[OutcomeRow], bool]
) -> Sequence[OutcomeRow]:
    """Return the rows that are to be kept: as a list of a list, else without making copies."""
    if isinstance(rows, list):
        return [row for row in rows if keep(row)]
    return RowView(rows, array("q", (at for at, row in enumerate(rows) if keep(row))))
