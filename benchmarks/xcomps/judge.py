"""What are the log-probabilities of a pair worth, by every normalisation?

Strictly higher is right; an exact tie of different sentences is wrong, and counted.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.benchmark import Case, Outcome
from benchmarks.errors import UnknownNameError
from benchmarks.responses import LogProbResponse, Response
from benchmarks.xcomps.asking import (
    IDENTICAL,
    ORDER_PARTS,
    SENTENCE_PARTS,
    Refusal,
    scored_texts,
)
from benchmarks.xcomps.settings import XcompsSettings

JUDGE_VERSION = "1"

ROUNDING = 1e-12
"""Two numbers that differ by a smaller share differ only by how they were divided: a tie."""

BASELINES: Mapping[str, tuple[str, ...]] = {
    "chance": ("direct", "meta"),
    "always-first": ("meta",),
}
_VALUES: Mapping[str, Mapping[str, float]] = {
    "direct": {"chance": 0.5},
    "meta": {"chance": 0.5, "always-first": 0.0},
}
"""Always-first is right in one order and wrong in the other: a tie on average, thus wrong."""


def left_out(refusal: Refusal) -> Outcome:
    """Return the outcome of a case that could not be asked."""
    name = "left_out" if refusal.is_left_out else "not_asked"
    return Outcome(None, is_valid=refusal.is_left_out, detail={name: refusal.reason})


def judge_direct(
    case: Case, settings: XcompsSettings, responses: Mapping[str, Response]
) -> Outcome:
    """Compare the two sentences of a pair."""
    found = [_log_probs(responses[part]) for part in SENTENCE_PARTS]
    texts = scored_texts(case, settings) or ("", "")
    sums = [response.sums[0] for response in found]
    lengths: dict[str, list[int] | None] = {
        "tokens": _n_tokens(found),
        "characters": [len(text) for text in texts],
        "bytes": [len(text.encode()) for text in texts],
    }
    differences: dict[str, float | None] = {"sum": _difference(*sums)}
    for name, counts in lengths.items():
        quotients = _quotients(sums, counts) if counts and all(counts) else None
        differences[name] = None if quotients is None else _difference(*quotients)
    detail = {"sums": sums, **{f"n_{name}": counts for name, counts in lengths.items()}}
    return _outcome(case, settings.normalisation, differences, detail)


def judge_meta(case: Case, settings: XcompsSettings, responses: Mapping[str, Response]) -> Outcome:
    """Take the mean over both orders of log p(acceptable) − log p(unacceptable)."""
    found = [_log_probs(responses[part]) for part in ORDER_PARTS]
    by_order: dict[str, list[tuple[float, float]]] = {"sum": [], "tokens": []}
    for response, at in zip(found, (0, 1), strict=True):
        for name, counts in (("sum", (1, 1)), ("tokens", response.n_tokens)):
            if counts and all(counts):
                shown = _quotients(response.sums, counts)
                by_order[name].append((shown[at], shown[1 - at]))
    differences: dict[str, float | None] = {
        name: _difference(*map(math.fsum, zip(*both, strict=True))) if len(both) == 2 else None
        for name, both in by_order.items()
    }
    normalisation = settings.normalisation if settings.normalisation in differences else "sum"
    first, second = (_difference(*shown) for shown in by_order["sum"])
    detail = {
        "sums": [list(response.sums) for response in found],
        "n_tokens": [list(response.n_tokens or ()) for response in found],
        "by_order": [float(first > 0), float(second > 0)],
        "is_first_chosen": [float(first > 0), float(second < 0)],
    }
    return _outcome(case, normalisation, differences, detail)


def baseline(case: Case, name: str) -> Outcome:
    """Answer a case without a model: the expected value of a guess, or always the first option.

    Raises:
        UnknownNameError: There is no such baseline for the task.
    """
    if case.task not in BASELINES.get(name, ()):
        allowed = ", ".join(known for known, tasks in BASELINES.items() if case.task in tasks)
        raise UnknownNameError(f"unknown baseline {name!r} of {case.task}; allowed: {allowed}")
    if case.item.fields["is_identical"]:
        return left_out(IDENTICAL)
    detail = {} if name == "chance" else {"by_order": [1.0, 0.0], "is_first_chosen": [1.0, 1.0]}
    return Outcome(_VALUES[case.task][name], detail=detail, baselines=dict(_VALUES[case.task]))


def _outcome(
    case: Case,
    normalisation: str,
    differences: Mapping[str, float | None],
    detail: Mapping[str, Any],
) -> Outcome:
    verdicts = {
        name: None if difference is None else float(difference > 0)
        for name, difference in differences.items()
    }
    value = verdicts[normalisation]
    return Outcome(
        value,
        is_valid=value is not None,
        detail={
            **detail,
            "verdicts": verdicts,
            "ties": [name for name, difference in differences.items() if difference == 0],
        },
        baselines=dict(_VALUES[case.task]),
    )


def _quotients(sums: Sequence[float], counts: Sequence[int]) -> tuple[float, float]:
    return sums[0] / counts[0], sums[1] / counts[1]


def _difference(acceptable: float, unacceptable: float) -> float:
    """Return how much likelier the acceptable side is; 0 where only rounding tells them apart."""
    is_tie = math.isclose(acceptable, unacceptable, rel_tol=ROUNDING)
    return 0.0 if is_tie else acceptable - unacceptable


def _n_tokens(found: Sequence[LogProbResponse]) -> list[int] | None:
    counts = [response.n_tokens[0] for response in found if response.n_tokens is not None]
    return counts if len(counts) == len(found) else None


def _log_probs(response: Response) -> LogProbResponse:
    if not isinstance(response, LogProbResponse):
        raise TypeError(f"a {type(response).__name__} answers no request for log-probabilities")
    return response
