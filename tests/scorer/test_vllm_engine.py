"""A real vLLM engine beside the torch backend, on the demo decoder; `make test-vllm` runs it."""

import random

import numpy as np
import pytest

from scorer.backend import GenerationSettings, TokenRow
from scorer.backends.decoder import DecoderBackend
from scorer.backends.gguf import convert_gguf
from scorer.backends.options import LoadOptions
from scorer.backends.vllm_loading import load_vllm
from scorer.weights import find_model

pytestmark = pytest.mark.vllm

WINDOW = 256
TOLERANCE_NATS = 2e-3
"""A token: vLLM's kernels for processors round in another order."""


@pytest.fixture(scope="module")
def vllm(demo_cache):
    options = LoadOptions(
        cache=demo_cache, dtype="float32", context_window=WINDOW, max_batch_tokens=512
    )
    backend = load_vllm("demo-decoder", options)
    yield backend
    backend.close()


@pytest.fixture(scope="module")
def plain(demo_cache):
    folder = find_model("demo-decoder", demo_cache, convert_gguf)
    return DecoderBackend(folder, LoadOptions(cache=demo_cache, device="cpu", n_threads=1))


@pytest.fixture(scope="module")
def rows(plain):
    start = plain.tokenizer.token_id("<|endoftext|>")
    texts = [
        f"{article} {noun} {rest}."
        for article in ("A", "The")
        for noun in ("sock", "stocking", "sweater", "猫", "sentence with a longer subject 😀")
        for rest in ("absorbs sweat", "is made of wool and has a heel")
    ]
    return [TokenRow((start, *text.ids), 1) for text in plain.tokenizer.encode(texts)]


def test_sentences_score_as_in_torch_in_any_order(vllm, plain, rows):
    assert len(rows) == 20
    order = list(range(len(rows)))
    random.Random(0).shuffle(order)
    expected = plain.log_probs(rows)

    found = vllm.log_probs(rows)
    shuffled = vllm.log_probs([rows[at] for at in order])
    alone = vllm.log_probs(rows[3:4])

    for at, values in enumerate(expected):
        np.testing.assert_allclose(found[at], values, atol=TOLERANCE_NATS)
        np.testing.assert_allclose(shuffled[order.index(at)], values, atol=TOLERANCE_NATS)
    np.testing.assert_allclose(alone[0], found[3], atol=TOLERANCE_NATS)


def test_labels_score_as_in_torch(vllm, plain):
    question = plain.tokenizer.encode(["Is a sock made of wool? Yes or No.\nAnswer:"])[0].ids
    labels = [text.ids for text in plain.tokenizer.encode([" Yes", " No", " A", " wool sock"])]
    rows = [TokenRow(question + label, len(question)) for label in labels]

    found = vllm.log_probs(rows)

    for values, other in zip(found, plain.log_probs(rows), strict=True):
        np.testing.assert_allclose(values, other, atol=TOLERANCE_NATS)


def test_a_text_as_long_as_the_window_is_scored(vllm, plain, rows):
    longest = TokenRow((rows[0].ids * WINDOW)[:WINDOW], 1)

    (found,) = vllm.log_probs([longest])

    assert vllm.info.context_window == WINDOW
    np.testing.assert_allclose(found, plain.log_probs([longest])[0], atol=TOLERANCE_NATS)


def test_the_likeliest_tokens_are_those_of_torch(vllm, plain, rows):
    (found,) = vllm.top_tokens(rows[:1], 3)
    (expected,) = plain.top_tokens(rows[:1], 3)

    assert [[token for token, _ in place] for place in found] == [
        [token for token, _ in place] for place in expected
    ]


def test_greedy_texts_are_those_of_torch(vllm, plain):
    chat = "<|im_start|>user\nWhat is the capital of France?<|im_end|>\n<|im_start|>assistant\n"
    rows = [TokenRow(text.ids) for text in plain.tokenizer.encode([chat, "The cat"])]
    settings = GenerationSettings(max_new_tokens=12)

    assert vllm.generate(rows, settings) == plain.generate(rows, settings)
