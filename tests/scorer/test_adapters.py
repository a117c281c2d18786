"""LoRA adapters: merged where peft is installed (`pip install 'polysense[lora]'`), else refused."""

import importlib.util
import json

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM

from scorer.backend import TokenRow
from scorer.backends import load_backend
from scorer.errors import ModelNotFoundError

HAS_PEFT = importlib.util.find_spec("peft") is not None
RANK, WIDTH = 2, 32
PLACES = [f"model.layers.{layer}.self_attn.o_proj" for layer in range(3)]


@pytest.fixture
def adapter(llama_folder, tmp_path):
    """An adapter as peft saves it: o_proj of each layer of the tiny Llama, alpha 4."""
    folder = tmp_path / "adapter"
    folder.mkdir()
    facts = {
        "peft_type": "LORA", "task_type": "CAUSAL_LM", "r": RANK, "lora_alpha": 4,
        "target_modules": ["o_proj"], "base_model_name_or_path": str(llama_folder),
    }  # fmt: skip
    (folder / "adapter_config.json").write_text(json.dumps(facts))
    source = torch.Generator().manual_seed(0)
    tensors = {}
    for place in PLACES:
        name = f"base_model.model.{place}"
        tensors[f"{name}.lora_A.weight"] = torch.randn((RANK, WIDTH), generator=source)
        tensors[f"{name}.lora_B.weight"] = torch.randn((WIDTH, RANK), generator=source)
    save_file(tensors, folder / "adapter_model.safetensors")
    return folder, tensors


@pytest.mark.skipif(not HAS_PEFT, reason="peft is not installed")
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_an_adapted_model_scores_as_its_merged_weights_do(adapter, llama_folder, options):
    folder, tensors = adapter
    model = AutoModelForCausalLM.from_pretrained(llama_folder, dtype=torch.float32).eval()
    for place in PLACES:
        name = f"base_model.model.{place}"
        # W + alpha/r · BA = W + 2 BA
        change = 2 * tensors[f"{name}.lora_B.weight"] @ tensors[f"{name}.lora_A.weight"]
        model.get_submodule(place).weight.data += change
    row = TokenRow((0, 40, 50, 60, 70), 1)

    backend = load_backend(f"hf:{folder}", options)
    (found,) = backend.log_probs([row])

    with torch.inference_mode():
        scores = model(torch.tensor([row.ids])).logits[0, :-1].log_softmax(-1)
    np.testing.assert_allclose(found, scores[range(4), row.ids[1:]], atol=1e-4)
    base = load_backend(f"hf:{llama_folder}", options)
    assert backend.info.weights_sha256 != base.info.weights_sha256
    assert not np.allclose(base.log_probs([row])[0], found, atol=0.1)


@pytest.mark.skipif(HAS_PEFT, reason="peft is installed")
def test_without_peft_an_adapter_says_what_it_needs(adapter, options):
    with pytest.raises(ModelNotFoundError, match="needs the package peft"):
        load_backend(f"hf:{adapter[0]}", options)


def test_another_kind_of_adapter_is_told(adapter, options):
    file = adapter[0] / "adapter_config.json"
    file.write_text(file.read_text().replace("LORA", "PROMPT_TUNING"))

    with pytest.raises(ModelNotFoundError, match="of the kind PROMPT_TUNING; allowed: LORA"):
        load_backend(f"hf:{adapter[0]}", options)
