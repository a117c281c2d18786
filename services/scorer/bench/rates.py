"""How fast is a loaded model, how fast could it be, and is what it says right?"""

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from scorer.backend import Backend, TokenRow
from scorer.backends.decoder import DecoderBackend
from scorer.backends.self_check import plain_log_probs
from scorer.batching.scoring_row import ScoringRow
from scorer.batching.tokenising import read_log_prob_request
from scorer.schemas import LogProbItem, LogProbRequest

CEILING_ROWS = 512
"""Rows of a product that the ceiling is measured with: a full batch on a processor."""


@dataclass(frozen=True, slots=True)
class Work:
    """What must be computed to score some sentences, however it is done."""

    n_tokens: int
    """Scored tokens."""
    n_prefixes: int
    """Distinct beginnings after which a token is asked for: the fewest tokens to be read."""


def read_rows(backend: Backend, sentences: Sequence[str]) -> list[TokenRow]:
    """Tokenise sentences as the service does.

    Raises:
        ValueError: A sentence cannot be scored by this model.
    """
    request = LogProbRequest(
        items=[LogProbItem(context="", continuation=text) for text in sentences]
    )
    rows = read_log_prob_request(request, backend.tokenizer, backend.info)
    found = [row.row for row in rows if isinstance(row, ScoringRow)]
    if len(found) != len(rows):
        raise ValueError(f"{len(rows) - len(found)} sentences cannot be scored by this model")
    return found


def work_of(rows: Sequence[TokenRow]) -> Work:
    """Count what must be computed."""
    prefixes = {row.ids[:end] for row in rows for end in range(1, len(row.ids))}
    return Work(sum(len(row.ids) - row.n_given for row in rows), len(prefixes))


def seconds_to_score(backend: Backend, sentences: Sequence[str]) -> float:
    """Return the time from texts to log-probabilities, tokenising included."""
    began = time.perf_counter()
    backend.log_probs(read_rows(backend, sentences))
    return time.perf_counter() - began


def product_flops_per_s(shapes: Sequence[tuple[int, int]], device: torch.device) -> float:
    """Return the rate of products of the given matrices, each once, by all cores together.

    Args:
        shapes: (rows, columns) of the matrices that a token passes.
        device: Where to compute.
    """
    states = {width: torch.randn(CEILING_ROWS, width, device=device) for _, width in shapes}
    matrices = [torch.randn(shape, device=device) for shape in shapes]
    n_flops = sum(2 * CEILING_ROWS * height * width for height, width in shapes)
    began = time.perf_counter()
    for matrix in matrices:
        torch.nn.functional.linear(states[matrix.shape[1]], matrix)
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return n_flops / (time.perf_counter() - began)


def max_error_nats(
    backend: DecoderBackend, sentences: Sequence[str], n_checked: int, seed: int
) -> float:
    """Return the largest difference of a sentence's sum from a plain loop, a text at a time."""
    chosen = random.Random(seed).sample(range(len(sentences)), min(n_checked, len(sentences)))
    found = backend.log_probs(read_rows(backend, sentences))
    rows = read_rows(backend, [sentences[at] for at in chosen])
    plain = [plain_log_probs(backend.model, row).sum() for row in rows]
    return float(
        np.abs([found[at].sum() - value for at, value in zip(chosen, plain, strict=True)]).max()
    )
