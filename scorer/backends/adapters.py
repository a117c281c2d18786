"""Merge a LoRA adapter into its base, once; after that it loads as any other model does.

Source: Hu et al. 2021 (LoRA, arXiv:2106.09685), section 4.1: W = W₀ + BA.
"""

import importlib.util
import json
import shutil
from pathlib import Path
from typing import Any

from transformers import (
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForSeq2SeqLM,
)

from scorer.backends.family_of import is_decoder, is_masked
from scorer.backends.loading import read_config
from scorer.errors import ModelNotFoundError
from scorer.weights import ADAPTER_CONFIG

NOT_COPIED = frozenset({".safetensors", ".bin", ".gguf"})


def merge_adapter(base: Path, adapter: Path, folder: Path) -> None:
    """Write the base with the adapter's weights in it, and the base's tokenizer, into `folder`.

    Raises:
        ModelNotFoundError: peft is missing, or the adapter is not one for this base.
    """
    kind = json.loads((adapter / ADAPTER_CONFIG).read_text()).get("peft_type")
    if kind != "LORA":
        raise ModelNotFoundError(f"{adapter} is an adapter of the kind {kind}; allowed: LORA")
    if importlib.util.find_spec("peft") is None:
        raise ModelNotFoundError(
            f"{adapter} is a LoRA adapter, which needs the package peft: pip install"
            " 'polysense[lora]'"
        )
    # Late: an extra that few need.
    from peft import PeftModel

    try:
        model = _auto_class(read_config(base)).from_pretrained(
            base, dtype="auto", use_safetensors=True, trust_remote_code=False
        )
        merged = PeftModel.from_pretrained(model, adapter).merge_and_unload(safe_merge=True)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        reason = str(error).splitlines()[0]
        raise ModelNotFoundError(f"{adapter} cannot be merged into {base}: {reason}") from error
    for file in base.iterdir():
        if file.is_file() and file.suffix not in NOT_COPIED:
            shutil.copyfile(file, folder / file.name)
    (folder / "model.safetensors.index.json").unlink(missing_ok=True)
    merged.save_pretrained(folder)


def _auto_class(config: Any) -> Any:  # noqa: ANN401  # transformers has no types
    if config.is_encoder_decoder:
        return AutoModelForSeq2SeqLM
    if is_decoder(config):
        return AutoModelForCausalLM
    return AutoModelForMaskedLM if is_masked(config) else AutoModel
