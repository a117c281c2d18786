"""What is told of a loaded model."""

from typing import Any, Protocol

import torch
import transformers

from scorer.schemas import Capabilities, Kind
from scorer.weights import ModelFolder

BACKEND_VERSION = f"torch {torch.__version__}, transformers {transformers.__version__}"
UNLIMITED_TOKENS = 2048
"""Stands for the context window of a model whose positions know no limit."""
UNLIMITED_TYPES = frozenset({"t5", "mt5", "umt5", "bloom", "mpt"})
OFFSET_POSITION_TYPES = frozenset(
    {"roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "mpnet", "longformer"}
)
"""Their positions begin behind the padding id."""


class HashedTokenizer(Protocol):
    """A tokenizer that knows its hashes."""

    def sha256(self) -> str:
        """Return the hash of everything that decides how a text is split."""
        ...

    def chat_template_sha256(self) -> str:
        """Return the chat template's hash, or `none`."""
        ...


def capabilities_of(
    folder: ModelFolder,
    model: Any,  # noqa: ANN401  # transformers has no types
    tokenizer: HashedTokenizer,
    kinds: list[Kind],
    start: tuple[str, str],
) -> Capabilities:
    """Return the facts of a loaded model; `start` is its start policy and token."""
    config = model.config
    return Capabilities(
        model=folder.name,
        revision=folder.revision,
        weights_sha256=folder.weights_sha256,
        tokenizer_sha256=tokenizer.sha256(),
        chat_template_sha256=tokenizer.chat_template_sha256(),
        dtype=_dtype(model),
        backend="torch",
        backend_version=BACKEND_VERSION,
        device=str(model.device),
        architecture=type(model).__name__,
        n_layers=config.num_hidden_layers,
        width=config.hidden_size,
        context_window=context_window(config),
        vocabulary_size=config.vocab_size,
        kinds=kinds,
        bos_policy=start[0],
        bos_token=start[1],
    )


def _dtype(model: Any) -> str:  # noqa: ANN401
    """Return the type of the weights; a quantised model names that of its activations."""
    if getattr(model, "is_loaded_in_8bit", False):
        return "int8"
    if quantised := getattr(model.config, "quantization_config", None):
        method = getattr(quantised, "quant_method", "quantised")
        return str(getattr(method, "value", method))
    return str(model.dtype).removeprefix("torch.")


def context_window(config: Any) -> int:  # noqa: ANN401
    """Return how many tokens fit, special ones included."""
    names = ("max_position_embeddings", "n_positions", "n_ctx")
    limits = [getattr(config, name, None) for name in names]
    found = next((int(limit) for limit in limits if isinstance(limit, int) and limit > 0), None)
    if found is None or config.model_type in UNLIMITED_TYPES:
        return UNLIMITED_TOKENS
    if config.model_type in OFFSET_POSITION_TYPES:
        found -= (config.pad_token_id or 0) + 1
    return found
