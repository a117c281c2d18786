"""Texts laid end to end, so that no place of a batch is padding.

Everything in a transformer but attention looks at one token at a time: those layers read all texts
as one long row. Only attention must know where a text ends; it is asked group by group, a group
being texts of one length or one tree of shared prefixes.
"""

import contextlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

from scorer.batching.prefix_tree import TreeRow

ATTENTION = "polysense_packed"
REPLACED = "sdpa"
"""The implementation this one stands in for; it answers where no layout is active."""


@dataclass(frozen=True, slots=True)
class Group:
    """Neighbouring rows of one length."""

    begin: int
    """Of its first token, in the batch."""
    n_rows: int
    n_tokens: int
    """A row's."""
    mask: Tensor | None
    """Added to the attention scores, shape (n_tokens, n_tokens); None: causal."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A batch without padding."""

    ids: Tensor
    """Shape (1, n_tokens)."""
    positions: Tensor
    """Shape (1, n_tokens): each token's depth in its own text."""
    begins: tuple[int, ...]
    """Where each row begins."""
    groups: tuple[Group, ...]


def pack(rows: Sequence[TreeRow], dtype: torch.dtype, device: torch.device) -> Packed:
    """Lay rows end to end, in their order; neighbours of one length share a group."""
    begins = (0, *accumulate(map(len, rows)))[:-1]
    groups: list[Group] = []
    for row, begin in zip(rows, begins, strict=True):
        last = groups[-1] if groups else None
        if not row.is_chain:
            mask = ancestor_mask(row, dtype).to(device)
            groups.append(Group(begin, 1, len(row), mask))
        elif last is not None and last.mask is None and last.n_tokens == len(row):
            groups[-1] = Group(last.begin, last.n_rows + 1, last.n_tokens, None)
        else:
            groups.append(Group(begin, 1, len(row), None))
    tokens = np.concatenate([np.array(row.tokens, dtype=np.int64) for row in rows])
    depths = np.concatenate([np.array(row.depths, dtype=np.int64) for row in rows])
    return Packed(
        torch.from_numpy(tokens)[None].to(device),
        torch.from_numpy(depths)[None].to(device),
        begins,
        tuple(groups),
    )


def ancestor_mask(row: TreeRow, dtype: torch.dtype) -> Tensor:
    """Return 0 where a node sees another and the least number elsewhere."""
    hidden = torch.tensor(torch.finfo(dtype).min, dtype=dtype)
    return torch.where(torch.from_numpy(row.visible()), torch.zeros((), dtype=dtype), hidden)


def use_packed_attention(model: Any) -> bool:  # noqa: ANN401  # transformers has no types
    """Let a model's attention heed layouts; return whether its class has a place for that."""
    if model.config._attn_implementation != REPLACED:
        return False
    try:
        model.set_attn_implementation(ATTENTION)
    except (ValueError, ImportError, AttributeError):
        return False
    return bool(model.config._attn_implementation == ATTENTION)


def use_plain_attention(model: Any) -> None:  # noqa: ANN401
    """Take `use_packed_attention` back."""
    model.set_attn_implementation(REPLACED)


def run_packed(model: Any, batch: Packed, **extra: Any) -> Any:  # noqa: ANN401
    """Run a model's backbone over a batch.

    The mask that is passed is read by nobody: it only keeps the model from making one of its own
    over the whole row.
    """
    unread = torch.zeros((1, 1, 1, 1), dtype=model.dtype, device=batch.ids.device)
    with _layout(batch.groups):
        return model(
            input_ids=batch.ids,
            position_ids=batch.positions,
            attention_mask=unread,
            use_cache=False,
            **extra,
        )


_active = threading.local()
"""The groups of the batch that this thread computes."""


@contextlib.contextmanager
def _layout(groups: Sequence[Group]) -> Iterator[None]:
    _active.groups = groups
    try:
        yield
    finally:
        _active.groups = None


def _attend(  # noqa: PLR0913  # transformers decides how attention is called
    module: torch.nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    **extra: Any,  # noqa: ANN401
) -> tuple[Tensor, None]:
    """Attend within each row of the active layout.

    Args:
        module: The attention layer.
        query: Shape (1, n_heads, n_tokens, head_width).
        key: Shape (1, n_key_heads, n_tokens, head_width).
        value: As `key`.
        attention_mask: Heeded where no layout is active.
        scaling: Of the scores.
        dropout: Never in use here.
        extra: What some classes add; a soft cap of the scores is not known here.

    Returns:
        Shape (1, n_tokens, n_heads, head_width).
    """
    groups: Sequence[Group] | None = getattr(_active, "groups", None)
    if groups is None:
        found, _ = sdpa_attention_forward(
            module, query, key, value, attention_mask, dropout=dropout, scaling=scaling, **extra
        )
        return found, None
    if extra.get("softcap") is not None or extra.get("position_bias") is not None:
        raise NotImplementedError("attention scores that are capped or biased")
    found = query.new_empty((1, query.shape[2], query.shape[1], value.shape[3]))
    for group in groups:
        places = slice(group.begin, group.begin + group.n_rows * group.n_tokens)
        one = scaled_dot_product_attention(
            _rows(query, places, group),
            _rows(key, places, group),
            _rows(value, places, group),
            attn_mask=group.mask,
            is_causal=group.mask is None,
            scale=scaling,
            enable_gqa=query.shape[1] != key.shape[1],
        )
        found[0, places] = one.transpose(1, 2).flatten(0, 1)
    return found, None


def _rows(states: Tensor, places: slice, group: Group) -> Tensor:
    """Return a view of a group's part, shape (n_rows, n_heads, n_tokens, head_width)."""
    chosen = states[0, :, places]
    shape = (chosen.shape[0], group.n_rows, group.n_tokens, chosen.shape[2])
    return chosen.view(shape).transpose(0, 1)


AttentionInterface.register(ATTENTION, _attend)
AttentionMaskInterface.register(ATTENTION, sdpa_mask)
