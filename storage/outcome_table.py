"""All cases of a large run in columns: a row is made when it is looked at, and not kept.

A row with all of its strings takes about a kilobyte; here it takes about forty bytes and whatever
is unlike in its texts.
"""

import math
from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, overload

from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from metrics.table import OutcomeRow, Status
from storage import runs
from storage.database import Database, fetch_all, transaction
from storage.encoding import from_json, from_text, from_text_or_none, to_text
from storage.records import Run

CHUNK_ITEMS = 2_000
N_PARSED = 16_384
_PLAIN = {0.0: 0.0, 1.0: 1.0}
"""Wrong and right: of a million, one object each."""
STATUSES: tuple[Status, ...] = ("unanswered", "valid", "invalid")

ITEMS = """SELECT number, id, language, subset, unit FROM items
WHERE item_set = $1 AND number >= $2 AND number < $3 ORDER BY number"""

OUTCOMES = """SELECT number, task, variant, value, is_valid, detail::text, baselines::text
FROM outcomes WHERE run_id = $1 AND number >= $2 AND number < $3"""


class _Texts:
    """A column of texts, each kept once."""

    def __init__(self, n_rows: int) -> None:
        self.codes = array("i", bytes(4 * n_rows))
        self.texts: list[Any] = [None]
        self._code_by_text: dict[Any, int] = {None: 0}

    def put(self, at: int, text: str | None) -> None:
        code = self._code_by_text.get(text)
        if code is None:
            code = self._code_by_text[text] = len(self.texts)
            self.texts.append(text)
        self.codes[at] = code

    def seal(self) -> None:
        """Take no more texts; forget what was needed for that."""
        self._code_by_text = {}

    def __getitem__(self, at: int) -> Any:  # noqa: ANN401  # a text or None, as it was put
        return self.texts[self.codes[at]]


class OutcomeTable(Sequence[OutcomeRow]):
    """Every case of a run, cell by cell in the order of the items."""

    def __init__(self, run: Run) -> None:
        self._cells = run.cells
        self._n_items = run.n_items
        n_rows = run.n_items * len(run.cells)
        self._ids = bytearray()
        self._id_ends = array("q", bytes(8 * run.n_items))
        self._languages = _Texts(run.n_items)
        self._subsets = _Texts(run.n_items)
        self._units = _Texts(run.n_items)
        self._status = bytearray(n_rows)
        self._values = array("d", bytes(8 * n_rows))
        self._details = _Texts(n_rows)
        self._baselines = _Texts(n_rows)
        cells = [(to_text(task), to_text(variant)) for task, variant in run.cells]
        self._first_by_cell = {cell: n * run.n_items for n, cell in enumerate(cells)}

    def put_item(self, item: Row[Any]) -> None:
        """Take an item; they come in order."""
        at = item.number
        self._ids += from_text(item.id).encode("utf-8", "surrogatepass")
        self._id_ends[at] = len(self._ids)
        self._languages.put(at, from_text(item.language))
        self._subsets.put(at, from_text_or_none(item.subset))
        self._units.put(at, from_text(item.unit))

    def put_outcome(self, outcome: Row[Any]) -> None:
        """Take an outcome; one of a cell that the run does not have is passed over."""
        first = self._first_by_cell.get((outcome.task, outcome.variant))
        if first is None:
            return
        at = first + outcome.number
        self._status[at] = 1 if outcome.is_valid else 2
        self._values[at] = math.nan if outcome.value is None else outcome.value
        self._details.put(at, outcome.detail)
        self._baselines.put(at, outcome.baselines)

    def seal(self) -> None:
        """Take no more."""
        columns = (self._languages, self._subsets, self._units, self._details, self._baselines)
        for texts in columns:
            texts.seal()

    def __len__(self) -> int:
        return len(self._status)

    @overload
    def __getitem__(self, at: int) -> OutcomeRow: ...

    @overload
    def __getitem__(self, at: slice) -> list[OutcomeRow]: ...

    def __getitem__(self, at: int | slice) -> OutcomeRow | list[OutcomeRow]:
        if isinstance(at, slice):
            return [self._row(position) for position in range(len(self))[at]]
        return self._row(range(len(self))[at])

    def __iter__(self) -> Iterator[OutcomeRow]:
        return (self._row(at) for at in range(len(self)))

    def _row(self, at: int) -> OutcomeRow:
        cell, number = divmod(at, self._n_items)
        begin = 0 if number == 0 else self._id_ends[number - 1]
        status = self._status[at]
        value = self._values[at] if status else math.nan
        return OutcomeRow(
            number=number,
            item_id=self._ids[begin : self._id_ends[number]].decode("utf-8", "surrogatepass"),
            language=self._languages[number],
            subset=self._subsets[number],
            unit=self._units[number],
            task=self._cells[cell][0],
            variant=self._cells[cell][1],
            status=STATUSES[status],
            value=None if value != value else _PLAIN.get(value, value),
            detail=_parsed(self._details[at]) if status else {},
            baselines=_parsed(self._baselines[at]) if status else {},
        )


async def read_table(source: Database | AsyncConnection, run_id: str) -> OutcomeTable:
    """Return every case of a run; no more than a chunk is in memory as rows.

    Raises:
        UnknownRunError: There is no run with this id.
    """
    async with transaction(source) as connection:
        run = await runs.get(connection, run_id)
        table = OutcomeTable(run)
        for first in range(0, run.n_items, CHUNK_ITEMS):
            last = first + CHUNK_ITEMS
            for item in await fetch_all(connection, ITEMS, run.item_set, first, last):
                table.put_item(item)
            for outcome in await fetch_all(connection, OUTCOMES, run.id, first, last):
                table.put_outcome(outcome)
    table.seal()
    return table


@lru_cache(maxsize=N_PARSED)
def _parsed(document: str) -> Any:  # noqa: ANN401  # a JSON object; nobody changes it
    return from_json(document)
