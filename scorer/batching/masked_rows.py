"""Rows of a masked language model: a text between the special tokens of its tokenizer.

Each scored token is hidden in turn while all others, before and after it, are read.
"""

import itertools

from scorer.backend import TokenisedText, Tokenizer, TokenRow
from scorer.batching.cutting import cut_text
from scorer.batching.scoring_row import ScoringRow, check_length, failed
from scorer.errors import ItemError, NothingToScoreError, UnknownTokenError
from scorer.schemas import (
    Capabilities,
    ChatMessage,
    FailedItem,
    LogProbItem,
    LogProbRequest,
    Truncation,
)


def read_masked_request(
    request: LogProbRequest, tokenizer: Tokenizer, info: Capabilities
) -> list[ScoringRow | FailedItem]:
    """Return one row a continuation, item by item; what cannot be scored is refused alone.

    Raises:
        UnsupportedRequestError: The model has no chat template.
    """
    rows: list[ScoringRow | FailedItem] = []
    for item in request.items:
        context = item.context
        if request.chat_template:
            context = tokenizer.render_chat([ChatMessage(role="user", content=context)])
        for continuation in item.continuations or [item.continuation or ""]:
            try:
                if item.token_ids is not None:
                    row = _from_ids(context, item, tokenizer, info)
                else:
                    row = _from_text(context, continuation, tokenizer, request.truncation)
                check_length(len(row.row.ids), info)
            except ItemError as error:
                rows.append(failed(error))
            else:
                rows.append(row)
    return rows


def _from_text(
    context: str, continuation: str, tokenizer: Tokenizer, truncation: Truncation | None
) -> ScoringRow:
    boundary = len(context.rstrip(" "))
    text = context + continuation
    first, inner, last = _parts(tokenizer.encode_whole([text])[0], tokenizer)
    kept = cut_text(inner, len(first) + len(last), truncation)
    n_context = next(
        (at for at, (_, end) in enumerate(kept.offsets) if end > boundary), len(kept.ids)
    )
    offsets = kept.offsets[n_context:]
    if not offsets:
        is_cut = len(kept.ids) < len(inner.ids)
        raise NothingToScoreError(
            "the continuation is cut away"
            if is_cut
            else "an empty continuation has nothing to score"
        )
    end = len(text) if kept == inner else offsets[-1][1]
    return ScoringRow(
        row=TokenRow(first + kept.ids + last, len(first) + n_context, n_end=len(last)),
        offsets=offsets,
        continuation=text[boundary if kept == inner else max(boundary, offsets[0][0]) : end],
        is_straddling=offsets[0][0] < boundary,
    )


def _from_ids(
    context: str, item: LogProbItem, tokenizer: Tokenizer, info: Capabilities
) -> ScoringRow:
    ids = tuple(item.token_ids or ())
    wrong = next((at for at in ids if not 0 <= at < info.vocabulary_size), None)
    if wrong is not None:
        raise UnknownTokenError(
            f"token id {wrong}; the vocabulary of {info.model} has 0 to {info.vocabulary_size - 1}"
        )
    first, inner, last = _parts(tokenizer.encode_whole([context])[0], tokenizer)
    ends = [len(context) + len(tokenizer.decode(ids[:n])) for n in range(len(ids) + 1)]
    given = first + inner.ids
    return ScoringRow(
        row=TokenRow(given + ids + last, len(given), n_end=len(last)),
        offsets=tuple((begin, max(begin, end)) for begin, end in itertools.pairwise(ends)),
        continuation=tokenizer.decode(ids),
        is_straddling=False,
    )


def _parts(
    whole: TokenisedText, tokenizer: Tokenizer
) -> tuple[tuple[int, ...], TokenisedText, tuple[int, ...]]:
    """Split a text's tokens into the special ones before it, its own, and those behind it."""
    flags = tokenizer.is_special(whole.ids)
    first = next((at for at, flag in enumerate(flags) if not flag), len(flags))
    if first == len(flags):
        # No text: what ends it is what follows the token that begins it.
        first = min(1, len(flags))
    last = next((at for at in range(len(flags), first, -1) if not flags[at - 1]), first)
    inner = TokenisedText(whole.ids[first:last], whole.offsets[first:last])
    return whole.ids[:first], inner, whole.ids[last:]
