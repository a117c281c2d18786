"""Rows in which texts share the prefixes they have in common.

A causal model's state after a prefix does not depend on what follows. Sorted sequences are laid
into rows as a tree: a token stands once a row, sees its ancestors only, and its position is its
depth. The last token of a sequence is predicted but never read, so it is no node.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from scorer.backend import TokenRow

MIN_SAVING = 0.05
"""Below this share of saved tokens, plain rows are faster: they need no mask."""


@dataclass(slots=True)
class TreeRow:
    """One row of a batch: nodes in the order they are read."""

    tokens: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    """Index of each node's parent in this row; -1 for a first token."""
    depths: list[int] = field(default_factory=list)
    query_nodes: list[int] = field(default_factory=list)
    """After which node a token is asked for …"""
    query_tokens: list[int] = field(default_factory=list)
    """… which token that is …"""
    query_slots: list[int] = field(default_factory=list)
    """… and where its log-probability goes: an index over all scored tokens of all sequences."""

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def is_chain(self) -> bool:
        """Whether each node follows the one before it: no mask is needed."""
        return self.parents == list(range(-1, len(self.tokens) - 1))

    def visible(self) -> NDArray[np.bool_]:
        """Return which nodes each node sees: itself and its ancestors.

        Returns:
            Shape (n_nodes, n_nodes).
        """
        seen = np.zeros((len(self), len(self)), dtype=np.bool_)
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                seen[node] = seen[parent]
            seen[node, node] = True
        return seen


@dataclass(frozen=True, slots=True)
class Plan:
    """The rows to compute, and where each distinct sequence finds its log-probabilities."""

    rows: list[TreeRow]
    n_slots: int
    slots: dict[TokenRow, tuple[int, int]]
    """Sequence → [begin, end) of its scored tokens."""


def plan_rows(sequences: Sequence[TokenRow], *, max_nodes: int, may_branch: bool) -> Plan:
    """Lay sequences into rows, in the way that reads fewer tokens.

    Args:
        sequences: As they were asked; duplicates are read once.
        max_nodes: A row is closed beyond this many nodes, unless much of it is shared.
        may_branch: Whether the model can be given a mask of ancestors.
    """
    distinct = sorted(set(sequences), key=lambda row: (row.ids, row.n_given))
    slots: dict[TokenRow, tuple[int, int]] = {}
    n_slots = 0
    for row in distinct:
        slots[row] = (n_slots, n_slots + len(row.ids) - row.n_given)
        n_slots += len(row.ids) - row.n_given
    chains = _lay(distinct, slots, 0)
    if may_branch:
        trees = _lay(distinct, slots, max_nodes)
        if sum(map(len, trees)) < (1 - MIN_SAVING) * sum(map(len, chains)):
            return Plan(trees, n_slots, slots)
    return Plan(chains, n_slots, slots)


def _lay(
    distinct: Sequence[TokenRow], slots: dict[TokenRow, tuple[int, int]], max_nodes: int
) -> list[TreeRow]:
    """Lay sorted sequences into rows; with `max_nodes` 0 no row may branch."""
    rows: list[TreeRow] = []
    row = TreeRow()
    previous: tuple[int, ...] = ()
    path: list[int] = []
    for sequence in distinct:
        inputs = sequence.ids[:-1]
        n_shared = _n_common(previous, inputs)
        n_grown = len(row) + len(inputs) - n_shared
        if max_nodes:
            is_full = n_grown > max(max_nodes, 4 * n_shared)
        else:
            is_full = n_shared < len(row) and n_shared < len(inputs)
        if not rows or is_full:
            row, path, n_shared = TreeRow(), [], 0
            rows.append(row)
        path = _grow(row, path[:n_shared], inputs)
        _ask(row, path, sequence, slots[sequence][0])
        previous = inputs
    return rows


def _n_common(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    n = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        n += 1
    return n


def _grow(row: TreeRow, path: list[int], inputs: tuple[int, ...]) -> list[int]:
    for depth in range(len(path), len(inputs)):
        row.parents.append(path[-1] if path else -1)
        path.append(len(row.tokens))
        row.tokens.append(inputs[depth])
        row.depths.append(depth)
    return path


def _ask(row: TreeRow, path: list[int], sequence: TokenRow, slot: int) -> None:
    for at in range(sequence.n_given, len(sequence.ids)):
        row.query_nodes.append(path[at - 1])
        row.query_tokens.append(sequence.ids[at])
        row.query_slots.append(slot + at - sequence.n_given)
