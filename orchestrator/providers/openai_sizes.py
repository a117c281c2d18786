"""How many tokens a request will take: about, and at most; nobody's tokenizer is needed."""

from collections.abc import Sequence

from benchmarks.requests import GenerateRequest, LogProbRequest, Request
from orchestrator.providers.metering import Size
from orchestrator.providers.openai_likelihood import prompts_of
from orchestrator.providers.openai_vectors import texts_of

BYTES_A_TOKEN = 3.5
"""Rough: 4 for English, less for other languages and scripts."""
TOKENS_A_TURN = 16
"""More than any chat format puts around a turn."""
TOKENS_A_TEXT = 2
"""Special ones."""
TEXTS_A_CALL = 64


def size_of(request: Request, thinking_tokens: int) -> Size:
    """Return what a request will take; no token is less than a byte."""
    match request:
        case GenerateRequest():
            texts = [turn.content for turn in request.messages]
            return _size(texts, TOKENS_A_TURN, request.max_new_tokens + thinking_tokens)
        case LogProbRequest():
            prompts = prompts_of(request)
            return _size(prompts, TOKENS_A_TEXT, len(prompts))
        case _:
            return size_of_texts(texts_of(request))


def size_of_texts(texts: Sequence[str]) -> Size:
    """Return what vectors of texts will take."""
    return _size(texts, TOKENS_A_TEXT, 0, max(1, TEXTS_A_CALL // max(1, len(texts))))


def _size(texts: Sequence[str], n_around: int, n_output: int, requests_per_call: int = 1) -> Size:
    n_bytes = sum(len(text.encode()) for text in texts)
    return Size(
        input_tokens=round(n_bytes / BYTES_A_TOKEN) + len(texts) * n_around // 4,
        most_input_tokens=n_bytes + len(texts) * n_around,
        most_output_tokens=n_output,
        requests_per_call=requests_per_call,
    )
