"""The scorer's own endpoints: translate, ask, translate back."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from scorer.schemas import (
    Capabilities,
    GenerateRequest,
    GenerateResponse,
    HiddenStatesRequest,
    LogProbRequest,
    LogProbResponse,
    SimilarityRequest,
    SimilarityResponse,
)
from services.scorer.engine import Engine

router = APIRouter(prefix="/v1", tags=["scorer"])

SAFETENSORS = "application/vnd.safetensors"


def get_engine(request: Request) -> Engine:
    """Return the engine of the app."""
    engine: Engine = request.app.state.engine
    return engine


AnEngine = Annotated[Engine, Depends(get_engine)]


@router.get("/capabilities")
async def capabilities(engine: AnEngine) -> Capabilities:
    """Say what is loaded and what it can be asked."""
    return engine.info


@router.post("/logprob", response_model_exclude_none=True)
async def score_log_probs(request: LogProbRequest, engine: AnEngine) -> LogProbResponse:
    """Score every continuation of every context."""
    return await engine.log_probs(request)


@router.post("/generate")
async def generate(request: GenerateRequest, engine: AnEngine) -> GenerateResponse:
    """Continue every chat or text."""
    return await engine.generate(request)


@router.post(
    "/hidden-states",
    response_class=Response,
    responses={200: {"content": {SAFETENSORS: {"schema": {"type": "string", "format": "binary"}}}}},
)
async def hidden_states(request: HiddenStatesRequest, engine: AnEngine) -> Response:
    """Give the hidden states of every text as a safetensors file."""
    answer = await engine.hidden_states(request)
    return Response(answer.body(), media_type=SAFETENSORS)


@router.post("/similarity")
async def compare(request: SimilarityRequest, engine: AnEngine) -> SimilarityResponse:
    """Compare every pair of texts."""
    return await engine.similarities(request)
