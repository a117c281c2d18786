"""Turn a GGUF file into a folder of safetensors weights, once; after that it loads in a second."""

from pathlib import Path

import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, GenerationConfig
from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint

from scorer.errors import ModelNotFoundError


def convert_gguf(file: Path, folder: Path) -> None:
    """Write the weights (float32), configuration and tokenizer of `file` into `folder`.

    Raises:
        ModelNotFoundError: The file cannot be read, or holds other weights than its configuration
            says.
    """
    place = {"pretrained_model_name_or_path": str(file.parent), "gguf_file": file.name}
    try:
        config = AutoConfig.from_pretrained(**place)
        tokenizer = AutoTokenizer.from_pretrained(**place)
    except (OSError, ValueError, KeyError) as error:
        raise ModelNotFoundError(f"{file} cannot be read as a GGUF model: {error}") from error
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    tensors = load_gguf_checkpoint(
        str(file), return_tensors=True, model_to_load=model, torch_dtype=torch.float32
    )["tensors"]
    model.to_empty(device="cpu")
    missing, unknown = model.load_state_dict(tensors, strict=False)
    tied = set(model.all_tied_weights_keys)
    if lost := [*sorted(set(missing) - tied), *unknown]:
        raise ModelNotFoundError(f"{file}: tensors do not fit the configuration: {lost[:3]}")
    model.tie_weights()
    model.generation_config = GenerationConfig(
        eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
