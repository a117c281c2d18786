"""Tokens of every kind of tokenizer find the words they are pieces of."""

import pytest
from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import PreTrainedTokenizerFast

from languages.alignment_awesome import words_of_tokens
from languages.tokenisation import Word
from scorer.backends.fake import FakeTokenizer
from scorer.backends.tokenizer import HuggingFaceTokenizer
from scorer.batching.prompts import read_hidden_states_request
from scorer.schemas import HiddenStatesRequest

WORDS = ["Die", "Häuser", "sind", "größer", "als", "das", "猫", "😀", "wunderbar"]
TEXT = " ".join(WORDS)
SPECIAL = ["<unk>", "<s>", "</s>", "<pad>"]


def word_piece():
    tokenizer = Tokenizer(models.WordPiece(unk_token="<unk>"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer, trainers.WordPieceTrainer


def byte_level():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer, trainers.BpeTrainer


def sentence_piece():
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    return tokenizer, trainers.UnigramTrainer


def trained(make):
    tokenizer, trainer = make()
    alphabet = pre_tokenizers.ByteLevel.alphabet() if make is byte_level else []
    more = {"unk_token": "<unk>"} if make is sentence_piece else {}
    # Half of the words are learnt whole; the others come in pieces, or unknown.
    tokenizer.train_from_iterator(
        [TEXT[: len(TEXT) // 2]] * 3,
        trainer(
            vocab_size=60 + len(alphabet),
            special_tokens=SPECIAL,
            show_progress=False,
            initial_alphabet=alphabet,
            **more,
        ),
    )
    if make is byte_level:
        tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 1))
    else:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
        )
    return HuggingFaceTokenizer(
        PreTrainedTokenizerFast(
            tokenizer_object=tokenizer,
            unk_token="<unk>",
            bos_token="<s>",
            eos_token="</s>",
            pad_token="<pad>",
        )
    )


def places():
    found, at = [], 0
    for word in WORDS:
        found.append(Word(word, at, at + len(word)))
        at += len(word) + 1
    return found


@pytest.mark.parametrize("make", [word_piece, byte_level, sentence_piece])
def test_every_word_has_tokens_in_order_and_special_ones_have_no_word(make):
    tokenizer = trained(make)

    [text] = tokenizer.encode_whole([TEXT])

    found = words_of_tokens(text.offsets, places())
    inner = [word for word in found if word is not None]
    assert inner == sorted(inner)
    assert set(inner) == set(range(len(WORDS)))
    assert (text.offsets[0], text.offsets[-1]) == ((0, 0), (0, 0))
    assert (found[0], found[-1]) == (None, None)
    assert text.ids == tokenizer.encode_prompts([TEXT])[0]


def test_an_unknown_word_is_a_word_and_not_a_special_token():
    tokenizer = trained(word_piece)

    [text] = tokenizer.encode_whole(["das 犬"])

    unknown = tokenizer.token_id("<unk>")
    assert unknown in text.ids
    is_special = dict(zip(text.ids, tokenizer.is_special(text.ids), strict=True))
    assert is_special[unknown] is False
    assert tokenizer.is_special([text.ids[0], text.ids[-1]]) == [True, True]
    assert words_of_tokens(text.offsets, [Word("das", 0, 3), Word("犬", 4, 5)])[-2] == 1


def test_a_start_token_covers_no_characters(bert, llama, gpt2):
    for backend in (bert, llama, gpt2):
        request = HiddenStatesRequest(texts=["a cat", "the mat"], pooling="none")

        for row in read_hidden_states_request(request, backend.tokenizer, backend.info):
            assert len(row.offsets) == len(row.row.ids)
            assert row.offsets[0] == (0, 0)


def test_the_fakes_tokens_are_characters():
    [text] = FakeTokenizer().encode_whole(["ab"])

    assert text.offsets == ((0, 0), (0, 1), (1, 2))
