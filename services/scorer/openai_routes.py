"""Endpoints for clients that know OpenAI's API."""

import base64
import time

import numpy as np
from fastapi import APIRouter

from scorer.errors import ERROR_BY_NAME
from scorer.schemas import FailedItem, HiddenStatesRequest
from services.scorer.openai_answers import chat, complete
from services.scorer.openai_schemas import (
    ChatAnswer,
    ChatQuestion,
    CompletionAnswer,
    CompletionQuestion,
    Embedding,
    EmbeddingAnswer,
    EmbeddingQuestion,
    ModelEntry,
    ModelList,
    Usage,
)
from services.scorer.routes import AnEngine

router = APIRouter(prefix="/v1", tags=["openai"])

STARTED_AT = int(time.time())


@router.get("/models")
async def list_models(engine: AnEngine) -> ModelList:
    """List the loaded model."""
    info = engine.info
    entry = ModelEntry(id=info.model, created=STARTED_AT, max_model_len=info.context_window)
    return ModelList(data=[entry])


@router.post("/completions")
async def create_completion(question: CompletionQuestion, engine: AnEngine) -> CompletionAnswer:
    """Continue prompts; `echo` with `logprobs` scores the prompts themselves."""
    return await complete(engine, question)


@router.post("/chat/completions")
async def create_chat_completion(question: ChatQuestion, engine: AnEngine) -> ChatAnswer:
    """Answer a chat."""
    return await chat(engine, question)


@router.post("/embeddings")
async def create_embeddings(question: EmbeddingQuestion, engine: AnEngine) -> EmbeddingAnswer:
    """Return the mean of each text's last hidden states, at length 1."""
    found = await engine.hidden_states(
        HiddenStatesRequest(texts=question.texts(), layers=[-1], pooling="mean")
    )
    if failed := next((item for item in found.states if isinstance(item, FailedItem)), None):
        raise ERROR_BY_NAME[failed.error](failed.detail)
    data = []
    for at, states in enumerate(found.states):
        assert not isinstance(states, FailedItem)
        vector = (states[0] / np.linalg.norm(states[0])).astype(np.float32)
        packed = base64.b64encode(vector.tobytes()).decode()
        as_asked = packed if question.encoding_format == "base64" else vector.tolist()
        data.append(Embedding(index=at, embedding=as_asked))
    n_tokens = sum(map(len, found.is_special))
    usage = Usage(prompt_tokens=n_tokens, total_tokens=n_tokens)
    return EmbeddingAnswer(model=found.model, data=data, usage=usage)
