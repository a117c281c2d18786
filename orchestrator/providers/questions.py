"""The questions that a provider is tried with: plain ones that all differ, and hard ones."""

from collections.abc import Callable, Mapping

from benchmarks.requests import (
    EmbedRequest,
    GenerateRequest,
    HiddenStatesRequest,
    LogProbRequest,
    Message,
    Request,
    RequestKind,
    SimilarityRequest,
    TranslateRequest,
)

TEXTS = (
    "The bank of the river is green.", "She paid the money into the bank.", "Ein Haus.",
    "A light meal", "The light is on, and nobody is at home tonight.", "犬が庭で寝ています。", "x",
)  # fmt: skip
HARD_TEXTS: Mapping[str, str] = {"empty": "", "blank": " ", "long": "many words " * 2_000}


def questions(kind: RequestKind) -> list[Request]:
    """Return plain requests of a kind; log-probabilities have a different number of continuations.

    Their keys are those that a replay must hold.
    """
    return [
        MAKERS[kind](f"conformance/{kind}/en/{number}", text, number)
        for number, text in enumerate(TEXTS)
    ]


def hard_questions(kind: RequestKind) -> list[Request]:
    """Return requests that a model may leave unanswered."""
    return [
        MAKERS[kind](f"conformance/{kind}/en/{name}", text, 0) for name, text in HARD_TEXTS.items()
    ]


def renamed(request: Request) -> Request:
    """Return the same question under another key."""
    return request.model_copy(update={"key": f"{request.key}-again"})


def _log_prob(key: str, text: str, number: int) -> Request:
    continuations = tuple(f" {text}{'!' * at}" for at in range(number % 3 + 1))
    return LogProbRequest(key=key, context="He said:", continuations=continuations)


def _generate(key: str, text: str, number: int) -> Request:
    del number
    message = Message(role="user", content=f"{text} Say it in other words.")
    return GenerateRequest(key=key, messages=(message,), max_new_tokens=16)


def _translate(key: str, text: str, number: int) -> Request:
    del number
    return TranslateRequest(key=key, text=text, source_language="en", target_language="de")


def _embed(key: str, text: str, number: int) -> Request:
    del number
    return EmbedRequest(key=key, text=text)


def _similarity(key: str, text: str, number: int) -> Request:
    other = TEXTS[(number + 1) % len(TEXTS)]
    return SimilarityRequest(key=key, text_a=text, text_b=other)


def _hidden_states(key: str, text: str, number: int) -> Request:
    del number
    return HiddenStatesRequest(key=key, text=text)


MAKERS: Mapping[RequestKind, Callable[[str, str, int], Request]] = {
    RequestKind.LOG_PROB: _log_prob,
    RequestKind.GENERATE: _generate,
    RequestKind.TRANSLATE: _translate,
    RequestKind.EMBED: _embed,
    RequestKind.SIMILARITY: _similarity,
    RequestKind.HIDDEN_STATES: _hidden_states,
}
