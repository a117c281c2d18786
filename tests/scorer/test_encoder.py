import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from scorer.backend import GenerationSettings, TokenRow
from scorer.backends import load_backend
from scorer.backends.encoder import EncoderBackend
from scorer.errors import BackendError, UnsupportedRequestError
from scorer.similarity import bertscore_f1, cosine

TEXTS = [
    "The cat sat on the mat.",
    "A dog",
    "ein sehr langer Satz über die Katze und den Hund",
    "猫",
]


def rows_of(backend, texts):
    return [TokenRow(ids) for ids in backend.tokenizer.encode_prompts(texts)]


def plain(folder, text):
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder)
    with torch.inference_mode():
        inputs = tokenizer(text, return_tensors="pt", truncation=False)
        return [
            layer[0].numpy() for layer in model(**inputs, output_hidden_states=True).hidden_states
        ]


@pytest.mark.parametrize("pooling", ["last", "mean", "first", "none"])
def test_states_equal_transformers_one_text_at_a_time(bert, bert_folder, pooling):
    found = bert.hidden_states(rows_of(bert, TEXTS), (0, 2), pooling)

    for text, states in zip(TEXTS, found, strict=True):
        every = plain(bert_folder, text)
        expected = np.stack([every[0], every[2]])
        pick = {"last": expected[:, -1], "mean": expected.mean(1), "first": expected[:, 0]}
        np.testing.assert_allclose(states, pick.get(pooling, expected), rtol=1e-5, atol=1e-5)


def test_a_tokenizers_own_cut_is_not_applied(bert):
    (ids,) = bert.tokenizer.encode_prompts([TEXTS[2]])

    assert len(ids) > 8
    assert bert.tokenizer.is_special(ids)[0]
    assert bert.tokenizer.is_special(ids)[-1]


def test_an_encoder_refuses_what_only_a_decoder_can(bert):
    with pytest.raises(UnsupportedRequestError):
        bert.log_probs([TokenRow((1, 2), 1)])
    with pytest.raises(UnsupportedRequestError):
        bert.generate([TokenRow((1,))], GenerationSettings())


def test_the_family_is_told_by_the_configuration(bert_folder, llama_folder, options):
    assert isinstance(load_backend(f"hf:{bert_folder}", options), EncoderBackend)
    assert load_backend(f"hf:{llama_folder}", options).info.architecture == "LlamaForCausalLM"


def test_the_demo_encoder_finds_like_sentences_alike(demo_encoder):
    texts = [
        "A man is playing a guitar.",
        "Someone plays a guitar.",
        "The stock market fell today.",
    ]

    a, b, c = (
        states[0]
        for states in demo_encoder.hidden_states(rows_of(demo_encoder, texts), (6,), "mean")
    )

    assert cosine(a, b) > 0.8 > 0.2 > cosine(a, c)


def test_a_cosine_worked_by_hand():
    # (3, 4)·(4, 3) = 24; both have length 5; 24 / 25 = .96
    assert cosine(np.float32([3, 4]), np.float32([4, 3])) == pytest.approx(0.96)
    with pytest.raises(BackendError):
        cosine(np.float32([0, 0]), np.float32([1, 0]))


def test_bertscore_worked_by_hand():
    # Tokens CLS, x, y against CLS, x; x·x = 1, y is nearest to CLS of the other text (.6).
    cls, x, y = (0.0, 1.0), (1.0, 0.0), (-0.8, 0.6)
    one, other = np.float32([cls, x, y]), np.float32([cls, x])

    found = bertscore_f1(one, other, [True, False, False], [True, False])

    # Precision (1 + .6) / 2 = .8, recall 1, F1 = 1.6 / 1.8
    assert found == pytest.approx(1.6 / 1.8)
    assert bertscore_f1(one, one, [True, False, False], [True, False, False]) == pytest.approx(1)
