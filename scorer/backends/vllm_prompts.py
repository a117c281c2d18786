"""From rows to prompts for vLLM, and from its answers back to log-probabilities."""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scorer.backend import LogProbs, TokenRow
from scorer.errors import BackendError

MAX_LABELS = 128
"""vLLM takes no more chosen tokens with one prompt."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What vLLM reads, and the rows that it answers."""

    ids: tuple[int, ...]
    labels: tuple[int, ...]
    """Tokens that are asked for after the prompt; empty where the version cannot be asked."""
    rows: tuple[TokenRow, ...]

    @property
    def is_scored(self) -> bool:
        """Whether log-probabilities of its own tokens are asked for."""
        return any(row.n_given < len(self.ids) for row in self.rows)


def plan_prompts(rows: Sequence[TokenRow], *, takes_labels: bool) -> list[Prompt]:
    """Put distinct rows that differ in their last token only into one prompt."""
    distinct = list(dict.fromkeys(rows))
    if not takes_labels:
        return [Prompt(row.ids, (), (row,)) for row in distinct]
    by_ids: dict[tuple[int, ...], list[TokenRow]] = defaultdict(list)
    for row in distinct:
        by_ids[row.ids[:-1]].append(row)
    return [
        _labelled(ids, alike[at : at + MAX_LABELS])
        for ids, alike in by_ids.items()
        for at in range(0, len(alike), MAX_LABELS)
    ]


def read_log_probs(prompt: Prompt, output: Any) -> Mapping[TokenRow, LogProbs]:  # noqa: ANN401
    """Return the log-probabilities of each row's scored tokens.

    Raises:
        BackendError: vLLM left a token out.
    """
    own: list[Any] = list(output.prompt_logprobs or ())
    if prompt.is_scored and len(own) != len(prompt.ids):
        raise BackendError(f"vLLM gave {len(own)} log-probabilities to {len(prompt.ids)} tokens")
    last = output.outputs[0].logprobs[0] if prompt.labels else {}
    found = {}
    for row in prompt.rows:
        places = [*own[row.n_given : len(prompt.ids)], *([last] if prompt.labels else [])]
        tokens = row.ids[row.n_given :]
        values = [_value(place, token) for place, token in zip(places, tokens, strict=True)]
        found[row] = np.array(values, dtype=np.float64)
    return found


def seed_of(seed: int, ids: tuple[int, ...]) -> int:
    """Return a row's own seed: neither its neighbours nor its place in a call matter."""
    digest = hashlib.sha256(f"{seed}:{ids}".encode()).digest()
    return int.from_bytes(digest[:7], "big")


def _labelled(ids: tuple[int, ...], rows: Sequence[TokenRow]) -> Prompt:
    labels = tuple(dict.fromkeys(row.ids[-1] for row in rows))
    return Prompt(ids, labels, tuple(rows))


def _value(place: Mapping[int, Any] | None, token: int) -> float:
    if place is None or token not in place:
        raise BackendError(f"vLLM gave no log-probability of token {token}")
    return float(place[token].logprob)
