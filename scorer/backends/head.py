"""Log-probabilities of given tokens from hidden states, without a matrix of all logits.

The head of a small model costs as much as a fifth of its layers, and its logits do not fit into
the processor's cache: so the vocabulary is cut into tiles, over which a log-sum-exp runs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

TILE_TOKENS = 4096
"""Vocabulary entries a tile on a processor."""
CHUNK_ROWS = 256


def _unchanged(logits: Tensor) -> Tensor:
    return logits


@dataclass(frozen=True)
class Head:
    """The output matrix of a causal model, and what its class does to the logits after it."""

    weight: Tensor
    """Shape (vocabulary_size, width)."""
    bias: Tensor | None = None
    adjust: Callable[[Tensor], Tensor] = _unchanged

    def log_probs(self, states: Tensor, nodes: Tensor, tokens: Tensor) -> Tensor:
        """Return log p(token | state) for pairs of them, in float32.

        Args:
            states: Shape (n_states, width).
            nodes: Shape (n_pairs,), the state of each pair.
            tokens: Shape (n_pairs,), the token of each pair.

        Returns:
            Shape (n_pairs,), in nats.
        """
        totals = torch.cat([self._log_totals(chunk) for chunk in torch.split(states, CHUNK_ROWS)])
        chosen = torch.cat(
            [
                self._chosen(states[at], token)
                for at, token in zip(
                    torch.split(nodes, CHUNK_ROWS), torch.split(tokens, CHUNK_ROWS), strict=True
                )
            ]
        )
        return chosen - totals[nodes]

    def _log_totals(self, states: Tensor) -> Tensor:
        """Return log Σ exp(logit) over the vocabulary, shape (n_states,)."""
        tile = TILE_TOKENS if states.device.type == "cpu" else self.weight.shape[0]
        parts = []
        for begin in range(0, self.weight.shape[0], tile):
            bias = None if self.bias is None else self.bias[begin : begin + tile]
            logits = torch.nn.functional.linear(states, self.weight[begin : begin + tile], bias)
            parts.append(_log_sum_exp_(self.adjust(logits).float()))
        return torch.stack(parts, dim=-1).logsumexp(-1)

    def _chosen(self, states: Tensor, tokens: Tensor) -> Tensor:
        logits = (states.float() * self.weight[tokens].float()).sum(-1)
        if self.bias is not None:
            logits = logits + self.bias[tokens].float()
        return self.adjust(logits).float()


def _log_sum_exp_(logits: Tensor) -> Tensor:
    """Return log Σ exp over the last axis; overwrites its argument, which no one reads again."""
    largest = logits.amax(-1, keepdim=True)
    return logits.sub_(largest).exp_().sum(-1).log_().add_(largest[:, 0])


def head_of(model: Any) -> Head | None:  # noqa: ANN401  # transformers has no types
    """Return the head of a causal model, or None where its class has none of the known shape."""
    layer = model.get_output_embeddings()
    if not isinstance(layer, torch.nn.Linear):
        return None
    return Head(layer.weight.detach(), layer.bias, _adjustment(model.config))


def _adjustment(config: Any) -> Callable[[Tensor], Tensor]:  # noqa: ANN401
    """Return what Gemma 2, Cohere and Granite do to their logits."""
    if cap := getattr(config, "final_logit_softcapping", None):
        return lambda logits: torch.tanh(logits / cap) * cap
    if scale := getattr(config, "logit_scale", None):
        return lambda logits: logits * scale
    if divisor := getattr(config, "logits_scaling", None):
        return lambda logits: logits / divisor
    return _unchanged
