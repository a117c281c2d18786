"""How a model is to be loaded."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

BATCH_TOKENS = {"cpu": 512, "cuda": 16_384}


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """What is not told by the model's name."""

    cache: Path
    """Folder of converted weights and of hashes."""
    device: str = "auto"
    dtype: Literal["auto", "float32", "bfloat16", "float16", "int8"] = "auto"
    n_threads: int = 0
    """Of the processor; 0 takes all that this process may use."""
    max_batch_tokens: int = 0
    """Padded tokens in one forward pass; 0 takes what suits the device."""
    max_row_nodes: int = 128
    """A row of shared prefixes is closed beyond this many tokens."""
    backend: Literal["torch", "vllm"] = "torch"
    context_window: int = 0
    """vLLM only: less than the model's own saves memory; 0 takes all of it."""
    tensor_parallel: int = 1
    """vLLM only: GPUs that share one copy of the weights."""
    data_parallel: int = 1
    """vLLM only: copies of the weights."""
    gpu_memory_share: float = 0.85
    """vLLM only: the rest is left for logits, which it does not plan for."""

    def batch_tokens(self, device_type: str) -> int:
        """Return the token budget of one forward pass."""
        return self.max_batch_tokens or BATCH_TOKENS.get(device_type, BATCH_TOKENS["cpu"])
