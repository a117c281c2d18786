"""What a fast path is held against when a model is loaded: the plain one, a text at a time."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from scorer.backend import LogProbs, TokenRow

N_SHARED = 12
N_BRANCHES = 4
N_OWN = 5
TOLERANCE = {"float32": 1e-3, "float16": 0.1, "bfloat16": 0.5}
COARSE = 0.5
"""Nats a token, here and for all other types: above rounding, below what a wrong mask does."""


def check_rows(vocabulary_size: int) -> list[TokenRow]:
    """Return short random texts: some share a beginning, and lengths differ."""
    source = np.random.default_rng(0)

    def text(n_tokens: int) -> tuple[int, ...]:
        return tuple(source.integers(vocabulary_size, size=n_tokens).tolist())

    shared = text(N_SHARED)
    branches = [TokenRow(shared + text(N_OWN), 1) for _ in range(N_BRANCHES)]
    return [*branches, *(TokenRow(text(n_tokens), 1) for n_tokens in (N_OWN, N_OWN, N_SHARED))]


def plain_log_probs(model: Any, row: TokenRow) -> LogProbs:  # noqa: ANN401
    """Score one text by its model's own forward pass and a log-softmax over all logits."""
    ids = torch.tensor([row.ids], device=model.device)
    with torch.inference_mode():
        logits = model(input_ids=ids, use_cache=False).logits[0].float()
    scores = logits[:-1].log_softmax(-1).gather(1, ids[0, 1:, None])[:, 0]
    found: LogProbs = scores[row.n_given - 1 :].double().cpu().numpy()
    return found


def agrees(
    score: Callable[[Sequence[TokenRow]], list[LogProbs]],
    rows: Sequence[TokenRow],
    plain: Sequence[LogProbs],
    dtype: str,
) -> bool:
    """Tell whether `score` gives what the plain path gave."""
    try:
        found = score(rows)
    except (TypeError, ValueError, RuntimeError, AttributeError):
        return False
    return all(
        np.allclose(one, other, rtol=0, atol=TOLERANCE.get(dtype, COARSE))
        for one, other in zip(found, plain, strict=True)
    )
