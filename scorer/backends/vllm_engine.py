"""Start vLLM's engine, and tell its failures in our words; nothing else imports vLLM."""

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from vllm import AsyncEngineArgs, SamplingParams
from vllm.exceptions import VLLMClientError, VLLMServerError
from vllm.platforms import current_platform
from vllm.sampling_params import RequestOutputKind
from vllm.v1.engine.async_llm import AsyncLLM
from vllm.v1.engine.exceptions import EngineDeadError

from scorer.backends.options import LoadOptions
from scorer.backends.vllm import Engine
from scorer.errors import (
    BackendError,
    EngineClosedError,
    InvalidRequestError,
    ModelNotFoundError,
    OutOfMemoryError,
    ScorerError,
    TextTooLongError,
)

MAX_BATCH_TOKENS = 2048
"""The logits of all scored tokens are in memory at once, which vLLM does not plan for."""
MAX_TOP_TOKENS = 20
DEVICE: str = current_platform.device_type
FAILURES = (VLLMClientError, VLLMServerError, ValueError, RuntimeError)
TAKES_LABELS = "logprob_token_ids" in inspect.signature(SamplingParams).parameters


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """How one model is to be served."""

    folder: Path
    dtype: torch.dtype
    max_model_len: int
    options: LoadOptions


def make_engine(settings: EngineSettings) -> Engine:
    """Return an engine that is not started yet."""
    return Engine(
        open=lambda: _start(settings),
        sampling_params=sampling_params,
        failures=FAILURES,
        told=tell,
        takes_labels=TAKES_LABELS,
    )


def sampling_params(**given: Any) -> SamplingParams:  # noqa: ANN401
    """Return how one prompt is asked; its answer comes once, when it is whole."""
    return SamplingParams(output_kind=RequestOutputKind.FINAL_ONLY, **given)


def tell(error: Exception) -> ScorerError:
    """Return vLLM's failure as one of ours."""
    line = str(error).splitlines()[0] if str(error) else type(error).__name__
    if isinstance(error, EngineDeadError):
        return EngineClosedError("the vLLM engine has ended; it is started anew for the next call")
    if "out of memory" in line:
        return OutOfMemoryError(line)
    if isinstance(error, VLLMClientError | ValueError):
        is_long = "context length" in line or "longer than" in line
        return TextTooLongError(line) if is_long else InvalidRequestError(line)
    return BackendError(f"vLLM failed with {type(error).__name__}: {line}")


def _start(settings: EngineSettings) -> AsyncLLM:
    """Start the engine's processes.

    Raises:
        ModelNotFoundError: vLLM cannot serve the model, or not with this memory.
    """
    options = settings.options
    arguments = AsyncEngineArgs(
        model=str(settings.folder),
        skip_tokenizer_init=True,
        trust_remote_code=False,
        dtype=settings.dtype,
        max_model_len=settings.max_model_len,
        max_num_batched_tokens=options.max_batch_tokens or MAX_BATCH_TOKENS,
        max_logprobs=MAX_TOP_TOKENS,
        logprobs_mode="raw_logprobs",
        generation_config="vllm",
        seed=0,
        tensor_parallel_size=options.tensor_parallel,
        data_parallel_size=options.data_parallel,
        gpu_memory_utilization=options.gpu_memory_share,
        # On a processor its compiled path needs a C++ compiler.
        enforce_eager=DEVICE == "cpu",
        disable_log_stats=True,
    )
    try:
        return AsyncLLM.from_engine_args(arguments)
    except FAILURES as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        reason = lines[0] if lines else type(error).__name__
        raise ModelNotFoundError(f"vLLM cannot serve {settings.folder}: {reason}") from error
