"""Rows of an encoder-decoder: its encoder reads the context, its decoder is scored on the rest.

The special tokens that open a target (start, language code) are given; the one that ends it is
scored and reported apart.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from scorer.backend import SourceTargetTokenizer, TargetTokens, TokenRow
from scorer.batching.cutting import cut_row
from scorer.batching.scoring_row import ScoringRow, check_length, failed
from scorer.errors import ItemError, NothingToScoreError
from scorer.schemas import Capabilities, FailedItem, LogProbItem, Truncation

Row = TypeVar("Row")


def read_pair_items(
    items: Sequence[LogProbItem],
    tokenizer: SourceTargetTokenizer,
    info: Capabilities,
    truncation: Truncation | None = None,
) -> list[ScoringRow | FailedItem]:
    """Return one row a continuation; what cannot be scored is refused alone."""
    rows: list[ScoringRow | FailedItem] = []
    for item in items:
        n = len(item.continuations or "1")
        rows += _alone(partial(_read_item, item, tokenizer, info, truncation), n)
    return rows


def read_sources(
    texts: Sequence[str],
    languages: tuple[str | None, str | None],
    tokenizer: SourceTargetTokenizer,
    info: Capabilities,
    truncation: Truncation | None = None,
) -> list[TokenRow | FailedItem]:
    """Return one row a text to be translated: its source, and how the target begins."""

    def read(text: str) -> list[TokenRow]:
        source = tokenizer.encode_sources([text], *languages)[0]
        source = cut_row(source, tokenizer.is_special(source), truncation)
        check_length(len(source), info)
        return [TokenRow(tokenizer.forced_prefix(languages[1]), source_ids=source)]

    return [row for text in texts for row in _alone(partial(read, text), 1)]


def _read_item(
    item: LogProbItem,
    tokenizer: SourceTargetTokenizer,
    info: Capabilities,
    truncation: Truncation | None,
) -> list[ScoringRow | FailedItem]:
    languages = (item.source_language, item.target_language)
    source = tokenizer.encode_sources([item.context], *languages)[0]
    source = cut_row(source, tokenizer.is_special(source), truncation)
    check_length(len(source), info)
    if item.token_ids is not None:
        prefix = tokenizer.encode_targets(["a"], item.target_language)[0].prefix
        ids = tuple(item.token_ids)
        text = tokenizer.decode(ids)
        return [*_row(source, TargetTokens(prefix, ids, ()), text, (tokenizer, info))]
    texts = [text.strip(" ") for text in item.continuations or [item.continuation or ""]]
    targets = tokenizer.encode_targets(texts, item.target_language)
    return [
        row
        for text, target in zip(texts, targets, strict=True)
        for row in _alone(partial(_row, source, target, text, (tokenizer, info)), 1)
    ]


def _row(
    source: tuple[int, ...],
    target: TargetTokens,
    text: str,
    model: tuple[SourceTargetTokenizer, Capabilities],
) -> list[ScoringRow]:
    tokenizer, info = model
    if not target.text:
        raise NothingToScoreError("an empty continuation has nothing to score")
    ids = target.prefix + target.text + target.end
    check_length(len(ids), info)
    scored = ScoringRow(
        row=TokenRow(ids, len(target.prefix), source),
        offsets=tokenizer.spans(target.text),
        continuation=text,
        is_straddling=False,
        has_eos=bool(target.end),
    )
    return [scored]


def _alone(read: Callable[[], list[Row]], n_rows: int) -> list[Row | FailedItem]:
    """Return rows, or as many failures."""
    try:
        return [*read()]
    except ItemError as error:
        return [failed(error)] * n_rows
