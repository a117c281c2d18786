"""How far do a model's log-probabilities move when nothing but their neighbours in a batch changes?

The same requests are asked again as they were, in another order, and in batches of other sizes; the
cache is not asked. ε is the greatest difference of a sum, in nats. A decision lies within ε where
the judge decides otherwise once every sum may be ε more or less.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, product

from benchmarks.benchmark import Benchmark, Case
from benchmarks.requests import Request
from benchmarks.responses import LogProbResponse, Response
from orchestrator.providers.provider import Answer, Provider

BATCH_SIZES = (1, 3, 16, 7)
MAX_CORNERS_OF = 8
"""Up to so many sums a case, every one of them is moved both ways in every combination."""

Sums = dict[str, tuple[float, ...]]
"""By request key."""


@dataclass(frozen=True, slots=True)
class Noise:
    """What moved, and how many decisions hang on it."""

    epsilon_nats: float
    by_arrangement: Mapping[str, float]
    """Greatest difference to the first time, in nats: repeated, shuffled, rebatched."""
    n_requests: int
    n_unanswered: int
    """Requests that one of the times left unanswered."""
    n_cases: int
    """Cases with an answer to every request."""
    n_within: int
    """Of these, cases whose decision lies within ε."""

    @property
    def share_within(self) -> float | None:
        """Return the share of cases whose decision lies within ε."""
        return self.n_within / self.n_cases if self.n_cases else None


async def measure_noise(
    provider: Provider, benchmark: Benchmark, cases: Sequence[Case], seed: int
) -> Noise:
    """Ask the first requests of some cases four times and hold the answers together.

    Args:
        provider: Asked directly, past the cache.
        benchmark: Its judge decides.
        cases: Of tasks that ask for log-probabilities only.
        seed: Of the order in which they are shuffled, and of the requests.

    Raises:
        ProviderUnavailableError: The model cannot be reached.
    """
    asked = [benchmark.requests(case, seed) for case in cases]
    requests = [request for of_case in asked for request in of_case]
    first = await _ask(provider, [requests])
    again = {
        "repeated": await _ask(provider, [requests]),
        "shuffled": await _ask(provider, [_shuffled(requests, seed)]),
        "rebatched": await _ask(provider, list(_batches(_shuffled(requests, seed + 1)))),
    }
    before = _sums(first)
    moved = {name: _greatest(before, _sums(answers)) for name, answers in again.items()}
    epsilon = max(moved.values())
    responses = [_responses(of_case, first) for of_case in asked]
    known = [
        (case, found) for case, found in zip(cases, responses, strict=True) if found is not None
    ]
    times = (first, *again.values())
    n_answered = sum(
        all(isinstance(answers[request.key], LogProbResponse) for answers in times)
        for request in requests
    )
    return Noise(
        epsilon_nats=epsilon,
        by_arrangement=moved,
        n_requests=len(requests),
        n_unanswered=len(requests) - n_answered,
        n_cases=len(known),
        n_within=sum(is_within(benchmark, case, seed, found, epsilon) for case, found in known),
    )


def is_within(
    benchmark: Benchmark,
    case: Case,
    seed: int,
    responses: Mapping[str, LogProbResponse],
    epsilon: float,
) -> bool:
    """Say whether a case is decided otherwise once every sum may be ε more or less."""
    if epsilon == 0:
        return False
    decided = _value(benchmark, case, seed, responses)
    n_sums = sum(len(response.sums) for response in responses.values())
    return any(
        _value(benchmark, case, seed, _moved(responses, corner, epsilon)) != decided
        for corner in _corners(n_sums)
    )


def _value(
    benchmark: Benchmark, case: Case, seed: int, responses: Mapping[str, Response]
) -> float | None:
    outcome = benchmark.judge(case, seed, responses)
    return None if outcome is None else outcome.value


def _corners(n_sums: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways to move the sums; of many, one against all others."""
    if n_sums <= MAX_CORNERS_OF:
        yield from product((1, -1), repeat=n_sums)
        return
    for place in range(n_sums):
        for sign in (1, -1):
            yield tuple(sign if at == place else -sign for at in range(n_sums))


def _moved(
    responses: Mapping[str, LogProbResponse], corner: Sequence[int], epsilon: float
) -> dict[str, LogProbResponse]:
    """Move the sums of all responses, in their order; the first token carries the move."""
    found, signs = {}, iter(corner)
    for part, response in responses.items():
        moves = [next(signs) * epsilon for _ in response.sums]
        rows = None
        if response.log_probs is not None:
            rows = tuple(
                (row[0] + move, *row[1:]) if row else row
                for row, move in zip(response.log_probs, moves, strict=True)
            )
        sums = tuple(value + move for value, move in zip(response.sums, moves, strict=True))
        found[part] = response.model_copy(update={"sums": sums, "log_probs": rows})
    return found


async def _ask(provider: Provider, batches: Sequence[Sequence[Request]]) -> dict[str, Answer]:
    found: dict[str, Answer] = {}
    for batch in batches:
        answers = await provider.answer(batch)
        found.update(zip((request.key for request in batch), answers, strict=True))
    return found


def _shuffled(requests: Sequence[Request], seed: int) -> list[Request]:
    return random.Random(seed).sample(list(requests), len(requests))


def _batches(requests: Sequence[Request]) -> Iterator[Sequence[Request]]:
    at = 0
    for size in cycle(BATCH_SIZES):
        if at >= len(requests):
            return
        yield requests[at : at + size]
        at += size


def _sums(answers: Mapping[str, Answer]) -> Sums:
    return {
        key: answer.sums for key, answer in answers.items() if isinstance(answer, LogProbResponse)
    }


def _greatest(one: Sums, other: Sums) -> float:
    differences = (
        abs(a - b) for key in one if key in other for a, b in zip(one[key], other[key], strict=True)
    )
    return max(differences, default=0.0)


def _responses(
    requests: Sequence[Request], answers: Mapping[str, Answer]
) -> dict[str, LogProbResponse] | None:
    found = {}
    for request in requests:
        answer = answers[request.key]
        if not isinstance(answer, LogProbResponse):
            return None
        found[request.part] = answer
    return found
