"""Batches under a token budget, and what happens when one does not fit into memory."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from scorer.errors import OutOfMemoryError

Row = TypeVar("Row")


def cut_batches(
    rows: Sequence[Row],
    length: Callable[[Row], int],
    max_tokens: int,
    max_rows: int = 1 << 20,
    *,
    is_padded: bool = True,
) -> Iterator[list[Row]]:
    """Yield batches of rows of like length, longest first, within a budget of tokens.

    The largest batch comes first, so that a shortage of memory shows at once. A row longer than
    the budget is a batch of its own.

    Args:
        rows: In any order.
        length: Tokens of a row.
        max_tokens: The budget of a batch.
        max_rows: A second one.
        is_padded: Whether each row costs as much as its batch's longest one.
    """
    batch: list[Row] = []
    cost = n_tokens = 0
    for row in sorted(rows, key=length, reverse=True):
        cost = cost if batch and is_padded else length(row)
        if batch and (n_tokens + cost > max_tokens or len(batch) >= max_rows):
            yield batch
            batch, n_tokens, cost = [], 0, length(row)
        batch.append(row)
        n_tokens += cost
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
