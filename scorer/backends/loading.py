"""Weights from a folder onto a device, and the facts about them."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, BitsAndBytesConfig
from transformers.utils import logging as transformers_logging

from scorer.backends.quantised import check_packages
from scorer.errors import ModelNotFoundError, OutOfMemoryError

DTYPES = {
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
    "int8": torch.int8,
}
transformers_logging.disable_progress_bar()


def choose_device(name: str) -> torch.device:
    """Return the device of a name; `auto` takes a GPU where there is one.

    Raises:
        ModelNotFoundError: There is no such device.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise ModelNotFoundError(f"no device {name!r} here; allowed: auto, cpu, cuda") from error
    return device


def choose_dtype(name: str, device: torch.device) -> torch.dtype:
    """Return the dtype of a name; `auto` is float32 on a processor, bfloat16 on a GPU.

    Raises:
        ModelNotFoundError: 8-bit weights cannot be had here.
    """
    if name == "auto":
        return torch.float32 if device.type == "cpu" else torch.bfloat16
    if DTYPES[name] == torch.int8:
        _check_int8(device)
    return DTYPES[name]


def _check_int8(device: torch.device) -> None:
    if device.type != "cuda":
        raise ModelNotFoundError(
            f"8-bit weights need a CUDA GPU, and the device is {device.type}; allowed here:"
            " auto, float32, bfloat16, float16"
        )
    check_packages("bitsandbytes")


def read_config(folder: Path) -> Any:  # noqa: ANN401  # transformers has no types
    """Read a model folder's configuration; code that a folder brings is never run.

    Raises:
        ModelNotFoundError: It is none that this version knows.
    """
    try:
        return AutoConfig.from_pretrained(folder, trust_remote_code=False)
    except (OSError, ValueError, KeyError) as error:
        _refuse_own_code(folder, error)
        reason = str(error).splitlines()[0]
        raise ModelNotFoundError(f"no readable config.json in {folder}: {reason}") from error


def _refuse_own_code(folder: Path, error: Exception) -> None:
    file = folder / "config.json"
    if file.is_file() and '"auto_map"' in file.read_text(errors="replace"):
        raise ModelNotFoundError(
            f"the model in {folder} is written in Python code of its own, which is never run;"
            " allowed: models whose class is part of transformers"
        ) from error


def load_weights(kind: Any, folder: Path, device: torch.device, dtype: torch.dtype) -> Any:  # noqa: ANN401
    """Load a model of an auto class, ready to be asked.

    Raises:
        ModelNotFoundError: The weights are not those of the configuration.
    """
    try:
        model, report = kind.from_pretrained(
            folder,
            use_safetensors=True,
            trust_remote_code=False,
            output_loading_info=True,
            **(_quantised_options(folder, device) or _loading_options(device, dtype)),
        )
    except (OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
        reason = str(error).splitlines()[0]
        raise ModelNotFoundError(f"the model in {folder} cannot be loaded: {reason}") from error
    lost = sorted(name for name in report["missing_keys"] if "pooler" not in name)
    if lost:
        raise ModelNotFoundError(
            f"the weights in {folder} lack {len(lost)} tensors that {type(model).__name__} needs,"
            f" the first is {lost[0]}"
        )
    placed = model if getattr(model, "hf_quantizer", None) else model.to(device)
    return placed.eval().requires_grad_(requires_grad=False)


def _quantised_options(folder: Path, device: torch.device) -> dict[str, Any]:
    """Return how weights are read that are quantised in the file; nothing for all others."""
    found = getattr(read_config(folder), "quantization_config", None)
    if found is None:
        return {}
    method = found["quant_method"] if isinstance(found, dict) else found.quant_method
    check_packages(str(getattr(method, "value", method)))
    return {"dtype": "auto", "device_map": {"": device}}


def _loading_options(device: torch.device, dtype: torch.dtype) -> dict[str, Any]:
    """Return how weights are read; 8-bit ones are made on the device (LLM.int8, Dettmers 2022)."""
    if dtype != torch.int8:
        return {"dtype": dtype}
    return {
        "dtype": torch.float16,
        "device_map": {"": device},
        "quantization_config": BitsAndBytesConfig(load_in_8bit=True),
    }


def use_threads(n_threads: int) -> None:
    """Give the processor's cores to the one thread that owns the model."""
    torch.set_num_threads(n_threads or len(os.sched_getaffinity(0)))


@contextlib.contextmanager
def memory_errors() -> Iterator[None]:
    """Tell a full device apart from other failures."""
    try:
        yield
    except torch.OutOfMemoryError as error:
        torch.cuda.empty_cache()
        raise OutOfMemoryError(str(error).splitlines()[0]) from error
    except RuntimeError as error:
        if "can't allocate memory" in str(error):
            raise OutOfMemoryError(str(error).splitlines()[0]) from error
        raise
