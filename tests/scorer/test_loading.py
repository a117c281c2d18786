import importlib.util
import json

import pytest
import torch
from transformers import AutoModelForCausalLM, BertConfig, BloomConfig, RobertaConfig

from scorer.backends.facts import context_window
from scorer.backends.loading import (
    choose_device,
    choose_dtype,
    load_weights,
    memory_errors,
    read_config,
)
from scorer.errors import ModelNotFoundError, OutOfMemoryError


def test_a_full_memory_is_told_apart_from_other_failures():
    with pytest.raises(OutOfMemoryError), memory_errors():
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9")
    with pytest.raises(RuntimeError, match="other"), memory_errors():
        raise RuntimeError("other")


def test_an_unknown_device_is_wrong_use():
    with pytest.raises(ModelNotFoundError, match="no device 'tpu7'"):
        choose_device("tpu7")


def test_a_processor_computes_in_float32_unless_told_otherwise():
    cpu = torch.device("cpu")

    assert choose_dtype("auto", cpu) == torch.float32
    assert choose_dtype("auto", torch.device("meta")) == torch.bfloat16
    assert choose_dtype("float16", cpu) == torch.float16


def test_8_bit_weights_are_refused_where_they_cannot_be_had():
    with pytest.raises(ModelNotFoundError, match="need a CUDA GPU, and the device is cpu; allowed"):
        choose_dtype("int8", torch.device("cpu"))


@pytest.mark.skipif(
    importlib.util.find_spec("bitsandbytes") is not None, reason="the package is installed"
)
def test_a_gpu_without_the_package_for_8_bit_weights_is_told():
    with pytest.raises(ModelNotFoundError, match="the package bitsandbytes"):
        choose_dtype("int8", torch.device("cuda"))


def test_the_context_window_leaves_out_positions_that_no_token_gets():
    assert context_window(BertConfig()) == 512
    assert context_window(RobertaConfig(max_position_embeddings=514, pad_token_id=1)) == 512
    assert context_window(BloomConfig()) == 2048


def test_weights_that_lack_a_layer_are_refused(bert_folder):
    with pytest.raises(ModelNotFoundError, match=r"lack .* tensors"):
        load_weights(AutoModelForCausalLM, bert_folder, torch.device("cpu"), torch.float32)


def write_config(folder, **facts):
    (folder / "config.json").write_text(json.dumps({"model_type": "llama", **facts}))


@pytest.mark.skipif(
    importlib.util.find_spec("gptqmodel") is not None, reason="the package is installed"
)
@pytest.mark.parametrize("method", ["gptq", "awq"])
def test_quantised_weights_say_which_packages_they_need(method, tmp_path):
    write_config(tmp_path, quantization_config={"quant_method": method, "bits": 4})

    with pytest.raises(ModelNotFoundError, match=rf"by {method} need the package gptqmodel"):
        load_weights(AutoModelForCausalLM, tmp_path, torch.device("cpu"), torch.float32)


def test_an_unknown_way_of_quantising_is_told_with_the_known_ones(tmp_path):
    write_config(tmp_path, quantization_config={"quant_method": "magic"})

    with pytest.raises(ModelNotFoundError, match="by magic; allowed: bitsandbytes, awq, gptq"):
        load_weights(AutoModelForCausalLM, tmp_path, torch.device("cpu"), torch.float32)


def test_a_model_that_brings_its_own_code_is_refused_and_the_code_is_not_run(tmp_path):
    write_config(tmp_path, model_type="chatglm", auto_map={"AutoConfig": "configuration_chatglm.C"})
    (tmp_path / "configuration_chatglm.py").write_text("raise SystemExit('it was run')")

    with pytest.raises(ModelNotFoundError, match="code of its own, which is never run; allowed"):
        read_config(tmp_path)
