import pytest

from scorer.backends.fake import START_ID, FakeBackend
from scorer.batching.start_token import start_token_id
from scorer.batching.tokenising import read_log_prob_request
from scorer.errors import UnknownTokenError, UnsupportedRequestError
from scorer.schemas import FailedItem, LogProbItem, LogProbRequest

FAKE = FakeBackend()


def read(backend, *items, **options):
    request = LogProbRequest(items=[LogProbItem(**item) for item in items], **options)
    return read_log_prob_request(request, backend.tokenizer, backend.info)


def read_one(backend, context, continuation, **options):
    return read(backend, {"context": context, "continuation": continuation}, **options)[0]


def test_a_continuation_begins_where_the_context_ends():
    row = read_one(FAKE, "ab", "cd")

    assert row.row.ids == (START_ID, *map(ord, "abcd"))
    assert row.row.n_given == 3
    assert row.offsets == ((2, 3), (3, 4))
    assert not row.is_straddling


def test_trailing_spaces_of_the_context_count_as_the_continuation():
    row = read_one(FAKE, "ab  ", "c")

    assert row.row.n_given == 3
    assert row.continuation == "  c"


def test_moving_a_space_over_the_join_changes_nothing(llama):
    left = read_one(llama, "The cat ", "sat")
    right = read_one(llama, "The cat", " sat")

    assert left == right


def test_an_empty_context_means_the_whole_text_is_scored():
    row = read_one(FAKE, "", "ab")

    assert row.row.n_given == 1
    assert row.offsets == ((0, 1), (1, 2))


def test_without_a_start_token_the_first_token_is_not_scored():
    row = read_one(FAKE, "", "abc", bos_policy="skip-first")

    assert row.row.ids == tuple(map(ord, "abc"))
    assert row.row.n_given == 1
    assert row.offsets == ((1, 2), (2, 3))


@pytest.mark.parametrize(
    ("context", "continuation"),
    [
        ("The cat sa", "t on the mat."),
        ("猫坐在垫子", "上。"),
        ("猫がマット", "の上に座った。"),
        ("جلس القط عل", "ى السجادة"),
        ("แมวนั่งบนเส", "ื่อ"),
        ("👩‍👩", "‍👧"),
        ("Die Katze sa", "ß"),
        ("e", "\u0301"),
        ("😀", " 😀"),
    ],
)
def test_each_token_that_ends_beyond_the_context_is_scored(llama, context, continuation):
    row = read_one(llama, context, continuation)

    text = context + continuation
    whole = llama.tokenizer.encode([text])[0]
    expected = [
        (token, span)
        for token, span in zip(whole.ids, whole.offsets, strict=True)
        if span[1] > len(context)
    ]
    assert row.row.ids[1:] == whole.ids
    assert row.row.ids[row.row.n_given :] == tuple(token for token, _ in expected)
    assert row.offsets == tuple(span for _, span in expected)
    assert row.is_straddling == (expected[0][1][0] < len(context))


def test_a_token_that_spans_the_join_is_scored_and_flagged(llama):
    whole = llama.tokenizer.encode(["The cat"])[0]
    begin, end = next(span for span in whole.offsets if span[1] - span[0] > 2)

    row = read_one(llama, "The cat"[: end - 1], "The cat"[end - 1 :])

    assert row.is_straddling
    assert row.offsets[0] == (begin, end)


def test_offsets_hold_the_leading_space_of_a_token(llama):
    offsets = llama.tokenizer.encode(["The cat sat"])[0].offsets

    assert "".join("The cat sat"[begin:end] for begin, end in offsets) == "The cat sat"


def test_token_ids_are_taken_as_they_are():
    row = read(FAKE, {"context": "a", "token_ids": [98, 99]})[0]

    assert row.row.ids == (START_ID, 97, 98, 99)
    assert row.row.n_given == 2
    assert row.offsets == ((1, 2), (2, 3))
    assert row.continuation == "bc"


def test_a_token_id_outside_the_vocabulary_is_refused_alone(llama):
    rows = read(llama, {"token_ids": [5, 420]}, {"continuation": "cat"})

    assert rows[0] == FailedItem(
        error="UnknownTokenError",
        detail=f"token id 420; the vocabulary of {llama.info.model} has 0 to 419",
    )
    assert not isinstance(rows[1], FailedItem)


def test_several_continuations_come_one_after_the_other():
    rows = read(FAKE, {"context": "a", "continuations": ["b", "c"]}, {"continuation": "d"})

    assert [row.continuation for row in rows] == ["b", "c", "d"]


def test_nothing_to_score_is_a_failure_and_not_a_zero():
    rows = read(
        FAKE,
        {"context": "a", "continuation": ""},
        {"continuation": "a"},
        bos_policy="skip-first",
    )

    assert [row.error for row in rows] == ["NothingToScoreError"] * 2
    assert "an empty continuation" in rows[0].detail
    assert "a first token has no probability" in rows[1].detail


def test_a_text_beyond_the_context_window_is_refused_with_the_numbers():
    rows = read(FAKE, {"continuation": "x" * 4096}, {"continuation": "x" * 4095})

    assert rows[0] == FailedItem(
        error="TextTooLongError",
        detail="4097 tokens; the context window of fake is 4096",
    )
    assert len(rows[1].row.ids) == 4096


def test_the_chat_template_brings_its_own_start(llama):
    row = read_one(llama, "cat ", "sat", chat_template=True)

    rendered = "<|user|>cat <|end|><|assistant|>"
    assert row.row.ids == llama.tokenizer.encode([rendered + "sat"])[0].ids
    assert row.continuation == "sat"


def test_a_model_without_a_chat_template_says_so(gpt2):
    with pytest.raises(UnsupportedRequestError, match="no chat template"):
        read_one(gpt2, "cat", "sat", chat_template=True)


def test_the_start_token_is_the_one_asked_for(llama):
    tokenizer, info = llama.tokenizer, llama.info

    found = [
        start_token_id(policy, tokenizer, info)
        for policy in ("default", "bos", "eos-as-bos", "skip-first")
    ]

    assert found == [0, 0, 1, None]


def test_a_start_token_that_does_not_exist_is_refused():
    with pytest.raises(UnknownTokenError, match="eos-as-bos"):
        start_token_id("eos-as-bos", FAKE.tokenizer, FAKE.info)


def test_a_result_counts_tokens_characters_and_bytes(llama):
    row = read_one(llama, "Die Katze", " saß")
    n = len(row.offsets)

    result = row.result([-0.5] * n)

    assert (result.sum, result.n_scored) == (-0.5 * n, n)
    assert (result.n_characters, result.n_bytes) == (4, 5)
    assert result.token_ids == list(row.row.ids[row.row.n_given :])
