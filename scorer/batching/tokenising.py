"""From contexts and continuations to rows of tokens, and from scored rows to results.

The text is split once, as a whole; a token belongs to the continuation if it ends beyond the
context. Counting the tokens of the context alone would be wrong where a token spans the join.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from scorer.backend import LogProbs, TokenisedText, Tokenizer, TokenRow
from scorer.batching.start_token import start_token_id
from scorer.errors import ItemError, NothingToScoreError, TextTooLongError, UnknownTokenError
from scorer.schemas import (
    Capabilities,
    ChatMessage,
    FailedItem,
    LogProbItem,
    LogProbRequest,
    LogProbResult,
)


@dataclass(frozen=True, slots=True)
class ScoringRow:
    """A row, and what its result needs beside the log-probabilities."""

    row: TokenRow
    offsets: tuple[tuple[int, int], ...]
    """Of the scored tokens."""
    continuation: str
    is_straddling: bool
    has_eos: bool = False
    """Whether the last scored token is the end of the target, which is reported apart."""

    def result(self, log_probs: LogProbs) -> LogProbResult:
        """Put the log-probabilities of the scored tokens into a result."""
        values = [float(value) for value in log_probs]
        eos_log_prob = values.pop() if self.has_eos else None
        ids = self.row.ids[self.row.n_given :]
        return LogProbResult(
            sum=sum(values),
            log_probs=values,
            token_ids=list(ids[: len(values)]),
            offsets=list(self.offsets),
            n_scored=len(values),
            n_characters=len(self.continuation),
            n_bytes=len(self.continuation.encode()),
            is_straddling=self.is_straddling,
            eos_log_prob=eos_log_prob,
        )


@dataclass(frozen=True, slots=True)
class _Text:
    """A continuation after its context, as characters."""

    text: str
    boundary: int
    has_start: bool
    """Whether the start token stands before it; a chat template brings its own."""


def failed(error: ItemError) -> FailedItem:
    """Return what stands in the place of an item that cannot be answered."""
    return FailedItem(error=type(error).__name__, detail=str(error))


def read_log_prob_request(
    request: LogProbRequest, tokenizer: Tokenizer, info: Capabilities
) -> list[ScoringRow | FailedItem]:
    """Return one row a continuation, item by item; what cannot be scored is refused alone.

    Raises:
        UnknownTokenError: The tokenizer lacks the start token that the policy asks for.
        UnsupportedRequestError: The model has no chat template.
    """
    start = start_token_id(request.bos_policy, tokenizer, info)
    texts: list[_Text] = []
    for item in request.items:
        texts += _texts(item, tokenizer, is_chat=request.chat_template)
    tokenised = iter(tokenizer.encode([text.text for text in texts]))
    splits = iter(texts)
    rows: list[ScoringRow | FailedItem] = []
    for item in request.items:
        for _ in range(_n_continuations(item)):
            rows.append(_read(item, next(splits), next(tokenised), (tokenizer, info, start)))
    return rows


def check_length(n_tokens: int, info: Capabilities, n_new: int = 0) -> None:
    """Refuse what does not fit into the model's context window.

    Raises:
        TextTooLongError: It does not fit.
    """
    if n_tokens + n_new > info.context_window:
        new = f" and {n_new} new ones" if n_new else ""
        raise TextTooLongError(
            f"{n_tokens} tokens{new}; the context window of {info.model} is {info.context_window}"
        )


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
    text: _Text,
    tokens: TokenisedText,
    model: tuple[Tokenizer, Capabilities, int | None],
) -> ScoringRow | FailedItem:
    tokenizer, info, start = model
    prefix = () if start is None or not text.has_start else (start,)
    try:
        if item.token_ids is not None:
            row = _from_ids(tokens.ids, item.token_ids, prefix, (text, tokenizer, info))
        else:
            row = _from_text(text, tokens, prefix)
        check_length(len(row.row.ids), info)
    except ItemError as error:
        return failed(error)
    return row


def _from_text(text: _Text, tokens: TokenisedText, prefix: tuple[int, ...]) -> ScoringRow:
    n_context = next(
        (at for at, (_, end) in enumerate(tokens.offsets) if end > text.boundary), len(tokens.ids)
    )
    n_given = max(1, len(prefix) + n_context)
    row = TokenRow(prefix + tokens.ids, n_given)
    if len(row.ids) <= n_given:
        raise NothingToScoreError(_nothing(len(tokens.ids) - n_context))
    offsets = tokens.offsets[n_given - len(prefix) :]
    return ScoringRow(
        row=row,
        offsets=offsets,
        continuation=text.text[text.boundary :],
        is_straddling=offsets[0][0] < text.boundary,
    )


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
