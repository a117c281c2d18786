"""Encoder-decoders of every family of the papers, tiny, against a loop over a pair at a time."""

import json
import random
import warnings

import numpy as np
import pytest
import sentencepiece
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    BartConfig,
    BartForConditionalGeneration,
    M2M100Config,
    M2M100ForConditionalGeneration,
    M2M100Tokenizer,
    MarianConfig,
    MarianMTModel,
    MarianTokenizer,
    MBart50Tokenizer,
    MBartConfig,
    MBartForConditionalGeneration,
    MT5Config,
    MT5ForConditionalGeneration,
    NllbMoeConfig,
    NllbMoeForConditionalGeneration,
    NllbTokenizer,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
    UMT5Config,
    UMT5ForConditionalGeneration,
)

from scorer.backend import GenerationSettings, TokenRow
from scorer.backends import load_backend
from scorer.backends.language_codes import code_of
from scorer.backends.options import LoadOptions
from scorer.batching.prompts import read_generate_request
from scorer.batching.tokenising import read_log_prob_request
from scorer.errors import ModelNotFoundError, UnknownLanguageError
from scorer.schemas import FailedItem, GenerateItem, GenerateRequest, LogProbItem, LogProbRequest

TEXTS = [
    "the cat sat on the mat", "a dog has a heel", "a sock absorbs sweat",
    "die Katze saß auf der Matte", "der Hund schläft im Haus", "eine Socke hat eine Ferse",
]  # fmt: skip
PAIRS = [
    ("the cat sat on the mat", "die Katze saß auf der Matte"),
    ("a dog", "der Hund"),
    ("a dog", "der Hund schläft im Haus"),
    ("a sock has a heel", "eine Socke hat eine Ferse"),
]
SMALL = {
    "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4,
    "decoder_attention_heads": 4, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64,
    "max_position_embeddings": 64, "init_std": 0.3,
}  # fmt: skip


def train_pieces(folder):
    """A SentencePiece model; its control pieces are those of M2M100 and Marian."""
    prefix = str(folder / "pieces")
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXTS * 20), model_prefix=prefix, vocab_size=44,
        character_coverage=1.0, pad_id=-1, minloglevel=2, num_threads=1,
    )  # fmt: skip
    pieces = sentencepiece.SentencePieceProcessor(model_file=f"{prefix}.model")
    return f"{prefix}.model", [pieces.id_to_piece(at) for at in range(pieces.get_piece_size())]


def save(folder, tokenizer, model):
    tokenizer.save_pretrained(folder)
    model.save_pretrained(folder)
    return folder


def make_t5(folder, config_class=T5Config, model_class=T5ForConditionalGeneration):
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=90, special_tokens=["<pad>", "</s>", "<unk>"], unk_token="<unk>",
        show_progress=False,
    )  # fmt: skip
    tokenizer.train_from_iterator(TEXTS * 5, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    config = config_class(
        vocab_size=tokenizer.get_vocab_size(), d_model=32, d_kv=8, d_ff=64, num_layers=2,
        num_heads=4, decoder_start_token_id=0,
        # An untied head takes the states as they are: factor 3 would make logits of thousands.
        initializer_factor=3.0 if config_class is T5Config else 1.0,
    )  # fmt: skip
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )
    return save(folder, fast, model_class(config))


def make_mt5(folder):
    return make_t5(folder, MT5Config, MT5ForConditionalGeneration)


def make_umt5(folder):
    return make_t5(folder, UMT5Config, UMT5ForConditionalGeneration)


def make_bart(folder):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=320, special_tokens=["<s>", "<pad>", "</s>"], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    tokenizer.train_from_iterator(TEXTS, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    config = BartConfig(vocab_size=tokenizer.get_vocab_size(), forced_bos_token_id=0, **SMALL)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", pad_token="<pad>", eos_token="</s>"
    )
    return save(folder, fast, BartForConditionalGeneration(config))


def make_mbart(folder):
    _, pieces = train_pieces(folder)
    tokenizer = MBart50Tokenizer(
        vocab=[(piece, -float(at)) for at, piece in enumerate(pieces)], src_lang="en_XX"
    )
    config = MBartConfig(vocab_size=len(tokenizer), decoder_start_token_id=2, **SMALL)
    return save(folder, tokenizer, MBartForConditionalGeneration(config))


def make_m2m100(folder):
    file, pieces = train_pieces(folder)
    vocabulary = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
    for piece in pieces[3:]:
        vocabulary.setdefault(piece, len(vocabulary))
    (folder / "vocab.json").write_text(json.dumps(vocabulary))
    tokenizer = M2M100Tokenizer(str(folder / "vocab.json"), file)
    config = M2M100Config(
        vocab_size=max(tokenizer.id_to_lang_token) + 9, decoder_start_token_id=2, **SMALL
    )
    return save(folder, tokenizer, M2M100ForConditionalGeneration(config))


