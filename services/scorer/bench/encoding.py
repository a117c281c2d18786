"""How fast does an encoder embed texts of many lengths, beside sentence-transformers?"""

import random
import statistics
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from scorer.backends.encoder import EncoderBackend
from scorer.batching.prompts import TextRow, read_hidden_states_request
from scorer.schemas import HiddenStatesRequest
from services.scorer.bench.peers import Peer

N_ROUNDS = 3
WORDS_IN_A_TEXT = (2, 5, 10, 20, 40, 120)
PEER = "sentence_transformers_32"


def mixed_texts(words: Sequence[str], n_texts: int, seed: int) -> list[str]:
    """Return texts of many lengths, in no order."""
    source = random.Random(seed)
    return [
        " ".join(source.choices(words, k=source.choice(WORDS_IN_A_TEXT))) for _ in range(n_texts)
    ]


def measure_encoder(
    backend: EncoderBackend, texts: Sequence[str], peer_names: Sequence[str]
) -> dict[str, Any]:
    """Return the rate of mean-pooled vectors, and the peer's in the same sitting.

    Raises:
        PeerError: The peer ended early.
    """
    own: list[float] = []
    theirs: list[float] = []
    difference = None
    seconds_to_embed(backend, texts[:16])
    if PEER in peer_names:
        with Peer(PEER, backend.folder) as peer:
            for _ in range(N_ROUNDS):
                took, sums = seconds_to_embed(backend, texts)
                own.append(len(texts) / took)
                took, peer_sums = peer.score(texts)
                theirs.append(len(texts) / took)
                difference = float(np.abs(np.subtract(sums, peer_sums)).max())
    else:
        own = [len(texts) / seconds_to_embed(backend, texts)[0] for _ in range(N_ROUNDS)]
    peers = {}
    if theirs:
        ratio = statistics.median(a / b for a, b in zip(own, theirs, strict=True))
        peers[PEER] = {"texts_per_s": statistics.median(theirs), "ratio": ratio}
    return {
        "n_texts": len(texts),
        "texts_per_s": statistics.median(own),
        "max_abs_difference": difference,
        "peers": peers,
    }


def seconds_to_embed(backend: EncoderBackend, texts: Sequence[str]) -> tuple[float, list[float]]:
    """Return the time from texts to mean-pooled vectors, and the sum of each vector's entries."""
    began = time.perf_counter()
    request = HiddenStatesRequest(texts=list(texts), pooling="mean", layers=[-1])
    read = read_hidden_states_request(request, backend.tokenizer, backend.info)
    rows = [row.row for row in read if isinstance(row, TextRow)]
    found = backend.hidden_states(rows, [backend.info.n_layers], "mean")
    took = time.perf_counter() - began
    return took, [float(states.sum()) for states in found]
