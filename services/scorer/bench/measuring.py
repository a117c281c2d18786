"""One sitting: ceiling, own rate and peers in turn, so that a machine's moods hit all alike."""

import contextlib
import random
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from scorer.backends.decoder import DecoderBackend
from services.scorer.bench.peers import Peer
from services.scorer.bench.rates import (
    max_error_nats,
    product_flops_per_s,
    read_rows,
    seconds_to_score,
    work_of,
)

N_ROUNDS = 3
N_CHECKED = 200
"""Sentences held against the plain loop."""
N_PEER_SENTENCES = 130
"""Of sentences that share nothing, what a peer scores a round: its rate does not depend on it."""
BUDGET_S = 150.0
"""No round begins that would end later than this."""


@dataclass(slots=True)
class Sitting:
    """What was timed."""

    ceilings: list[float] = field(default_factory=list)
    """Floating-point operations a second."""
    own_rates: list[float] = field(default_factory=list)
    """Sentences a second."""
    shares: list[float] = field(default_factory=list)
    """Of the ceiling: the least that must be computed, over what could have been meanwhile."""
    token_rates: list[float] = field(default_factory=list)
    peer_rates: dict[str, list[float]] = field(default_factory=dict)


def measure(
    backend: DecoderBackend,
    sentences: Sequence[str],
    peer_names: Sequence[str],
    *,
    shares_nothing: bool,
    seed: int,
) -> dict[str, Any]:
    """Return own rate, ceiling, error and peers' rates.

    Args:
        backend: Loaded and idle.
        sentences: What is scored.
        peer_names: Those that are installed.
        shares_nothing: Whether any part of the sentences has the whole's rate; then each round
            takes other sentences, else each takes all of them.
        seed: Of the order, and of what is checked.

    Raises:
        PeerError: A peer ended early.
    """
    order = list(sentences)
    random.Random(seed).shuffle(order)
    parts = [order[at::N_ROUNDS] for at in range(N_ROUNDS)] if shares_nothing else [order] * 3
    sitting = Sitting(peer_rates={name: [] for name in peer_names})
    began = time.monotonic()
    with contextlib.ExitStack() as stack:
        peers = [stack.enter_context(Peer(name, backend.folder)) for name in peer_names]
        seconds_to_score(backend, order[:32])
        for number, part in enumerate(parts):
            took = time.monotonic() - began
            if number and took * (number + 1) / number > BUDGET_S:
                break
            _round(backend, part, peers, sitting, shares_nothing=shares_nothing)
    error = max_error_nats(backend, sentences, N_CHECKED, seed)
    return _told(sitting, len(sentences), error)


def _round(
    backend: DecoderBackend,
    sentences: Sequence[str],
    peers: Sequence[Peer],
    sitting: Sitting,
    *,
    shares_nothing: bool,
) -> None:
    shapes = backend.matrix_shapes()
    work = work_of(read_rows(backend, sentences))
    sitting.ceilings.append(product_flops_per_s(shapes, backend.device))
    took = seconds_to_score(backend, sentences)
    sitting.ceilings.append(product_flops_per_s(shapes, backend.device))
    sitting.own_rates.append(len(sentences) / took)
    sitting.token_rates.append(work.n_tokens / took)
    sitting.shares.append(work.n_prefixes * backend.flops_a_token() / took)
    asked = sentences[:N_PEER_SENTENCES] if shares_nothing else sentences
    for peer in peers:
        took, _ = peer.score(asked)
        sitting.peer_rates[peer.name].append(len(asked) / took)
    sitting.ceilings.append(product_flops_per_s(shapes, backend.device))


def _told(sitting: Sitting, n_sentences: int, error: float) -> dict[str, Any]:
    ceiling = statistics.median(sitting.ceilings)
    own = statistics.median(sitting.own_rates)
    return {
        "n_sentences": n_sentences,
        "sentences_per_s": own,
        "tokens_per_s": statistics.median(sitting.token_rates),
        "ceiling_flops_per_s": ceiling,
        "ceiling_share": statistics.median(sitting.shares) / ceiling,
        "max_abs_error_nats": error,
        "peers": {
            name: {
                "sentences_per_s": statistics.median(rates),
                "ratio": statistics.median(
                    mine / theirs for mine, theirs in zip(sitting.own_rates, rates, strict=True)
                ),
            }
            for name, rates in sitting.peer_rates.items()
        },
    }