def make_marian(folder):
    file, pieces = train_pieces(folder)
    vocabulary = {"</s>": 0, "<unk>": 1, ">>deu<<": 2, ">>fra<<": 3}
    for piece in pieces[3:]:
        vocabulary.setdefault(piece, len(vocabulary))
    vocabulary["<pad>"] = len(vocabulary)
    (folder / "vocab.json").write_text(json.dumps(vocabulary))
    tokenizer = MarianTokenizer(file, file, str(folder / "vocab.json"))
    config = MarianConfig(
        vocab_size=len(vocabulary), pad_token_id=len(vocabulary) - 1, eos_token_id=0,
        decoder_start_token_id=len(vocabulary) - 1, forced_eos_token_id=None, **SMALL,
    )  # fmt: skip
    model = MarianMTModel(config)
    model.final_logits_bias.normal_()
    return save(folder, tokenizer, model)


def nllb_tokenizer():
    letters = sorted({letter for text in TEXTS for letter in text if letter != " "})
    names = ["<s>", "<pad>", "</s>", "<unk>", "▁", *letters]
    return NllbTokenizer(
        vocab={name: at for at, name in enumerate(names)}, merges=[], src_lang="eng_Latn"
    )


def make_nllb(folder):
    tokenizer = nllb_tokenizer()
    config = M2M100Config(vocab_size=len(tokenizer), decoder_start_token_id=2, **SMALL)
    return save(folder, tokenizer, M2M100ForConditionalGeneration(config))


def make_nllb_moe(folder):
    tokenizer = nllb_tokenizer()
    config = NllbMoeConfig(
        vocab_size=len(tokenizer), decoder_start_token_id=2, num_experts=4, encoder_sparse_step=2,
        decoder_sparse_step=2, **SMALL,
    )  # fmt: skip
    return save(folder, tokenizer, NllbMoeForConditionalGeneration(config))


MAKERS = {
    "t5": make_t5, "mt5": make_mt5, "umt5": make_umt5, "nllb": make_nllb,
    "nllb_moe": make_nllb_moe, "bart": make_bart, "mbart": make_mbart, "m2m100": make_m2m100,
    "marian": make_marian,
}  # fmt: skip
NLLB = ("eng_Latn", "deu_Latn")
CODES = {"mbart": ("en_XX", "de_DE"), "m2m100": ("en", "de"), "nllb": NLLB, "nllb_moe": NLLB}
START = {"t5": 1, "mt5": 1, "umt5": 1, "marian": 1}
START |= dict.fromkeys(["bart", *CODES], 2)
"""Tokens that the decoder is given: its start, and a language code or <s> where there is one."""


