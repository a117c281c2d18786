"""Every architecture of the papers, tiny and random, against the plain way of asking it."""

import random

import numpy as np
import pytest
import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    PreTrainedTokenizerFast,
)

from scorer.backend import GenerationSettings, TokenRow
from scorer.backends import load_backend
from scorer.backends.options import LoadOptions
from scorer.batching.tokenising import read_log_prob_request
from scorer.errors import UnsupportedRequestError
from scorer.schemas import LogProbItem, LogProbRequest

N_TOKENS = 300
WIDTH = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
LLAMA_LIKE = {**WIDTH, "intermediate_size": 48, "num_key_value_heads": 2, "head_dim": 8}
RANGE = {"initializer_range": 0.3, "max_position_embeddings": 64}
DECODERS = {
    "Llama": LLAMA_LIKE,
    "Mistral": {**LLAMA_LIKE, "sliding_window": 8},
    "Qwen2": LLAMA_LIKE,
    "Qwen3": LLAMA_LIKE,
    "Gemma": LLAMA_LIKE,
    "Gemma2": {**LLAMA_LIKE, "sliding_window": 8, "final_logit_softcapping": 3.0},
    "Gemma3Text": {**LLAMA_LIKE, "sliding_window": 8},
    "Phi3": {**LLAMA_LIKE, "pad_token_id": 0},
    "Cohere": {**LLAMA_LIKE, "logit_scale": 0.3},
    "Cohere2": {**LLAMA_LIKE, "logit_scale": 0.3, "sliding_window": 8},
    "Bloom": {"hidden_size": 32, "n_layer": 2, "n_head": 4},
    "GPT2": {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64},
    "GPTNeoX": {**WIDTH, "intermediate_size": 48},
    "OPT": {**WIDTH, "ffn_dim": 48, "word_embed_proj_dim": 32, "init_std": 0.3},
    "XGLM": {"d_model": 32, "num_layers": 2, "attention_heads": 4, "ffn_dim": 48, "init_std": 0.3},
    "Falcon": WIDTH,
    "Glm": {**LLAMA_LIKE, "pad_token_id": 0},
    "Glm4": {**LLAMA_LIKE, "pad_token_id": 0},
    "Granite": {**LLAMA_LIKE, "logits_scaling": 3.0},
}
AUTO_CLASS = {
    "Gemma3TextForCausalLM": "Gemma3ForCausalLM",
    "GPT2ForCausalLM": "GPT2LMHeadModel",
    "XLMForMaskedLM": "XLMWithLMHeadModel",
}
ENCODERS = {
    "Albert": {**WIDTH, "intermediate_size": 48, "embedding_size": 16},
    "Bert": {**WIDTH, "intermediate_size": 48},
    "Roberta": {**WIDTH, "intermediate_size": 48, "pad_token_id": 1},
    "XLMRoberta": {**WIDTH, "intermediate_size": 48, "pad_token_id": 1},
    "DistilBert": {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 48},
    "XLM": {"emb_dim": 32, "n_layers": 2, "n_heads": 4, "pad_index": 1},
    "ModernBert": {**WIDTH, "intermediate_size": 48, "pad_token_id": 1},
    "DebertaV2": {**WIDTH, "intermediate_size": 48},
    "MPNet": {**WIDTH, "intermediate_size": 48, "pad_token_id": 1},
}


def save_tokenizer(folder):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=N_TOKENS,
        special_tokens=["<s>", "<pad>", "</s>", "<mask>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(["the cat sat on the mat, a dog has a heel"], trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        mask_token="<mask>",
    ).save_pretrained(folder)


def make(tmp_path_factory, name, options, suffix):
    torch.manual_seed(5)
    ids = {"bos_token_id": 0, "eos_token_id": 2, "pad_token_id": 1}
    config = getattr(transformers, f"{name}Config")(
        **{"vocab_size": N_TOKENS, **RANGE, **ids, **options}
    )
    model = getattr(transformers, AUTO_CLASS.get(f"{name}{suffix}", f"{name}{suffix}"))(config)
    folder = tmp_path_factory.mktemp(name)
    model.save_pretrained(folder)
    save_tokenizer(folder)
    return folder


