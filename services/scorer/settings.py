"""What a scorer process can be told by its environment."""

from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from scorer.schemas import MAX_ITEMS
from services.web.settings import ServiceSettings


class ScorerSettings(ServiceSettings):
    """One process serves one model."""

    model_config = SettingsConfigDict(env_prefix="SCORER_", frozen=True, extra="ignore")

    port: int = Field(default=8101, ge=0, le=65535)
    model: str = Field(default="demo-decoder", min_length=1)
    """`demo-decoder`, `demo-encoder`, `hf:<folder, GGUF file or hub id>`, or `fake`."""
    device: str = "auto"
    """`auto`, `cpu`, `cuda`, `cuda:1` …"""
    dtype: Literal["auto", "float32", "bfloat16", "float16", "int8"] = "auto"
    """`auto` is float32 on a processor and bfloat16 on a GPU; int8 needs a GPU and bitsandbytes."""
    backend: Literal["torch", "vllm"] = "torch"
    """vllm wants an environment of its own, and serves decoders only."""
    context_window: int = Field(default=0, ge=0)
    """vLLM only: less than the model's own saves memory; 0 takes all of it."""
    tensor_parallel: int = Field(default=1, ge=1, le=1024)
    """vLLM only: GPUs that share one copy of the weights."""
    data_parallel: int = Field(default=1, ge=1, le=1024)
    """vLLM only: copies of the weights."""
    gpu_memory_share: float = Field(default=0.85, gt=0.0, le=1.0)
    """vLLM only: the rest is left for logits, which it does not plan for."""
    cache: Path | None = None
    """Folder of converted weights; None: the cache of the home."""
    threads: int = Field(default=0, ge=0, le=1024)
    """Processor threads; 0 takes all cores that this process may use."""
    max_batch_tokens: int = Field(default=0, ge=0)
    """Padded tokens in one forward pass; 0 takes what suits the device."""
    max_items: int = Field(default=MAX_ITEMS, ge=1)
    """Items in one call."""
    max_answer_bytes: int = Field(default=1 << 30, ge=1024)
    """Size of one answer with hidden states."""
    window_ms: float = Field(default=3.0, ge=0.0, le=1000.0)
    """How long a question waits for others when the model is idle."""
    max_waiting_tokens: int = Field(default=20_000_000, ge=1)
    """More than this in the queue is answered 503."""