@pytest.fixture(scope="module", params=list(MAKERS))
def family(request, tmp_path_factory):
    torch.manual_seed(3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        folder = MAKERS[request.param](tmp_path_factory.mktemp(request.param))
    return request.param, folder


@pytest.fixture(scope="module")
def small_options(tmp_path_factory):
    return LoadOptions(
        cache=tmp_path_factory.mktemp("cache"), device="cpu", n_threads=1, max_batch_tokens=40
    )


@pytest.fixture(scope="module")
def backend(family, small_options):
    return load_backend(f"hf:{family[1]}", small_options)


def request_of(pairs, **options):
    return LogProbRequest(
        items=[
            LogProbItem(
                context=source, continuation=target, source_language="en", target_language="de",
                **options,
            )
            for source, target in pairs
        ]
    )  # fmt: skip


def read(backend, pairs):
    return read_log_prob_request(request_of(pairs), backend.tokenizer, backend.info)


@pytest.fixture(scope="module")
def reference(family):
    name, folder = family
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        tokenizer = AutoTokenizer.from_pretrained(folder)
    if name in CODES:
        tokenizer.src_lang, tokenizer.tgt_lang = CODES[name]
    return tokenizer, AutoModelForSeq2SeqLM.from_pretrained(folder).eval()


@torch.inference_mode()
def plain_scores(name, reference, source, target):
    """As a user of transformers would: labels, the model's own shift, a log-softmax."""
    tokenizer, model = reference
    prefix = ">>deu<< " if name == "marian" else ""
    inputs = tokenizer([prefix + source], return_tensors="pt")
    labels = tokenizer(text_target=[target], return_tensors="pt").input_ids
    logits = model(**inputs, labels=labels).logits[0]
    scores = logits.log_softmax(-1).gather(1, labels[0][:, None])[:, 0].numpy()
    return scores[START[name] - 1 :]


def test_targets_are_scored_as_labels_are_and_their_end_stands_apart(family, backend, reference):
    rows = read(backend, PAIRS)

    found = backend.log_probs([row.row for row in rows])

    for (source, target), row, values in zip(PAIRS, rows, found, strict=True):
        expected = plain_scores(family[0], reference, source, target)
        np.testing.assert_allclose(values, expected, atol=1e-4)
        result = row.result(values)
        assert result.sum == pytest.approx(expected[:-1].sum(), abs=1e-4)
        assert result.eos_log_prob == pytest.approx(expected[-1], abs=1e-4)
        assert result.n_scored == len(expected) - 1


def test_order_and_company_do_not_move_a_target(backend):
    rows = [row.row for row in read(backend, PAIRS * 3)]
    order = list(range(len(rows)))
    random.Random(0).shuffle(order)

    together = backend.log_probs(rows)
    shuffled = backend.log_probs([rows[at] for at in order])

    for at, one in enumerate(together):
        np.testing.assert_allclose(shuffled[order.index(at)], one, atol=1e-5)
        np.testing.assert_allclose(backend.log_probs([rows[at]])[0], one, atol=1e-4)


@pytest.mark.parametrize("n_beams", [1, 3])
def test_translations_in_a_batch_equal_transformers_alone(family, backend, reference, n_beams):
    tokenizer, model = reference
    name = family[0]
    sources = [source for source, _ in PAIRS]
    request = GenerateRequest(
        items=[GenerateItem(prompt=source) for source in sources],
        n_beams=n_beams,
        source_language="en",
        target_language="de",
    )
    rows = read_generate_request(request, backend.tokenizer, backend.info)

    found = backend.generate(rows, GenerationSettings(max_new_tokens=12, n_beams=n_beams))

    forced = {}
    if name in CODES:
        forced["forced_bos_token_id"] = rows[0].ids[1]
    prefix = ">>deu<< " if name == "marian" else ""
    for source, new in zip(sources, found, strict=True):
        output = model.generate(
            **tokenizer([prefix + source], return_tensors="pt"),
            max_new_tokens=12 + (name in CODES), num_beams=n_beams, do_sample=False, **forced,
        )[0].tolist()  # fmt: skip
        # Random weights may well write the padding token itself: only the end ends a text.
        written = output[1 + (name in CODES) :]
        ends = [at for at, token in enumerate(written) if token == tokenizer.eos_token_id]
        assert list(new.ids) == written[: ends[0] if ends else None]


def test_offsets_cover_the_target(backend):
    (row,) = read(backend, [("a dog", "der Hund")])

    assert row.offsets[0][0] == 0
    assert row.offsets[-1][1] == len("der Hund")
    assert row.continuation == "der Hund"


def test_hidden_states_are_the_encoders(family, backend, reference):
    _, model = reference
    ids = backend.tokenizer.encode_sources(["the cat sat", "a dog"], "en", "de")

    found = backend.hidden_states([TokenRow(row) for row in ids], (0, 2), "mean")

    for row, states in zip(ids, found, strict=True):
        with torch.inference_mode():
            every = model.get_encoder()(
                torch.tensor([row]), output_hidden_states=True
            ).hidden_states
        expected = np.stack([every[0][0].mean(0).numpy(), every[2][0].mean(0).numpy()])
        np.testing.assert_allclose(states, expected, atol=1e-5)


def test_the_characters_of_a_sources_tokens_stand_beside_them(family, backend):
    if family[0] == "marian":
        pytest.skip("this family asks for a language")
    texts = ["the cat sat", "a dog"]

    for text, whole, ids in zip(
        texts,
        backend.tokenizer.encode_whole(texts),
        backend.tokenizer.encode_prompts(texts),
        strict=True,
    ):
        assert whole.ids == ids
        assert max(end for _, end in whole.offsets) == len(text)
        covered = {at for begin, end in whole.offsets for at in range(begin, end)}
        assert covered >= {at for at, letter in enumerate(text) if letter != " "}


def test_a_language_that_is_unknown_or_missing_is_refused_alone(family, backend):
    if family[0] not in CODES:
        pytest.skip("this family has no language codes")
    request = LogProbRequest(
        items=[
            LogProbItem(context="a", continuation="b", target_language="tlh"),
            LogProbItem(context="a dog", continuation="der Hund", target_language="de"),
        ]
    )

    first, second = read_log_prob_request(request, backend.tokenizer, backend.info)

    assert first.error == "UnknownLanguageError"
    assert not isinstance(second, FailedItem)


def test_an_empty_target_is_a_failure(backend):
    (row,) = read(backend, [("a dog", " ")])

    assert row.error == "NothingToScoreError"


def test_what_overflows_in_float16_is_refused(tmp_path_factory):
    folder = make_t5(tmp_path_factory.mktemp("t5 half"))

    with pytest.raises(ModelNotFoundError, match="overflows in float16"):
        load_backend(f"hf:{folder}", LoadOptions(cache=folder, device="cpu", dtype="float16"))


@pytest.mark.parametrize(
    ("language", "codes", "found"),
    [
        ("de", ["en", "de"], "de"),
        ("de", ["en_XX", "de_DE"], "de_DE"),
        ("zh", ["zho_Hant", "zho_Hans"], "zho_Hans"),
        ("deu", ["de"], "de"),
        ("es", ["eng_Latn", "spa_Latn"], "spa_Latn"),
        ("deu_Latn", ["deu_Latn"], "deu_Latn"),
    ],
)
def test_a_language_is_found_under_the_models_own_code(language, codes, found):
    assert code_of(language, codes, "model") == found


def test_a_language_without_a_code_is_told_with_those_there_are():
    with pytest.raises(UnknownLanguageError, match="no language 'ja'; it knows de, en"):
        code_of("ja", ["en", "de"], "model")
