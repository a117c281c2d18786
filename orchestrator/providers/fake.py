"""A model whose answers can be worked by hand, for trying things out."""

import hashlib
from collections.abc import Mapping, Sequence

from benchmarks.requests import (
    EmbedRequest,
    GenerateRequest,
    HiddenStatesRequest,
    LogProbRequest,
    Request,
    RequestKind,
    SimilarityRequest,
    TranslateRequest,
)
from benchmarks.responses import (
    LogProbResponse,
    Response,
    TextResponse,
    ValueResponse,
    VectorResponse,
)
from orchestrator.providers.provider import Answer, Unanswered

VECTOR_LENGTH = 8


class FakeProvider:
    """-1 nat a character; echoes texts; vectors come from a hash of the text."""

    kinds = frozenset(RequestKind) - {RequestKind.HIDDEN_STATES}
    answers_by_key = False

    def identity(self, kind: RequestKind) -> Mapping[str, str]:
        """Return the only identity there is."""
        del kind
        return {"provider": "fake", "model": "fake", "revision": "1"}

    async def answer(self, requests: Sequence[Request]) -> list[Answer]:
        """Answer every request, in order."""
        return [_answer(request) for request in requests]

    async def close(self) -> None:
        """Nothing is held."""


def _answer(request: Request) -> Answer:
    response: Response
    match request:
        case LogProbRequest():
            rows = tuple((-1.0,) * len(text) for text in request.continuations)
            response = LogProbResponse.model_validate({"log_probs": rows})
        case GenerateRequest():
            response = TextResponse(text=request.messages[-1].content[: request.max_new_tokens])
        case TranslateRequest():
            response = TextResponse(text=request.text)
        case EmbedRequest():
            response = VectorResponse(vector=_vector(request.text))
        case SimilarityRequest():
            response = ValueResponse(value=_dice(request.text_a, request.text_b))
        case HiddenStatesRequest():
            return Unanswered("UnsupportedKindError", "the fake model has no hidden states")
    return response


def _vector(text: str) -> tuple[float, ...]:
    digest = hashlib.sha256(text.encode()).digest()
    return tuple(byte / 255 for byte in digest[:VECTOR_LENGTH])


def _dice(text_a: str, text_b: str) -> float:
    characters_a, characters_b = set(text_a), set(text_b)
    n_all = len(characters_a) + len(characters_b)
    return 2 * len(characters_a & characters_b) / n_all if n_all else 0.0
