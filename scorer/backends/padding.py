"""Rows of different lengths as one tensor."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor


def pad_right(
    rows: Sequence[Sequence[int]], pad_id: int, device: torch.device
) -> tuple[Tensor, Tensor]:
    """Return ids, and a mask that is 1 where a token is.

    Returns:
        Two tensors of shape (n_rows, longest).
    """
    ids = np.full((len(rows), max(map(len, rows))), pad_id, dtype=np.int64)
    mask = np.zeros_like(ids)
    for at, row in enumerate(rows):
        ids[at, : len(row)] = row
        mask[at, : len(row)] = 1
    return torch.from_numpy(ids).to(device), torch.from_numpy(mask).to(device)
