"""The bench's figures, of models that are too small to be worth timing."""

from services.scorer.bench.encoding import measure_encoder, mixed_texts
from services.scorer.bench.measuring import measure
from services.scorer.bench.parts import label_tokens, long_context
from services.scorer.bench.texts import generated_sentences

WORDS = ["the", "cat", "sat", "on", "a", "mat", "dog", "heel"]


def test_rate_ceiling_share_and_error_are_told(llama):
    sentences = mixed_texts(WORDS, 60, seed=1)

    facts = measure(llama, sentences, [], shares_nothing=True, seed=0)

    assert facts["n_sentences"] == 60
    assert facts["tokens_per_s"] > facts["sentences_per_s"] > 0
    assert 0 < facts["ceiling_share"] < 1
    assert facts["max_abs_error_nats"] < 2e-4
    assert facts["peers"] == {}


def test_labels_of_one_prompt_read_it_once(llama):
    facts = label_tokens(llama, mixed_texts(WORDS, 20, seed=2), (" A", " B", " C"))

    assert facts["share"] < 0.4
    assert facts["max_abs_error_nats"] < 2e-4


def test_a_long_context_is_read_once_for_all_its_continuations(llama, monkeypatch):
    monkeypatch.setattr("services.scorer.bench.parts.N_CONTEXT_WORDS", 20)

    facts = long_context(llama, mixed_texts(WORDS, 40, seed=3))

    assert facts["n_continuations"] == 40
    assert facts["max_abs_error_nats"] < 2e-4


def test_made_up_sentences_are_of_the_models_own_words_and_differ(llama):
    sentences = generated_sentences(llama.tokenizer, llama.info.vocabulary_size, 50, seed=4)

    assert len(set(sentences)) == 50
    assert sentences == generated_sentences(llama.tokenizer, llama.info.vocabulary_size, 50, seed=4)


def test_an_encoder_is_timed_on_texts_of_many_lengths(bert):
    facts = measure_encoder(bert, mixed_texts(WORDS, 30, seed=5), [])

    assert facts["n_texts"] == 30
    assert facts["texts_per_s"] > 0
