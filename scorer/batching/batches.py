"""Batches under a token budget, and what happens when one does not fit into memory."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from scorer.errors import OutOfMemoryError

Row = TypeVar("Row")


def cut_batches(
    rows: Sequence[Row], length: Callable[[Row], int], max_tokens: int, max_rows: int = 1 << 20
) -> Iterator[list[Row]]:
    """Yield batches of rows of like length, longest first, within a budget of padded tokens.

    The largest batch comes first, so that a shortage of memory shows at once. A row longer than
    the budget is a batch of its own.
    """
    batch: list[Row] = []
    longest = 0
    for row in sorted(rows, key=length, reverse=True):
        longest = longest or length(row)
        if batch and ((len(batch) + 1) * longest > max_tokens or len(batch) >= max_rows):
            yield batch
            batch, longest = [], length(row)
        batch.append(row)
    if batch:
        yield batch


def run_batch(batch: Sequence[Row], run: Callable[[Sequence[Row]], None]) -> None:
    """Run a batch; where it does not fit into memory, run its halves.

    Raises:
        OutOfMemoryError: One row alone does not fit.
    """
    try:
        run(batch)
        return
    except OutOfMemoryError:
        if len(batch) == 1:
            raise
    middle = len(batch) // 2
    run_batch(batch[:middle], run)
    run_batch(batch[middle:], run)
