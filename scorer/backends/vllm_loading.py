"""From a model folder to a vLLM backend; says in one sentence what vLLM is not asked to serve."""

import importlib.metadata
import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any

import torch

from scorer.backend import Backend
from scorer.backends.adapters import merge_adapter
from scorer.backends.facts import context_window
from scorer.backends.family_of import is_decoder
from scorer.backends.gguf import convert_gguf
from scorer.backends.loading import choose_dtype, read_config
from scorer.backends.options import LoadOptions
from scorer.backends.tokenizer import load_tokenizer
from scorer.backends.vllm import NO_STATES, VllmBackend
from scorer.batching.start_token import declared_start
from scorer.errors import ModelNotFoundError
from scorer.schemas import Capabilities
from scorer.weights import ModelFolder, find_model


def load_vllm(name: str, options: LoadOptions) -> Backend:
    """Start a vLLM engine for a decoder; blocks until its weights are loaded.

    Raises:
        ModelNotFoundError: vLLM is not installed here, no such model, or one for the torch backend.
    """
    if importlib.util.find_spec("vllm") is None:
        raise ModelNotFoundError(
            "the vLLM backend needs the package vllm, which wants an environment of its own:"
            " pip install 'polysense[vllm]' there"
        )
    # Read when vLLM is imported: it would report its use over the network, and log every start.
    os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")
    folder = find_model(name, options.cache, convert_gguf, merge_adapter)
    config = read_config(folder.folder)
    check_servable(folder, config, options)
    return _open(folder, config, options)


def check_servable(folder: ModelFolder, config: Any, options: LoadOptions) -> None:  # noqa: ANN401
    """Refuse what only the torch backend serves.

    Raises:
        ModelNotFoundError: Says what it is.
    """
    what = None
    if config.is_encoder_decoder:
        what = "is an encoder-decoder"
    elif not is_decoder(config):
        what = "is an encoder"
    elif options.dtype == "int8":
        what = "is to be loaded in 8 bits"
    if what:
        raise ModelNotFoundError(
            f"{folder.name} {what}: the torch backend serves it (SCORER_BACKEND=torch)"
        )


def greedy_settings(folder: Path, eos_id: int | None) -> dict[str, Any]:
    """Return what the makers of a model set for texts that are written greedily.

    Returns:
        `stop_token_ids`, and `repetition_penalty` where they set one: what transformers heeds.
    """
    found: dict[str, Any] = {}
    for name in ("config.json", "generation_config.json"):
        if (folder / name).is_file():
            found |= json.loads((folder / name).read_text())
    own = found.get("eos_token_id")
    ends = own if isinstance(own, list) else [own]
    settings: dict[str, Any] = {
        "stop_token_ids": sorted({token for token in [*ends, eos_id] if token is not None})
    }
    if penalty := found.get("repetition_penalty"):
        settings["repetition_penalty"] = float(penalty)
    return settings


def _open(folder: ModelFolder, config: Any, options: LoadOptions) -> VllmBackend:  # noqa: ANN401
    # Late: nothing of vLLM is read before its package is known to be here.
    from scorer.backends.vllm_engine import DEVICE, EngineSettings, make_engine

    if options.device != "auto" and not options.device.startswith(DEVICE):
        raise ModelNotFoundError(f"this vLLM computes on {DEVICE}, not on {options.device!r}")
    dtype = choose_dtype(options.dtype, torch.device(DEVICE))
    window = min(context_window(config), options.context_window or sys.maxsize)
    engine = make_engine(EngineSettings(folder.folder, dtype, window, options))
    tokenizer = load_tokenizer(folder.folder)
    bos_policy, bos_token = declared_start(tokenizer, folder.start_token)
    info = Capabilities(
        model=folder.name,
        revision=folder.revision,
        weights_sha256=folder.weights_sha256,
        tokenizer_sha256=tokenizer.sha256(),
        chat_template_sha256=tokenizer.chat_template_sha256(),
        dtype=str(dtype).removeprefix("torch."),
        backend="vllm",
        backend_version=_version(),
        device=DEVICE,
        architecture=(config.architectures or [config.model_type])[0],
        n_layers=config.num_hidden_layers,
        width=config.hidden_size,
        # Without labels a text is sent whole, and one new token must fit behind it.
        context_window=window if engine.takes_labels else window - 1,
        vocabulary_size=config.vocab_size,
        kinds=["log_prob", "generate"],
        refusals=dict.fromkeys(("hidden_states", "embed", "similarity"), NO_STATES),
        bos_policy=bos_policy,
        bos_token=bos_token,
    )
    return VllmBackend(info, tokenizer, engine, greedy_settings(folder.folder, tokenizer.eos_id))


def _version() -> str:
    """Return the version of whichever package brings vLLM."""
    by_module = importlib.metadata.packages_distributions()
    name = by_module.get("vllm", ["vllm"])[0]
    return f"{name} {importlib.metadata.version(name)}, torch {torch.__version__}"
