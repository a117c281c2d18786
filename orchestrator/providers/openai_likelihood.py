"""Log-probabilities of given text from `/completions`: only from a server that truly gives them.

Some servers take `echo` and `logprobs`, answer 200 and score what they made up themselves. So a
server is tried once, and every answer is held to its question: a token without a number, or
tokens that do not spell the prompt, leave the request unanswered.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from benchmarks.requests import LogProbRequest
from benchmarks.responses import LogProbResponse
from orchestrator.providers.provider import Answer, Unanswered

PROBES = ("The cat sleeps on the mat.", "Two and two is four, said the boy.")


class NoScoresError(Exception):
    """An answer that does not score its prompt; says what is wrong with it."""


def body_of(prompts: Sequence[str], model: str, n_new: int) -> dict[str, Any]:
    """Return the document that asks for the scores of prompts."""
    return {
        "model": model,
        "prompt": list(prompts),
        "max_tokens": n_new,
        "temperature": 0,
        "echo": True,
        "logprobs": 1,
    }


def prompts_of(request: LogProbRequest) -> list[str]:
    """Return the whole texts to be scored."""
    return [request.context + continuation for continuation in request.continuations]


def check_probe(found: Mapping[str, Any]) -> None:
    """Hold the answer to the probes to what an honest server gives.

    Raises:
        NoScoresError: A number is missing or too many, or the tokens do not spell the prompt.
    """
    for prompt, (tokens, scores) in zip(PROBES, _choices(found, PROBES), strict=True):
        if len(tokens) < 2:
            raise NoScoresError(f"{len(tokens)} tokens for {len(prompt)} characters")
        if any(score is None for score in scores[1:]):
            raise NoScoresError("a token of the prompt has no number")
        if "".join(tokens) != prompt:
            raise NoScoresError("the tokens do not spell the prompt")


def read_scores(found: Mapping[str, Any], request: LogProbRequest) -> Answer:
    """Read the log-probabilities of a request's continuations."""
    prompts = prompts_of(request)
    rows, straddles = [], []
    try:
        for prompt, (tokens, scores) in zip(prompts, _choices(found, prompts), strict=True):
            row, is_straddling = _continuation(tokens, scores, request.context, prompt)
            rows.append(row)
            straddles.append(is_straddling)
    except NoScoresError as error:
        return Unanswered("NoScoresError", str(error))
    return LogProbResponse.model_validate(
        {"log_probs": tuple(rows), "is_straddling": tuple(straddles)}
    )


def _continuation(
    tokens: Sequence[str], scores: Sequence[float | None], context: str, prompt: str
) -> tuple[tuple[float, ...], bool]:
    """Return the numbers of the tokens that end after the context, as the scorer counts them."""
    ends = list(accumulate(len(token) for token in tokens))
    first = next((at for at, end in enumerate(ends) if end > len(context)), len(tokens))
    begins_at = ends[first - 1] if first else 0
    if "".join(tokens[:first]) != context[:begins_at] or not prompt.startswith(
        "".join(tokens[: first + 1])
    ):
        raise NoScoresError("the tokens do not spell the context, so nobody knows where it ends")
    row = scores[first:]
    if not row or any(score is None for score in row):
        raise NoScoresError("a token of the continuation has no log-probability")
    return tuple(float(score) for score in row if score is not None), begins_at < len(context)


def _choices(
    found: Mapping[str, Any], prompts: Sequence[str]
) -> list[tuple[list[str], list[float | None]]]:
    """Return tokens and numbers of each prompt, without a special start and without new tokens."""
    try:
        choices = sorted(found["choices"], key=lambda choice: int(choice["index"]))
        scored = [choice["logprobs"] for choice in choices]
        pairs = [(list(each["tokens"]), list(each["token_logprobs"])) for each in scored]
    except (KeyError, TypeError, ValueError) as error:
        raise NoScoresError("the server ignores echo or logprobs") from error
    if len(pairs) != len(prompts) or any(len(t) != len(s) for t, s in pairs):
        raise NoScoresError(f"{len(pairs)} scored texts for {len(prompts)} prompts")
    return [
        _of_prompt(tokens, scores, prompt)
        for (tokens, scores), prompt in zip(pairs, prompts, strict=True)
    ]


def _of_prompt(
    tokens: list[str], scores: list[float | None], prompt: str
) -> tuple[list[str], list[float | None]]:
    if not all(isinstance(token, str) for token in tokens):
        raise NoScoresError("a token is no text")
    if scores and scores[0] is not None:
        raise NoScoresError("the first token has a number, though nothing stands before it")
    if len(tokens) > 1 and not prompt.startswith(tokens[0]) and prompt.startswith(tokens[1]):
        tokens, scores = tokens[1:], scores[1:]  # a special one at the start, such as <s>
    n_prompt = len(tokens)
    if len("".join(tokens)) > len(prompt) and "".join(tokens[:-1]) == prompt:
        n_prompt -= 1  # the one new token that the server insisted on
    return tokens[:n_prompt], scores[:n_prompt]