def load(folder):
    options = LoadOptions(cache=folder, device="cpu", n_threads=1, max_batch_tokens=64)
    return load_backend(f"hf:{folder}", options)


@pytest.fixture(scope="module", params=list(DECODERS))
def decoder(request, tmp_path_factory):
    folder = make(tmp_path_factory, request.param, DECODERS[request.param], "ForCausalLM")
    return load(folder), AutoModelForCausalLM.from_pretrained(folder).eval()


@pytest.fixture(scope="module", params=list(ENCODERS))
def encoder(request, tmp_path_factory):
    folder = make(tmp_path_factory, request.param, ENCODERS[request.param], "Model")
    return load(folder), AutoModel.from_pretrained(folder).eval()


@pytest.fixture(scope="module", params=list(ENCODERS))
def masked(request, tmp_path_factory):
    folder = make(tmp_path_factory, request.param, ENCODERS[request.param], "ForMaskedLM")
    return load(folder), AutoModelForMaskedLM.from_pretrained(folder).eval()


BOUNDARIES = [
    ("", "the cat sat on the mat"),
    ("the cat", " sat on the mat"),
    ("the cat ", "sat on the mat"),
    ("the ca", "t sat"),
    ("a dog has 😀", " é猫 แมว"),
    ("the cat sat on the mat, a dog has", " a"),
]
"""Among them one that cuts a word, and one with characters of several tokens."""


def read_boundaries(backend):
    items = [LogProbItem(context=one, continuation=other) for one, other in BOUNDARIES]
    request = LogProbRequest(items=items)
    return read_log_prob_request(request, backend.tokenizer, backend.info)


def rows_with_shared_beginnings():
    source = random.Random(0)
    stems = [tuple(source.randrange(3, N_TOKENS) for _ in range(n)) for n in (2, 6, 12)]
    rows = []
    for _ in range(16):
        own = tuple(source.randrange(3, N_TOKENS) for _ in range(source.randint(2, 9)))
        rows.append(TokenRow((0, *source.choice(stems), *own), source.randint(1, 3)))
    return rows


@torch.inference_mode()
def plain(model, row):
    logits = model(torch.tensor([row.ids])).logits[0, :-1].log_softmax(-1)
    scores = logits[range(len(row.ids) - 1), list(row.ids[1:])]
    return scores[row.n_given - 1 :].numpy()


PADDED = {"BloomForCausalLM", "FalconForCausalLM", "Gemma2ForCausalLM", "XGLMForCausalLM"}
"""Biased or capped attention scores, or attention that is not transformers' common one."""


def test_texts_are_packed_wherever_attention_has_a_place_for_it(decoder):
    backend, _ = decoder

    assert backend._may_pack == (backend.info.architecture not in PADDED)


def test_log_probs_equal_a_plain_loop_in_any_company(decoder):
    backend, model = decoder
    rows = rows_with_shared_beginnings()

    together = backend.log_probs(rows)
    alone = [backend.log_probs([row])[0] for row in reversed(rows)][::-1]

    for row, one, other in zip(rows, together, alone, strict=True):
        np.testing.assert_allclose(one, plain(model, row), atol=1e-4)
        np.testing.assert_allclose(other, one, atol=1e-4)


def test_continuations_score_as_a_plain_loop_wherever_they_begin(decoder):
    backend, model = decoder
    rows = read_boundaries(backend)

    found = backend.log_probs([row.row for row in rows])

    for (context, continuation), row, values in zip(BOUNDARIES, rows, found, strict=True):
        np.testing.assert_allclose(values, plain(model, row.row), atol=1e-4)
        assert row.continuation.strip() == continuation.strip()
        assert row.offsets[-1][1] == len(context + continuation)


