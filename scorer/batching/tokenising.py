"""From contexts and continuations to rows of tokens, and from scored rows to results.

The text is split once, as a whole; a token belongs to the continuation if it ends beyond the
context. Counting the tokens of the context alone would be wrong where a token spans the join.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from scorer.backend import SourceTargetTokenizer, TokenisedText, Tokenizer, TokenRow
from scorer.batching.cutting import cut_text
from scorer.batching.masked_rows import read_masked_request
from scorer.batching.pairs import read_pair_items
from scorer.batching.scoring_row import ScoringRow, check_length, failed
from scorer.batching.start_token import TOKENIZER_POLICY, start_token_id
from scorer.errors import ItemError, NothingToScoreError, UnknownTokenError
from scorer.schemas import (
    Capabilities,
    ChatMessage,
    FailedItem,
    LogProbItem,
    LogProbRequest,
    Truncation,
)


@dataclass(frozen=True, slots=True)
class _Text:
    """A continuation after its context, as characters."""

    text: str
    boundary: int
    has_start: bool
    """Whether the start token stands before it; a chat template brings its own."""


def read_log_prob_request(
    request: LogProbRequest, tokenizer: Tokenizer, info: Capabilities
) -> list[ScoringRow | FailedItem]:
    """Return one row a continuation, item by item; what cannot be scored is refused alone.

    Raises:
        UnknownTokenError: The tokenizer lacks the start token that the policy asks for.
        UnsupportedRequestError: The model has no chat template.
    """
    if isinstance(tokenizer, SourceTargetTokenizer):
        return read_pair_items(request.items, tokenizer, info, request.truncation)
    if info.bos_policy == TOKENIZER_POLICY:
        return read_masked_request(request, tokenizer, info)
    start = start_token_id(request.bos_policy, tokenizer, info)
    texts: list[_Text] = []
    for item in request.items:
        texts += _texts(item, tokenizer, is_chat=request.chat_template)
    tokenised = iter(tokenizer.encode([text.text for text in texts]))
    splits = iter(texts)
    rows: list[ScoringRow | FailedItem] = []
    for item in request.items:
        for _ in range(_n_continuations(item)):
            split = (next(splits), next(tokenised))
            rows.append(_read(item, split, (tokenizer, info, start), request.truncation))
    return rows


def _n_continuations(item: LogProbItem) -> int:
    return len(item.continuations) if item.continuations is not None else 1


def _texts(item: LogProbItem, tokenizer: Tokenizer, *, is_chat: bool) -> list[_Text]:
    if is_chat:
        context = tokenizer.render_chat([ChatMessage(role="user", content=item.context)])
        boundary = len(context)
    else:
        context = item.context
        boundary = len(context.rstrip(" "))
    if item.token_ids is not None:
        return [_Text(context, len(context), not is_chat)]
    continuations = item.continuations or [item.continuation or ""]
    return [_Text(context + text, boundary, not is_chat) for text in continuations]


def _read(
    item: LogProbItem,
    split: tuple[_Text, TokenisedText],
    model: tuple[Tokenizer, Capabilities, int | None],
    truncation: Truncation | None,
) -> ScoringRow | FailedItem:
    (text, tokens), (tokenizer, info, start) = split, model
    prefix = () if start is None or not text.has_start else (start,)
    try:
        if item.token_ids is not None:
            row = _from_ids(tokens.ids, item.token_ids, prefix, (text, tokenizer, info))
        else:
            row = _from_text(text, tokens, prefix, truncation)
        check_length(len(row.row.ids), info)
    except ItemError as error:
        return failed(error)
    return row


def _from_text(
    text: _Text, whole: TokenisedText, prefix: tuple[int, ...], truncation: Truncation | None
) -> ScoringRow:
    tokens = cut_text(whole, len(prefix), truncation)
    n_context = next(
        (at for at, (_, end) in enumerate(tokens.offsets) if end > text.boundary), len(tokens.ids)
    )
    n_given = max(1, len(prefix) + n_context)
    row = TokenRow(prefix + tokens.ids, n_given)
    if len(row.ids) <= n_given:
        if len(tokens.ids) < len(whole.ids):
            raise NothingToScoreError(
                f"the continuation is cut away: {len(prefix + whole.ids)} tokens, cut to"
                f" {len(row.ids)}"
            )
        raise NothingToScoreError(_nothing(len(tokens.ids) - n_context))
    offsets = tokens.offsets[n_given - len(prefix) :]
    return ScoringRow(
        row=row,
        offsets=offsets,
        continuation=_scored_text(text, offsets, is_whole=tokens == whole),
        is_straddling=offsets[0][0] < text.boundary,
    )


def _scored_text(text: _Text, offsets: Sequence[tuple[int, int]], *, is_whole: bool) -> str:
    """Return the continuation, or what a cut left of it."""
    if is_whole:
        return text.text[text.boundary :]
    return text.text[max(text.boundary, offsets[0][0]) : offsets[-1][1]]


def _from_ids(
    context: tuple[int, ...],
    token_ids: Sequence[int],
    prefix: tuple[int, ...],
    model: tuple[_Text, Tokenizer, Capabilities],
) -> ScoringRow:
    text, tokenizer, info = model
    wrong = next((at for at in token_ids if not 0 <= at < info.vocabulary_size), None)
    if wrong is not None:
        raise UnknownTokenError(
            f"token id {wrong}; the vocabulary of {info.model} has 0 to {info.vocabulary_size - 1}"
        )
    given = prefix + context
    row = TokenRow(given + tuple(token_ids), max(1, len(given)))
    if len(row.ids) <= row.n_given:
        raise NothingToScoreError(_nothing(len(token_ids)))
    ends = [len(tokenizer.decode(token_ids[:n])) for n in range(len(token_ids) + 1)]
    spans = [
        (text.boundary + begin, text.boundary + max(begin, end))
        for begin, end in itertools.pairwise(ends)
    ]
    return ScoringRow(
        row=row,
        offsets=tuple(spans[len(spans) - (len(row.ids) - row.n_given) :]),
        continuation=tokenizer.decode(token_ids),
        is_straddling=False,
    )


def _nothing(n_tokens: int) -> str:
    if n_tokens == 0:
        return "an empty continuation has nothing to score"
    return "one token and no start token before it: a first token has no probability"
