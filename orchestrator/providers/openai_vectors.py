"""Vectors of texts from an OpenAI-compatible API, and the cosine of two."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.requests import EmbedRequest, Request, SimilarityRequest
from benchmarks.responses import ValueResponse, VectorResponse
from orchestrator.halting import NotNowError
from orchestrator.providers.provider import Answer, Unanswered

Vector = tuple[float, ...]


def texts_of(request: Request) -> tuple[str, ...]:
    """Return the one or two texts of a request."""
    if isinstance(request, SimilarityRequest):
        return (request.text_a, request.text_b)
    assert isinstance(request, EmbedRequest), "the caller has parted them"
    return (request.text,)


def read_vectors(found: Mapping[str, Any], texts: Sequence[str], name: str) -> dict[str, Vector]:
    """Return the vector of each text.

    Raises:
        NotNowError: The answer has not the shape that the API promises.
    """
    try:
        rows = sorted(found["data"], key=lambda row: int(row["index"]))
        vectors = [tuple(float(value) for value in row["embedding"]) for row in rows]
        if len(vectors) != len(texts) or not all(vectors):
            raise ValueError(f"{len(vectors)} vectors for {len(texts)} texts")
    except (KeyError, TypeError, ValueError) as error:
        raise NotNowError(f"{name} answers in an unknown shape", is_maybe_billed=True) from error
    return dict(zip(texts, vectors, strict=True))


def vector_answer(request: Request, vectors: Mapping[str, Vector]) -> Answer:
    """Return the vector of a text, or the cosine of the vectors of two."""
    found = [vectors[text] for text in texts_of(request)]
    if len(found) == 1:
        return VectorResponse(vector=found[0])
    norms = [math.hypot(*vector) for vector in found]
    if not all(norms):
        return Unanswered("NoDirectionError", "the server gives a vector of zeros")
    dot = math.fsum(a * b for a, b in zip(*found, strict=True))
    return ValueResponse(value=dot / (norms[0] * norms[1]))