def test_hidden_states_are_those_of_transformers(decoder):
    backend, model = decoder
    rows = rows_with_shared_beginnings()

    found = backend.hidden_states(rows, (0, 1, 2), "last")

    for row, states in zip(rows, found, strict=True):
        with torch.inference_mode():
            every = model(torch.tensor([row.ids]), output_hidden_states=True).hidden_states
        expected = np.stack([layer[0, -1].numpy() for layer in every])
        np.testing.assert_allclose(states, expected, atol=1e-4, rtol=1e-4)


def test_generation_is_that_of_transformers_one_at_a_time(decoder):
    backend, model = decoder
    rows = [TokenRow(row.ids[: 3 + n]) for n, row in enumerate(rows_with_shared_beginnings()[:6])]

    found = backend.generate(rows, GenerationSettings(max_new_tokens=6))

    for row, new in zip(rows, found, strict=True):
        ids = torch.tensor([row.ids])
        output = model.generate(
            ids, attention_mask=torch.ones_like(ids), max_new_tokens=6, do_sample=False,
            pad_token_id=1, eos_token_id=2,
        )[0, len(row.ids) :].tolist()  # fmt: skip
        assert list(new.ids) == (output[: output.index(2)] if 2 in output else output)


def test_an_encoders_states_are_those_of_transformers(encoder):
    backend, model = encoder
    texts = ["the cat sat on the mat", "a dog", "a heel, the mat"]
    rows = [TokenRow(ids) for ids in backend.tokenizer.encode_prompts(texts)]

    found = backend.hidden_states(rows, (0, 1, 2), "mean")

    for row, states in zip(rows, found, strict=True):
        with torch.inference_mode():
            every = model(torch.tensor([row.ids]), output_hidden_states=True).hidden_states
        expected = np.stack([layer[0].mean(0).numpy() for layer in every])
        np.testing.assert_allclose(states, expected, atol=1e-4, rtol=1e-4)


@torch.inference_mode()
def plain_masked(model, row, mask_id):
    """One token hidden at a time, one text at a time."""
    values = []
    for place in range(row.n_given, len(row.ids) - row.n_end):
        ids = [*row.ids]
        ids[place] = mask_id
        logits = model(torch.tensor([ids])).logits[0, place]
        values.append(float(logits.log_softmax(-1)[row.ids[place]]))
    return values


def test_a_masked_model_scores_each_token_given_all_others_in_any_company(masked):
    backend, model = masked
    rows = [row.row for row in read_boundaries(backend)]

    together = backend.log_probs(rows * 2)[: len(rows)]
    alone = [backend.log_probs([row])[0] for row in reversed(rows)][::-1]

    assert "log_prob" in backend.info.kinds
    assert backend._masked.head._is_narrow
    for row, one, other in zip(rows, together, alone, strict=True):
        np.testing.assert_allclose(
            one, plain_masked(model, row, backend.tokenizer.mask_id), atol=1e-4
        )
        np.testing.assert_allclose(other, one, atol=1e-4)


def test_a_masked_models_states_are_those_without_its_head(masked):
    backend, model = masked
    (row,) = [TokenRow(ids) for ids in backend.tokenizer.encode_prompts(["a dog"])]

    (states,) = backend.hidden_states([row], (0, 1, 2), "first")

    with torch.inference_mode():
        every = model.base_model(torch.tensor([row.ids]), output_hidden_states=True).hidden_states
    expected = np.stack([layer[0, 0].numpy() for layer in every])
    np.testing.assert_allclose(states, expected, atol=1e-4, rtol=1e-4)


def test_an_encoder_without_a_head_says_why_it_scores_nothing(encoder):
    backend, _ = encoder

    assert "log_prob" not in backend.info.kinds
    assert "no head" in backend.info.refusals["log_prob"]
    with pytest.raises(UnsupportedRequestError, match="no head"):
        backend.log_probs([TokenRow((0, 5, 2), 1, n_end=1)])
