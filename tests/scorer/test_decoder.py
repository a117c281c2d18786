import contextlib
import random

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from scorer.backend import GenerationSettings, TokenRow
from scorer.backends import decoder, packed
from scorer.backends.decoder import DecoderBackend
from scorer.backends.gguf import convert_gguf
from scorer.backends.head import Head
from scorer.backends.options import LoadOptions
from scorer.weights import find_model

NAMES = ["llama", "gpt2"]


@pytest.fixture(params=NAMES)
def tiny(request):
    return request.getfixturevalue(request.param), request.getfixturevalue(
        f"{request.param}_folder"
    )


def plain_model(folder):
    return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()


@torch.inference_mode()
def plain_loop(model, rows):
    """One text at a time, a log-softmax over all logits."""
    found = []
    for row in rows:
        logits = model(torch.tensor([row.ids])).logits[0, :-1]
        scores = logits.log_softmax(-1)[range(len(row.ids) - 1), list(row.ids[1:])]
        found.append(scores[row.n_given - 1 :].numpy())
    return found


def random_rows(source, n, n_tokens=418):
    """Texts of many lengths; some share a beginning, some are the same."""
    stems = [tuple(source.randrange(n_tokens) for _ in range(n)) for n in (1, 5, 20)]
    rows = []
    for _ in range(n):
        own = tuple(source.randrange(n_tokens) for _ in range(source.randint(1, 30)))
        ids = (0, *source.choice(stems), *own)
        rows.append(TokenRow(ids, source.randint(1, len(ids) - 1)))
    return [*rows, *source.sample(rows, n // 5)]


def worst(found, expected):
    return max(np.abs(a - b).max() for a, b in zip(found, expected, strict=True))


def test_log_probs_equal_a_plain_loop(tiny):
    backend, folder = tiny
    rows = random_rows(random.Random(0), 60)

    found = backend.log_probs(rows)

    assert worst(found, plain_loop(plain_model(folder), rows)) < 1e-4


def test_order_and_company_do_not_move_a_log_prob(tiny, options):
    backend, folder = tiny
    rows = random_rows(random.Random(1), 40)
    expected = backend.log_probs(rows)
    small = DecoderBackend(
        find_model(f"hf:{folder}", options.cache, convert_gguf),
        LoadOptions(cache=options.cache, device="cpu", max_batch_tokens=17, max_row_nodes=9),
    )
    order = list(range(len(rows)))
    random.Random(2).shuffle(order)

    shuffled = small.log_probs([rows[at] for at in order])
    alone = [small.log_probs([row])[0] for row in rows]

    assert worst([shuffled[order.index(at)] for at in range(len(rows))], expected) < 1e-4
    assert worst(alone, expected) < 1e-4


def test_the_fast_paths_are_used_where_they_are_right(tiny):
    backend, _ = tiny

    assert backend._may_branch
    assert backend._may_pack
    assert backend._head is not None


def test_a_model_that_ignores_masks_shares_no_prefixes(llama_folder, options, caplog, monkeypatch):
    def see_all(row, dtype):
        return torch.zeros((len(row), len(row)), dtype=dtype)

    monkeypatch.setattr(packed, "ancestor_mask", see_all)
    monkeypatch.setattr(decoder, "ancestor_mask", see_all)

    backend = DecoderBackend(find_model(f"hf:{llama_folder}", options.cache, convert_gguf), options)

    assert backend._may_pack
    assert not backend._may_branch
    assert "no shared prefixes" in caplog.text
    rows = random_rows(random.Random(3), 20)
    assert worst(backend.log_probs(rows), plain_loop(plain_model(llama_folder), rows)) < 1e-4


def test_a_model_that_ignores_layouts_is_given_padded_batches(
    llama_folder, options, caplog, monkeypatch
):
    monkeypatch.setattr(packed, "_layout", lambda groups: contextlib.nullcontext())

    backend = DecoderBackend(find_model(f"hf:{llama_folder}", options.cache, convert_gguf), options)

    assert not backend._may_pack
    assert backend._may_branch
    assert "padded batches" in caplog.text
    rows = random_rows(random.Random(3), 20)
    assert worst(backend.log_probs(rows), plain_loop(plain_model(llama_folder), rows)) < 1e-4


def test_a_tiled_head_with_bias_and_cap_equals_a_log_softmax():
    torch.manual_seed(0)
    weight, bias, states = torch.randn(9000, 8), torch.randn(9000), torch.randn(300, 8)
    nodes, tokens = torch.arange(300), torch.randint(9000, (300,))
    head = Head(weight, bias, lambda logits: torch.tanh(logits / 5) * 5)

    found = head.log_probs(states, nodes, tokens)

    logits = torch.tanh((states @ weight.T + bias) / 5) * 5
    expected = logits.log_softmax(-1)[nodes, tokens]
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)


def test_greedy_generation_in_a_batch_equals_transformers_alone(tiny):
    backend, folder = tiny
    model = plain_model(folder)
    rows = [TokenRow(row.ids[:n]) for n, row in enumerate(random_rows(random.Random(4), 8), 3)]

    found = backend.generate(rows, GenerationSettings(max_new_tokens=12))

    for row, new in zip(rows, found, strict=True):
        ids = torch.tensor([row.ids])
        expected = model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            max_new_tokens=12,
            do_sample=False,
            pad_token_id=0,
        )[0, len(row.ids) :].tolist()
        assert list(new.ids) == [token for token in expected if token != 1]
        assert new.is_finished == (1 in expected)


