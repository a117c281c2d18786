"""Which tokens of a text a masked language model is asked for; on the fake model's tokenizer."""

import pytest

from scorer.backend import TokenisedText
from scorer.backends.fake import START_ID, FakeBackend, FakeTokenizer
from scorer.batching.start_token import TOKENIZER_POLICY
from scorer.batching.tokenising import read_log_prob_request
from scorer.schemas import LogProbItem, LogProbRequest, Truncation


class FrameTokenizer(FakeTokenizer):
    """One token a character, and the start token at both ends."""

    def encode_whole(self, texts):
        return [
            TokenisedText((START_ID, *text.ids, START_ID), ((0, 0), *text.offsets, (0, 0)))
            for text in self.encode(texts)
        ]


INFO = FakeBackend().info.model_copy(update={"bos_policy": TOKENIZER_POLICY, "context_window": 12})


def read(truncation=None, **item):
    request = LogProbRequest(items=[LogProbItem(**item)], truncation=truncation)
    return read_log_prob_request(request, FrameTokenizer(), INFO)


def test_the_continuation_is_scored_and_the_ends_are_read():
    (row,) = read(context="ab ", continuation="cd")

    assert row.row.ids == (START_ID, *map(ord, "ab cd"), START_ID)
    # The start, a and b are given; the space moves to the continuation; the end is not scored.
    assert (row.row.n_given, row.row.n_end) == (3, 1)
    assert row.continuation == " cd"
    assert row.offsets == ((2, 3), (3, 4), (4, 5))
    result = row.result([-1.0, -2.0, -3.0])
    assert (result.sum, result.n_scored) == (-6.0, 3)
    assert result.token_ids == [*map(ord, " cd")]


def test_a_whole_text_has_all_its_tokens_scored():
    (row,) = read(continuation="ab")

    assert (row.row.n_given, row.row.n_end, len(row.row.ids)) == (1, 1, 4)


def test_token_ids_stand_between_the_context_and_the_end():
    (row,) = read(context="a", token_ids=[98, 99])

    assert row.row.ids == (START_ID, 97, 98, 99, START_ID)
    assert (row.row.n_given, row.row.n_end) == (2, 1)
    assert row.offsets == ((1, 2), (2, 3))


def test_several_continuations_are_rows_in_their_order():
    rows = read(context="a", continuations=["b", "", "c"])

    assert rows[0].continuation == "b"
    assert rows[1].error == "NothingToScoreError"
    assert rows[2].continuation == "c"


def test_a_cut_keeps_the_ends_and_says_when_nothing_is_left():
    (cut,) = read(Truncation(tokens=5), context="a", continuation="bcdef")
    (gone,) = read(Truncation(tokens=3), context="abcd", continuation="e")

    assert cut.row.ids == (START_ID, *map(ord, "abc"), START_ID)
    assert cut.continuation == "bc"
    assert "cut away" in gone.detail


@pytest.mark.parametrize(
    ("item", "error"),
    [
        ({"continuation": "a" * 11}, "TextTooLongError"),
        ({"continuation": ""}, "NothingToScoreError"),
        ({"token_ids": [2**22]}, "UnknownTokenError"),
    ],
)
def test_what_cannot_be_scored_is_refused_alone(item, error):
    (failed,) = read(**item)

    assert failed.error == error
