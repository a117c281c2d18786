"""From requests to calls of our scorer and back; one call, one set of parameters."""

import asyncio
from collections.abc import Hashable, Sequence
from pathlib import Path

from pydantic import BaseModel

from benchmarks.requests import (
    EmbedRequest,
    GenerateRequest,
    HiddenStatesRequest,
    LogProbRequest,
    Request,
    SimilarityRequest,
    TranslateRequest,
    Truncation,
)
from benchmarks.responses import LogProbResponse, TextResponse, ValueResponse, VectorResponse
from orchestrator.providers.provider import Answer, Unanswered
from orchestrator.providers.tensors import save_states
from scorer import schemas
from scorer.client import ScorerClient

MAX_TRANSLATION_TOKENS = 512


def parameters(request: Request) -> Hashable:
    """Return what the requests of one call must share."""
    match request:
        case LogProbRequest():
            return (
                request.kind,
                request.bos_policy,
                request.chat_template,
                request.truncation,
            )
        case GenerateRequest():
            return (
                request.kind,
                request.max_new_tokens,
                request.temperature,
                request.top_p,
                request.seed,
                request.no_repeat_ngram_size,
                request.chat_template,
                request.truncation,
            )
        case TranslateRequest():
            languages = (request.source_language, request.target_language)
            return (request.kind, languages, request.n_beams)
        case SimilarityRequest():
            return (request.kind, request.measure, request.pooling, request.layer)
        case EmbedRequest():
            return (request.kind, request.pooling, request.layer)
        case HiddenStatesRequest():
            return (request.kind, request.layers, request.pooling, request.bos_policy)


async def log_probs(client: ScorerClient, requests: Sequence[LogProbRequest]) -> list[Answer]:
    """Score continuations, all with one set of parameters."""
    items = [
        schemas.LogProbItem(
            context=request.context,
            continuations=list(request.continuations),
            source_language=request.source_language,
            target_language=request.target_language,
        )
        for request in requests
    ]
    response = await client.log_probs(
        schemas.LogProbRequest(
            items=items,
            bos_policy=requests[0].bos_policy,
            chat_template=requests[0].chat_template,
            truncation=_truncation(requests[0].truncation),
        )
    )
    results = iter(response.results)
    return [
        _log_prob_answer([next(results) for _ in request.continuations]) for request in requests
    ]


async def generate(client: ScorerClient, requests: Sequence[GenerateRequest]) -> list[Answer]:
    """Continue chats, all with one set of parameters."""
    first = requests[0]
    response = await client.generate(
        schemas.GenerateRequest(
            items=[
                schemas.GenerateItem(
                    messages=[
                        schemas.ChatMessage(role=turn.role, content=turn.content)
                        for turn in request.messages
                    ]
                )
                for request in requests
            ],
            max_new_tokens=first.max_new_tokens,
            temperature=first.temperature,
            top_p=first.top_p,
            seed=first.seed,
            no_repeat_ngram_size=first.no_repeat_ngram_size,
            chat_template=first.chat_template,
            truncation=_truncation(first.truncation),
        )
    )
    return [_text(result) for result in response.results]


async def translate(client: ScorerClient, requests: Sequence[TranslateRequest]) -> list[Answer]:
    """Translate texts, all with one set of parameters."""
    first = requests[0]
    response = await client.generate(
        schemas.GenerateRequest(
            items=[schemas.GenerateItem(prompt=request.text) for request in requests],
            max_new_tokens=MAX_TRANSLATION_TOKENS,
            n_beams=first.n_beams,
            chat_template=False,
            source_language=first.source_language,
            target_language=first.target_language,
        )
    )
    return [_text(result) for result in response.results]


async def similarities(client: ScorerClient, requests: Sequence[SimilarityRequest]) -> list[Answer]:
    """Compare pairs of texts, all with one set of parameters."""
    first = requests[0]
    response = await client.similarities(
        schemas.SimilarityRequest(
            pairs=[
                schemas.SimilarityPair(text_a=request.text_a, text_b=request.text_b)
                for request in requests
            ],
            measure=first.measure,
            pooling=first.pooling,
            layer=first.layer,
        )
    )
    return [
        _unanswered(result)
        if isinstance(result, schemas.FailedItem)
        else ValueResponse(value=result.value)
        for result in response.results
    ]


async def embed(client: ScorerClient, requests: Sequence[EmbedRequest]) -> list[Answer]:
    """Return one vector a text, all with one set of parameters."""
    first = requests[0]
    found = await client.hidden_states(
        schemas.HiddenStatesRequest(
            texts=[request.text for request in requests],
            layers=[first.layer],
            pooling=first.pooling,
        )
    )
    return [
        _unanswered(states)
        if isinstance(states, schemas.FailedItem)
        else VectorResponse(vector=tuple(float(value) for value in states[0]))
        for states in found.states
    ]


async def hidden_states(
    client: ScorerClient, requests: Sequence[HiddenStatesRequest], artefacts: Path
) -> list[Answer]:
    """Keep hidden states as files in the artefact folder, all with one set of parameters."""
    first = requests[0]
    found = await client.hidden_states(
        schemas.HiddenStatesRequest(
            texts=[request.text for request in requests],
            layers=None if first.layers is None else list(first.layers),
            pooling=first.pooling,
            bos_policy=first.bos_policy,
        )
    )
    return await asyncio.to_thread(save_states, artefacts, found)


def _truncation(asked: Truncation | None) -> schemas.Truncation | None:
    if asked is None:
        return None
    return schemas.Truncation(tokens=asked.tokens, side=asked.side)


def _log_prob_answer(results: Sequence[schemas.LogProbResult | schemas.FailedItem]) -> Answer:
    scored = []
    for result in results:
        if isinstance(result, schemas.FailedItem):
            return _unanswered(result)
        scored.append(result)
    return LogProbResponse(
        log_probs=tuple(tuple(result.log_probs) for result in scored),
        sums=tuple(result.sum for result in scored),
        n_tokens=tuple(result.n_scored for result in scored),
        is_straddling=tuple(result.is_straddling for result in scored),
        eos_log_probs=_end_log_probs(scored),
    )


def _text(result: BaseModel) -> Answer:
    if isinstance(result, schemas.FailedItem):
        return _unanswered(result)
    if not isinstance(result, schemas.GenerateResult):
        raise TypeError(f"no generated text: {type(result).__name__}")
    return TextResponse(text=result.text, is_finished=result.is_finished)


def _unanswered(failed: schemas.FailedItem) -> Unanswered:
    return Unanswered(error=failed.error, detail=failed.detail)


def _end_log_probs(scored: Sequence[schemas.LogProbResult]) -> tuple[float, ...] | None:
    """Return the log-probability of each target's end; None for a model that has no such thing."""
    ends = [result.eos_log_prob for result in scored]
    return None if None in ends else tuple(end for end in ends if end is not None)
