"""Texts are cut as `truncation=True` cuts them in transformers."""

import pytest
from pydantic import ValidationError
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from scorer.backends.fake import START_ID, FakeBackend
from scorer.backends.tokenizer import HuggingFaceTokenizer
from scorer.batching.cutting import cut_row
from scorer.batching.prompts import read_generate_request
from scorer.batching.tokenising import read_log_prob_request
from scorer.schemas import (
    ChatMessage,
    FailedItem,
    GenerateItem,
    GenerateRequest,
    LogProbItem,
    LogProbRequest,
    Truncation,
)

FAKE = FakeBackend()
TEXT = "a b c d e f g"


def score(context, continuation, **cut):
    request = LogProbRequest(
        items=[LogProbItem(context=context, continuation=continuation)],
        truncation=Truncation(**cut) if cut else None,
    )
    [row] = read_log_prob_request(request, FAKE.tokenizer, FAKE.info)
    return row


def letters(row):
    return "".join("^" if token == START_ID else chr(token) for token in row.row.ids)


def test_a_short_text_stays_as_it_is():
    assert score("abc", "de", tokens=6) == score("abc", "de")


def test_on_the_right_the_continuation_loses_its_end():
    # Six tokens with the start token; five are kept: ^ a b c d.
    row = score("abc", "de", tokens=5)

    assert (letters(row), row.row.n_given) == ("^abcd", 4)
    assert (row.continuation, row.offsets) == ("d", ((3, 4),))


def test_on_the_left_the_context_loses_its_beginning_and_the_start_token_stays():
    row = score("abc", "de", tokens=4, side="left")

    assert (letters(row), row.row.n_given) == ("^cde", 2)
    assert (row.continuation, row.offsets) == ("de", ((3, 4), (4, 5)))


def test_on_the_left_a_continuation_longer_than_the_limit_is_scored_in_part():
    row = score("abc", "defg", tokens=3, side="left")

    assert (letters(row), row.continuation) == ("^fg", "fg")


def test_a_continuation_that_is_cut_away_is_told_and_not_scored_as_zero():
    row = score("abc", "de", tokens=4)

    assert isinstance(row, FailedItem)
    assert row.error == "NothingToScoreError"
    assert row.detail == "the continuation is cut away: 6 tokens, cut to 4"


def test_a_cut_text_may_be_longer_than_the_context_window():
    long = "x" * 2 * FAKE.info.context_window

    refused, cut = score(long, "y"), score(long, "y", tokens=10, side="left")

    assert refused.error == "TextTooLongError"
    assert letters(cut) == "^xxxxxxxxy"


@pytest.mark.parametrize(("side", "left"), [("right", "^ab"), ("left", "^de")])
def test_prompts_are_cut_as_well(side, left):
    request = GenerateRequest(
        items=[
            GenerateItem(prompt="abcde"),
            GenerateItem(messages=[ChatMessage(role="user", content="abcde")]),
        ],
        chat_template=False,
        truncation=Truncation(tokens=3, side=side),
    )

    for row in read_generate_request(request, FAKE.tokenizer, FAKE.info):
        assert "".join("^" if token == START_ID else chr(token) for token in row.ids) == left


@pytest.fixture(scope="module")
def loaded():
    """A tokenizer of letters with one special token before a text and two behind it."""
    vocabulary = {word: at for at, word in enumerate(["<s>", "</s>", "<en>", *"abcdefg"])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="a"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s> <en>", special_tokens=[("<s>", 0), ("</s>", 1), ("<en>", 2)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        eos_token="</s>",
        additional_special_tokens=["<en>"],
    )


@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize("n_tokens", [4, 6, 9, 10, 11])
def test_a_row_between_special_tokens_is_cut_as_transformers_does(loaded, side, n_tokens):
    loaded.truncation_side = side
    wanted = loaded(TEXT, truncation=True, max_length=n_tokens).input_ids
    tokenizer = HuggingFaceTokenizer(loaded)

    [row] = tokenizer.encode_prompts([TEXT])

    found = cut_row(row, tokenizer.is_special(row), Truncation(tokens=n_tokens, side=side))
    assert list(found) == wanted


def test_token_ids_are_never_cut():
    with pytest.raises(ValidationError, match="exclude a truncation"):
        LogProbRequest(items=[LogProbItem(token_ids=[1])], truncation=Truncation(tokens=1))