def test_a_draw_depends_on_its_seed_and_not_on_its_neighbours(llama):
    rows = [TokenRow(row.ids[:9]) for row in random_rows(random.Random(5), 6)]
    settings = GenerationSettings(max_new_tokens=10, temperature=1.0, top_p=0.9, seed=7)
    other = GenerationSettings(max_new_tokens=10, temperature=1.0, top_p=0.9, seed=8)

    together = llama.generate(rows, settings)

    assert llama.generate(rows[2:3], settings)[0] == together[2]
    assert llama.generate(rows[::-1], settings) == together[::-1]
    assert llama.generate(rows, other) != together


def test_draws_follow_the_softmax(llama):
    source = random.Random(6)
    row = (0, 77, 78)
    rows = [TokenRow((0, source.randrange(5, 418), 78)) for _ in range(3)]
    assert row not in {row.ids for row in rows}
    model = llama.model
    with torch.inference_mode():
        expected = model(torch.tensor([row])).logits[0, -1].softmax(-1)
    likeliest = int(expected.argmax())

    drawn = [
        llama.generate(
            [TokenRow(row)], GenerationSettings(max_new_tokens=1, temperature=1.0, seed=n)
        )
        for n in range(200)
    ]

    share = np.mean([new[0].ids[:1] == (likeliest,) for new in drawn])
    # Three standard errors of a share over 200 draws.
    assert abs(share - float(expected[likeliest])) < 3 * 0.5 / 200**0.5


def test_no_n_gram_stands_twice_where_it_must_not(llama):
    settings = GenerationSettings(max_new_tokens=40, no_repeat_ngram_size=2)

    (new,) = llama.generate([TokenRow((0, 9, 9))], settings)

    pairs = list(zip(new.ids, new.ids[1:], strict=False))
    assert len(pairs) == len(set(pairs))


@pytest.mark.parametrize("pooling", ["last", "mean", "first", "none"])
def test_hidden_states_equal_transformers(tiny, pooling):
    backend, folder = tiny
    model = plain_model(folder)
    rows = random_rows(random.Random(8), 10)
    layers = (0, 1, backend.info.n_layers)

    found = backend.hidden_states(rows, layers, pooling)

    for row, states in zip(rows, found, strict=True):
        with torch.inference_mode():
            every = model(torch.tensor([row.ids]), output_hidden_states=True).hidden_states
        assert len(every) == backend.info.n_layers + 1
        expected = np.stack([every[layer][0].numpy() for layer in layers])
        pick = {"last": expected[:, -1], "mean": expected.mean(1), "first": expected[:, 0]}
        np.testing.assert_allclose(states, pick.get(pooling, expected), rtol=1e-5, atol=2e-5)


def test_the_demo_decoder_equals_a_plain_loop_on_real_sentences(demo_decoder):
    tokenizer = demo_decoder.tokenizer
    start = tokenizer.token_id("<|endoftext|>")
    texts = [
        f"{article} {noun} {verb} {end}."
        for article in ("A", "The")
        for noun in ("sock", "stocking", "sweater")
        for verb, end in (("absorbs", "sweat"), ("has", "a heel"), ("is made of", "wool"))
    ]
    rows = [TokenRow((start, *text.ids), 1) for text in tokenizer.encode(texts)]

    found = demo_decoder.log_probs(rows)

    expected = plain_loop(demo_decoder.model, rows)
    assert worst(found, expected) < 1e-4
    assert max(abs(a.sum() - b.sum()) for a, b in zip(found, expected, strict=True)) < 2e-4


def test_the_demo_decoder_starts_texts_as_its_training_did(demo_decoder):
    assert demo_decoder.info.bos_token == "<|endoftext|>"
    assert demo_decoder.tokenizer.bos_token == "<|im_start|>"
    assert demo_decoder.info.n_layers == 30


def test_the_demo_decoder_answers_a_question(demo_decoder):
    chat = "<|im_start|>user\nWhat is the capital of France?<|im_end|>\n<|im_start|>assistant\n"
    rows = [TokenRow(text.ids) for text in demo_decoder.tokenizer.encode([chat])]

    (new,) = demo_decoder.generate(rows, GenerationSettings(max_new_tokens=12))

    assert new.is_finished
    assert demo_decoder.tokenizer.decode(new.ids) == "The capital of France is Paris."


def test_offsets_and_ids_are_those_of_the_tokenizer_itself(llama, llama_folder):
    reference = AutoTokenizer.from_pretrained(llama_folder)
    texts = ["The cat sat", "猫坐在垫子上", "แมวนั่ง 😀"]

    found = llama.tokenizer.encode(texts)

    for text, tokens in zip(texts, found, strict=True):
        assert list(tokens.ids) == reference(text, add_special_tokens=False).input_ids
