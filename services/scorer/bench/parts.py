"""What sharing saves, what hidden states cost, and what is lost on the way over HTTP."""

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from scorer.backend import TokenRow
from scorer.backends.decoder import DecoderBackend
from scorer.backends.self_check import plain_log_probs
from scorer.batching.prefix_tree import plan_rows
from scorer.batching.prompts import TextRow, read_hidden_states_request
from scorer.batching.scoring_row import ScoringRow
from scorer.batching.tokenising import read_log_prob_request
from scorer.client import ScorerClient
from scorer.schemas import HiddenStatesRequest, LogProbItem, LogProbRequest, Pooling
from services.home import open_home
from services.processes import free_port, start_scorer, stop, wait_until_ready
from services.scorer.bench.rates import seconds_to_score

N_ROUNDS = 3
N_SENTENCES = 384
"""Of each round: several seconds of work for a small model on a small machine."""
N_CONTEXT_WORDS = 900
N_CONTINUATIONS = 50
N_CHECKED = 4
BATCH_ITEMS = 64
N_CLIENTS = 32
LABELS = {"A/B/C": (" A", " B", " C"), "Yes/No": (" Yes", " No")}


def measure_parts(backend: DecoderBackend, sentences: Sequence[str]) -> dict[str, Any]:
    """Return every part's figures, as ratios against the plain way in the same sitting."""
    chosen = sentences[:N_SENTENCES]
    return {
        "labels": {name: label_tokens(backend, chosen, labels) for name, labels in LABELS.items()},
        "long_context": long_context(backend, sentences),
        "hidden_states": hidden_states(backend, chosen),
        "http": over_http(backend, chosen),
    }


def label_tokens(
    backend: DecoderBackend, sentences: Sequence[str], labels: Sequence[str]
) -> dict[str, float]:
    """Count the tokens that are read for the labels of each prompt, and check the scores."""
    rows = _rows(
        backend,
        [LogProbItem(context=f"{text}\nAnswer:", continuations=list(labels)) for text in sentences],
    )
    plan = plan_rows(rows, max_nodes=128, may_branch=True)
    n_read, n_naive = sum(map(len, plan.rows)), sum(len(row.ids) for row in rows)
    checked = rows[: N_CHECKED * len(labels)]
    return {
        "n_tokens_read": n_read,
        "n_tokens_naive": n_naive,
        "share": n_read / n_naive,
        "max_abs_error_nats": _error(backend, checked),
    }


def long_context(backend: DecoderBackend, sentences: Sequence[str]) -> dict[str, float]:
    """Time many continuations of one long context against a forward pass for each."""
    words = " ".join(sentences).split()[:N_CONTEXT_WORDS]
    continuations = [f" {' '.join(text.split()[:3])}" for text in sentences[:N_CONTINUATIONS]]
    item = LogProbItem(context=" ".join(words), continuations=continuations)
    rows = _rows(backend, [item])
    took = _seconds(lambda: backend.log_probs(rows))
    naive = _seconds(lambda: [plain_log_probs(backend.model, row) for row in rows[:N_CHECKED]])
    naive *= len(rows) / N_CHECKED
    return {
        "n_context_tokens": rows[0].n_given,
        "n_continuations": len(rows),
        "seconds": took,
        "ratio": naive / took,
        "max_abs_error_nats": _error(backend, rows[:N_CHECKED]),
    }


def hidden_states(backend: DecoderBackend, sentences: Sequence[str]) -> dict[str, float]:
    """Time all layers' states against log-probabilities of the same sentences."""
    request = HiddenStatesRequest(texts=list(sentences))
    asked = read_hidden_states_request(request, backend.tokenizer, backend.info)
    rows = [row.row for row in asked if isinstance(row, TextRow)]
    layers = range(backend.info.n_layers + 1)
    ratios: dict[Pooling, list[float]] = {"last": [], "mean": []}
    for _ in range(N_ROUNDS):
        scoring = seconds_to_score(backend, sentences)
        for pooling, found in ratios.items():
            took = _seconds(partial(backend.hidden_states, rows, layers, pooling))
            found.append(scoring / took)
    return {f"{pooling}_ratio": statistics.median(found) for pooling, found in ratios.items()}


def over_http(backend: DecoderBackend, sentences: Sequence[str]) -> dict[str, float]:
    """Time one client that sends batches, and many that send single requests, in process and not.

    The same batches are scored in this process; a scorer of its own answers over HTTP.
    """
    home = open_home()
    record = start_scorer(home, backend.info.model, free_port(), ends_with_parent=True)
    try:
        wait_until_ready(record)
        return asyncio.run(_ask_over_http(backend, record.url, home.scorer_key, sentences))
    finally:
        stop(home, record)


async def _ask_over_http(
    backend: DecoderBackend, url: str, key: str | None, sentences: Sequence[str]
) -> dict[str, float]:
    batches = [
        sentences[begin : begin + BATCH_ITEMS] for begin in range(0, len(sentences), BATCH_ITEMS)
    ]
    found: dict[str, list[float]] = {"batches_ratio": [], "single_requests_ratio": []}
    async with ScorerClient(url, api_key=key) as client:
        await client.log_probs(_request(batches[0]))
        for _ in range(N_ROUNDS):
            batched = sum(seconds_to_score(backend, batch) for batch in batches)
            ways: Mapping[str, Callable[[], Awaitable[None]]] = {
                "batches_ratio": lambda: _one_client(client, batches),
                "single_requests_ratio": lambda: _many_clients(client, sentences),
            }
            for name, ask in ways.items():
                began = time.perf_counter()
                await ask()
                found[name].append(batched / (time.perf_counter() - began))
    return {name: statistics.median(ratios) for name, ratios in found.items()}


async def _one_client(client: ScorerClient, batches: Sequence[Sequence[str]]) -> None:
    """Keep one batch ahead of the scorer, as a client with work in hand does."""
    ahead = asyncio.Semaphore(2)

    async def ask(batch: Sequence[str]) -> None:
        async with ahead:
            await client.log_probs(_request(batch))

    await asyncio.gather(*(ask(batch) for batch in batches))


async def _many_clients(client: ScorerClient, sentences: Sequence[str]) -> None:
    waiting = iter(sentences)

    async def one_after_another() -> None:
        for text in waiting:
            await client.log_probs(_request([text]))

    await asyncio.gather(*(one_after_another() for _ in range(N_CLIENTS)))


def _request(texts: Sequence[str]) -> LogProbRequest:
    return LogProbRequest(items=[LogProbItem(context="", continuation=text) for text in texts])


def _rows(backend: DecoderBackend, items: Sequence[LogProbItem]) -> list[TokenRow]:
    read = read_log_prob_request(LogProbRequest(items=items), backend.tokenizer, backend.info)
    return [row.row for row in read if isinstance(row, ScoringRow)]


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _error(backend: DecoderBackend, rows: Sequence[TokenRow]) -> float:
    found = backend.log_probs(rows)
    plain = [plain_log_probs(backend.model, row) for row in rows]
    return float(np.max([abs(a.sum() - b.sum()) for a, b in zip(found, plain, strict=True)]))
