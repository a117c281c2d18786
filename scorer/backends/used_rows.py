"""Train only those rows of an embedding table that the texts use.

A row that no text uses has no gradient: AdamW only shrinks it by its weight decay. So the table is
cut to the used rows for the training, and the others are shrunk at the end, all steps at once. Most
of a small encoder's weights are such rows, and nearly all of a multilingual one's.

Source: Loshchilov & Hutter 2019 (AdamW, arXiv:1711.05101), algorithm 2 with a gradient of zero.
"""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn


class UsedRows:
    """An embedding table cut to the rows of some token ids; the model does not notice."""

    def __init__(self, model: Any, ids: Iterable[int]) -> None:  # noqa: ANN401
        """Cut the model's table of input embeddings to the rows of `ids` and of the padding."""
        self._table: nn.Embedding = model.get_input_embeddings()
        whole = self._table.weight
        padding = self._table.padding_idx
        kept = sorted({*ids, *(() if padding is None else (padding,))})
        self._kept = torch.tensor(kept, device=whole.device)
        self._whole = whole.detach().clone()
        self._padding = padding
        self._place_by_id = torch.full((len(whole),), -1, device=whole.device)
        self._place_by_id[self._kept] = torch.arange(len(kept), device=whole.device)
        self._set(self._whole[self._kept])
        self._hook = self._table.register_forward_pre_hook(self._look_up)
        if padding is not None:
            self._table.padding_idx = kept.index(padding)

    def put_back(self, decay: float) -> None:
        """Make the table whole again.

        Args:
            decay: What is left of a row that no text used.
        """
        self._hook.remove()
        whole = self._whole * decay
        whole[self._kept] = self._table.weight.detach()
        self._set(whole)
        self._table.padding_idx = self._padding

    def _set(self, weight: Tensor) -> None:
        self._table.weight = nn.Parameter(weight)
        self._table.num_embeddings = len(weight)

    def _look_up(self, _table: nn.Module, inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return (self._place_by_id[inputs[0]], *inputs[1:])
