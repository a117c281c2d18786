"""One row a text from the states of its tokens."""

from collections.abc import Sequence

import torch
from torch import Tensor

from scorer.backend import States
from scorer.errors import BackendError
from scorer.schemas import Pooling


def pool_batch(layers: Sequence[Tensor], lengths: Sequence[int], pooling: Pooling) -> list[States]:
    """Pool right-padded states where they are, and bring only the result to the processor.

    Args:
        layers: One tensor a layer, shape (n_texts, n_tokens, width).
        lengths: Tokens of each text, without padding.
        pooling: The token at length − 1, the mean over all tokens, the first token, or all rows.

    Raises:
        BackendError: A layer has not as many rows as the longest text has tokens.
    """
    longest = max(lengths)
    wrong = next((layer.shape[1] for layer in layers if layer.shape[1] != longest), None)
    if wrong is not None:
        raise BackendError(f"{wrong} rows of hidden states for {longest} tokens")
    if pooling == "none":
        stacked = torch.stack(list(layers), dim=1).float().cpu().numpy()
        return [stacked[at, :, :length].copy() for at, length in enumerate(lengths)]
    counts = torch.tensor(lengths, device=layers[0].device)
    pooled = torch.stack([_pool(layer, counts, pooling) for layer in layers], dim=1)
    return list(pooled.float().cpu().numpy())


def _pool(states: Tensor, lengths: Tensor, pooling: Pooling) -> Tensor:
    match pooling:
        case "first":
            return states[:, 0]
        case "last":
            return states[torch.arange(len(states), device=states.device), lengths - 1]
        case _:
            at = torch.arange(states.shape[1], device=states.device)
            mask = (at[None, :] < lengths[:, None]).unsqueeze(-1)
            return (states.float() * mask).sum(1) / lengths[:, None]
