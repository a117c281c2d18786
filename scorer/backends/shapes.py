"""Which matrices does every token of a text pass?"""

from typing import Any

import torch
from transformers.pytorch_utils import Conv1D


def matrix_shapes(model: Any) -> list[tuple[int, int]]:  # noqa: ANN401  # transformers has no types
    """Return (out, in) of every linear layer but the one that predicts tokens."""
    head = model.get_output_embeddings()
    found: list[tuple[int, int]] = []
    for module in model.modules():
        if module is head:
            continue
        if isinstance(module, torch.nn.Linear):
            found.append((module.out_features, module.in_features))
        elif isinstance(module, Conv1D):
            found.append((module.nf, module.nx))
    return found
