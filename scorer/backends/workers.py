"""Use a processor's cores: one thread a batch where there are many, all of them on one else.

Threads that share one matrix product wait for one another at its end, some hundred times a
batch; threads with batches of their own never do. On two cores that is a third more texts a second.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import torch

from scorer.batching.batches import run_batch

Row = TypeVar("Row")

MIN_BATCHES_A_WORKER = 2
"""With fewer, some workers would be idle while others end."""


def run_batches(
    batches: Iterable[Sequence[Row]],
    run: Callable[[Sequence[Row]], None],
    device: torch.device,
) -> None:
    """Run every batch; on a processor several at once. `run` must not mind the order.

    Raises:
        OutOfMemoryError: One row alone does not fit.
    """
    waiting = list(batches)
    n_workers = torch.get_num_threads() if device.type == "cpu" else 1
    if n_workers == 1 or len(waiting) < MIN_BATCHES_A_WORKER * n_workers:
        for batch in waiting:
            run_batch(batch, run)
        return
    with _single_threads(), ThreadPoolExecutor(n_workers, "batch") as pool:
        for _ in pool.map(lambda batch: run_batch(batch, run), waiting):
            pass


@contextlib.contextmanager
def _single_threads() -> Iterator[None]:
    """Let each new thread compute alone."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
