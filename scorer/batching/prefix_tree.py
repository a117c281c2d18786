"""Rows in which texts share the prefixes they have in common.

A causal model's state after a prefix does not depend on what follows. Sorted sequences are laid
into rows as a tree: a token stands once a row, sees its ancestors only, and its position is its
depth. Where only log-probabilities are asked for, the last token of a sequence is predicted but
never read, so it is no node.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from scorer.backend import TokenRow

MIN_SAVING = 0.05
"""Below this share of saved tokens, plain rows are faster: they need no mask."""
MAX_BRANCHED_NODES = 4096
"""A row that branches has a mask of nodes × nodes; beyond this it is closed, whatever it shares."""


@dataclass(slots=True)
class TreeRow:
    """One row of a batch: nodes in the order they are read."""

    tokens: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    """Index of each node's parent in this row; -1 for a first token."""
    depths: list[int] = field(default_factory=list)
    paths: list[tuple[TokenRow, tuple[int, ...]]] = field(default_factory=list)
    """Each sequence of this row with the nodes of its tokens, in order."""

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
class Questions:
    """Which token is asked for after which node."""

    nodes: NDArray[np.int64]
    tokens: NDArray[np.int64]
    slots: NDArray[np.int64]
    """Where the answer goes: an index over all scored tokens of all sequences."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The rows to compute, and where each distinct sequence finds its log-probabilities."""

    rows: list[TreeRow]
    n_slots: int
    slots: dict[TokenRow, tuple[int, int]]
    """Sequence → [begin, end) of its scored tokens."""


def plan_rows(sequences: Sequence[TokenRow], *, max_nodes: int, may_branch: bool) -> Plan:
    """Lay sequences whose tokens are to be scored into rows, in the way that reads fewer tokens.

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
    inputs = [(row, row.ids[:-1]) for row in distinct]
    return Plan(_lay_shortest(inputs, max_nodes, may_branch=may_branch), n_slots, slots)


def plan_states(
    sequences: Sequence[TokenRow], *, max_nodes: int, may_branch: bool
) -> list[TreeRow]:
    """Lay sequences whose states are asked for into rows; each token of each is a node."""
    distinct = sorted(set(sequences), key=lambda row: (row.ids, row.n_given))
    inputs = [(row, row.ids) for row in distinct]
    return _lay_shortest(inputs, max_nodes, may_branch=may_branch)


def questions_of(row: TreeRow, slots: Mapping[TokenRow, tuple[int, int]]) -> Questions:
    """Return what is asked in a row that `plan_rows` made."""
    parts = [(path[given.n_given - 1 :], given) for given, path in row.paths]
    return Questions(
        np.array([node for nodes, _ in parts for node in nodes], dtype=np.int64),
        np.array([token for _, row in parts for token in row.ids[row.n_given :]], dtype=np.int64),
        np.concatenate([np.arange(*slots[row], dtype=np.int64) for _, row in parts]),
    )


_Inputs = Sequence[tuple[TokenRow, tuple[int, ...]]]
"""Sequences in the order of their tokens, each with those of its tokens that are read."""


def _lay_shortest(inputs: _Inputs, max_nodes: int, *, may_branch: bool) -> list[TreeRow]:
    chains = _lay(inputs, 0)
    if may_branch:
        trees = _lay(inputs, max_nodes)
        if sum(map(len, trees)) < (1 - MIN_SAVING) * sum(map(len, chains)):
            return trees
    return chains


def _lay(inputs: _Inputs, max_nodes: int) -> list[TreeRow]:
    """Lay sorted sequences into rows; with `max_nodes` 0 no row may branch."""
    rows: list[TreeRow] = []
    row = TreeRow()
    previous: tuple[int, ...] = ()
    path: tuple[int, ...] = ()
    for sequence, tokens in inputs:
        n_shared = _n_common(previous, tokens)
        n_grown = len(row) + len(tokens) - n_shared
        if max_nodes:
            is_full = n_grown > min(max(max_nodes, 4 * n_shared), MAX_BRANCHED_NODES)
        else:
            is_full = n_shared < len(row) and n_shared < len(tokens)
        if not rows or is_full:
            row, path, n_shared = TreeRow(), (), 0
            rows.append(row)
        path = _grow(row, path[:n_shared], tokens)
        row.paths.append((sequence, path))
        previous = tokens
    return rows


def _n_common(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    n = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        n += 1
    return n


def _grow(row: TreeRow, path: tuple[int, ...], tokens: tuple[int, ...]) -> tuple[int, ...]:
    """Add what the path lacks of the tokens; return the path of all of them."""
    n_nodes, n_shared, n_new = len(row), len(path), len(tokens) - len(path)
    if n_new == 0:
        return path
    row.parents.append(path[-1] if path else -1)
    row.parents += range(n_nodes, n_nodes + n_new - 1)
    row.tokens += tokens[n_shared:]
    row.depths += range(n_shared, len(tokens))
    return path + tuple(range(n_nodes, n_nodes + n_new))
