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


def pool_nodes(
    layers: Sequence[Tensor], paths: Sequence[Sequence[int]], pooling: Pooling
) -> list[States]:
    """Pool texts that may share tokens, and bring only the result to the processor.

    Args:
        layers: One tensor a layer, shape (n_nodes, width).
        paths: The nodes of each text's tokens, in order.
        pooling: As `pool_batch` has it.
    """
    if pooling in ("first", "last"):
        at = torch.tensor([path[0 if pooling == "first" else -1] for path in paths])
        chosen = at.to(layers[0].device)
        return list(torch.stack([layer[chosen] for layer in layers], dim=1).float().cpu().numpy())
    lengths = [len(path) for path in paths]
    nodes = torch.tensor([node for path in paths for node in path], device=layers[0].device)
    if pooling == "none":
        every = torch.stack([layer[nodes] for layer in layers]).float().cpu()
        return [part.numpy().copy() for part in torch.split(every, lengths, dim=1)]
    counts = torch.tensor(lengths, device=layers[0].device)
    text = torch.repeat_interleave(torch.arange(len(paths), device=counts.device), counts)
    means = []
    for layer in layers:
        sums = torch.zeros((len(paths), layer.shape[1]), device=layer.device)
        means.append(sums.index_add_(0, text, layer[nodes].float()) / counts[:, None])
    return list(torch.stack(means, dim=1).cpu().numpy())
