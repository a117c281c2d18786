"""A training stopped in any way leaves no process behind, and goes on to the same weights."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

ROOT = Path(__file__).parents[3]
PATIENCE_S = 120
N_STEPS = 600


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    """A tiny encoder with dropout, whose words are numbers."""
    torch.manual_seed(0)
    vocabulary = {word: at for at, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])}
    vocabulary |= {str(number): len(vocabulary) + number for number in range(30)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    folder = tmp_path_factory.mktemp("an encoder")
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=16,
    )
    BertModel(config).save_pretrained(folder)
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]"
    ).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Twelve train pairs and one test pair of one language."""
    folder = tmp_path_factory.mktemp("semrel data")
    place = folder / "Track A" / "amh"
    place.mkdir(parents=True)
    rows = [[f"p{n}", f"{n} {n + 1}\n{n + 2} {n}", n / 12] for n in range(12)]
    for split, part in (("train", rows), ("test_with_labels", rows[:1])):
        with (place / f"amh_{split}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([["PairID", "Text", "Score"], *part])
    return folder


@pytest.fixture
def finetune(encoder, data, tmp_path):
    """Start the command; what still runs at the end is killed."""
    started = []

    def start(*words):
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "services.cli.main", "finetune", "semrel"),
                *("--data", data, "--model", f"hf:{encoder}", "--batch-size", "4", "--json"),
                *("--epochs", str(N_STEPS // 3), "--checkpoint-steps", "20", *words),
            ],
            cwd=ROOT,
            env={**os.environ, "POLYSENSE_HOME": str(tmp_path / "home"), "OMP_NUM_THREADS": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def wait_until(is_true):
    deadline = time.monotonic() + PATIENCE_S
    while not is_true():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.02)


def trainer_of(process):
    """Return the training process that a command started."""
    [child] = psutil.Process(process.pid).children()
    return child


def start_until_checkpoint(finetune, out):
    checkpoint = out.with_name(f"{out.name}.checkpoint")
    before = checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
    process = finetune("--out", out)

    def is_new():
        return checkpoint.exists() and checkpoint.stat().st_mtime_ns > before

    wait_until(lambda: is_new() or process.poll() is not None)
    return process, trainer_of(process)


def test_a_training_stopped_in_three_ways_goes_on_to_the_same_weights(finetune, tmp_path):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert finetune("--out", whole).wait(PATIENCE_S) == 0

    process, trainer = start_until_checkpoint(finetune, broken)
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE_S) == 130
    assert not trainer.is_running()
    assert "the same command goes on" in process.communicate()[1]

    process, trainer = start_until_checkpoint(finetune, broken)
    trainer.kill()
    assert process.wait(PATIENCE_S) != 0

    process, trainer = start_until_checkpoint(finetune, broken)
    process.kill()
    wait_until(lambda: not trainer.is_running() or trainer.status() == psutil.STATUS_ZOMBIE)
    assert not broken.exists()

    output, _ = finetune("--out", broken).communicate(timeout=PATIENCE_S)

    [model] = json.loads(output)["models"]
    assert model["n_steps"] == N_STEPS
    assert model["n_resumed_steps"] > 60
    weights = load_file(whole / "model.safetensors")
    for name, value in load_file(broken / "model.safetensors").items():
        torch.testing.assert_close(value, weights[name], atol=0, rtol=0)


def test_without_a_name_the_model_lies_in_the_home_and_is_made_once(finetune, tmp_path):
    words = ("--epochs", "1")

    first, second = (json.loads(finetune(*words).communicate()[0]) for _ in range(2))

    [model], [again] = first["models"], second["models"]
    folder = Path(model["model"].removeprefix("hf:"))
    assert folder.is_relative_to(tmp_path / "home" / "artefacts")
    assert (folder / "model.safetensors").is_file()
    assert again["model"] == model["model"]
