"""Questions as OpenAI's API asks them become rows, and rows its answers."""

import itertools
import time
import uuid
from collections.abc import Sequence
from typing import Literal

import numpy as np

from scorer.backend import (
    GeneratedTokens,
    GenerationSettings,
    LogProbs,
    Tokenizer,
    TokenRow,
    TopTokens,
)
from scorer.batching.prompts import prompt_rows
from scorer.batching.scoring_row import check_length
from scorer.errors import NothingToScoreError, UnknownTokenError
from scorer.schemas import ChatMessage
from services.scorer.engine import Engine
from services.scorer.openai_schemas import (
    ChatAnswer,
    ChatChoice,
    ChatQuestion,
    ChatScores,
    CompletionAnswer,
    CompletionChoice,
    CompletionQuestion,
    Reply,
    TokenScore,
    TokenScores,
    Usage,
)

Reason = Literal["stop", "length"]


async def complete(engine: Engine, question: CompletionQuestion) -> CompletionAnswer:
    """Continue prompts as they are, with the special tokens of the tokenizer."""
    rows = _rows(engine, question.prompts())
    for row in rows:
        check_length(len(row.ids), engine.info, question.max_tokens)
    if question.max_tokens:
        settings = _settings(question, question.max_tokens)
        new = await engine.continue_rows(rows, settings)
    else:
        new = [GeneratedTokens((), is_finished=False)] * len(rows)
    choices = []
    for at, (row, tokens) in enumerate(zip(rows, new, strict=True)):
        text, reason = _cut(engine.tokenizer, tokens, question.stops())
        prompt = engine.tokenizer.decode(row.ids) if question.echo else ""
        choices.append(CompletionChoice(index=at, text=prompt + text, finish_reason=reason))
    if question.logprobs is not None:
        await _add_scores(engine, question, rows, new, choices)
    return CompletionAnswer(
        id=f"cmpl-{uuid.uuid4().hex}",
        created=int(time.time()),
        model=engine.info.model,
        choices=choices,
        usage=_usage(rows, new),
    )


async def chat(engine: Engine, question: ChatQuestion) -> ChatAnswer:
    """Answer a chat in the model's own template."""
    turns = [
        ChatMessage(role="system" if turn.role == "developer" else turn.role, content=turn.text())
        for turn in question.messages
    ]
    rendered = engine.tokenizer.encode([engine.tokenizer.render_chat(turns)])[0]
    rows = [TokenRow(rendered.ids)]
    check_length(len(rendered.ids), engine.info, question.limit())
    new = await engine.continue_rows(rows, _settings(question, question.limit()))
    text, reason = _cut(engine.tokenizer, new[0], question.stops())
    scores = None
    if question.logprobs and new[0].ids:
        whole = [TokenRow(rows[0].ids + new[0].ids, len(rows[0].ids))]
        values = await engine.score_rows(whole)
        tops = await engine.top_tokens(whole, question.top_logprobs)
        scores = _chat_scores(engine.tokenizer, new[0].ids, values[0], tops[0])
    return ChatAnswer(
        id=f"chatcmpl-{uuid.uuid4().hex}",
        created=int(time.time()),
        model=engine.info.model,
        choices=[ChatChoice(message=Reply(content=text), finish_reason=reason, logprobs=scores)],
        usage=_usage(rows, new),
    )


def _rows(engine: Engine, prompts: Sequence[str | list[int]]) -> list[TokenRow]:
    texts = iter(prompt_rows([p for p in prompts if isinstance(p, str)], engine.tokenizer))
    rows = [TokenRow(next(texts) if isinstance(p, str) else tuple(p)) for p in prompts]
    for token in itertools.chain.from_iterable(row.ids for row in rows):
        if not 0 <= token < engine.info.vocabulary_size:
            raise UnknownTokenError(
                f"token id {token}; the vocabulary has 0 to {engine.info.vocabulary_size - 1}"
            )
    if any(not row.ids for row in rows):
        raise NothingToScoreError("an empty prompt has nothing to continue")
    return rows


def _settings(question: CompletionQuestion | ChatQuestion, limit: int) -> GenerationSettings:
    return GenerationSettings(
        max_new_tokens=limit,
        temperature=question.temperature,
        top_p=question.top_p,
        seed=question.seed or 0,
    )


def _cut(tokenizer: Tokenizer, tokens: GeneratedTokens, stops: Sequence[str]) -> tuple[str, Reason]:
    text = tokenizer.decode(tokens.ids)
    ends = [text.find(stop) for stop in stops if stop and stop in text]
    if ends:
        return text[: min(ends)], "stop"
    return text, "stop" if tokens.is_finished else "length"


def _usage(rows: Sequence[TokenRow], new: Sequence[GeneratedTokens]) -> Usage:
    n_read = sum(len(row.ids) for row in rows)
    n_written = sum(len(tokens.ids) for tokens in new)
    return Usage(prompt_tokens=n_read, completion_tokens=n_written, total_tokens=n_read + n_written)


async def _add_scores(
    engine: Engine,
    question: CompletionQuestion,
    rows: Sequence[TokenRow],
    new: Sequence[GeneratedTokens],
    choices: Sequence[CompletionChoice],
) -> None:
    """Score the prompt where it is echoed, and the new tokens."""
    whole = [
        TokenRow(row.ids + tokens.ids, 1 if question.echo else len(row.ids))
        for row, tokens in zip(rows, new, strict=True)
    ]
    n_top = question.logprobs or 0
    scored = [row for row in whole if len(row.ids) > row.n_given]
    values = iter(await engine.score_rows(scored))
    likely = await engine.top_tokens(scored, n_top) if n_top else [[] for _ in scored]
    tops = iter(likely)
    for row, choice in zip(whole, choices, strict=True):
        found: tuple[LogProbs, list[TopTokens]] = (np.zeros(0), [])
        if len(row.ids) > row.n_given:
            found = (next(values), next(tops))
        choice.logprobs = _completion_scores(engine.tokenizer, row, found, echo=question.echo)


def _completion_scores(
    tokenizer: Tokenizer,
    row: TokenRow,
    found: tuple[LogProbs, Sequence[TopTokens]],
    *,
    echo: bool,
) -> TokenScores:
    """Return one entry a token; an echoed first token has none."""
    values, tops = found
    first = 0 if echo else row.n_given
    tokens = _token_texts(tokenizer, row.ids)[first:]
    unscored = [None] * (row.n_given - first)
    likely: list[dict[str, float] | None] = [
        {tokenizer.raw_text([token]): value for token, value in top} for top in tops
    ]
    ends = list(itertools.accumulate((len(token) for token in tokens), initial=0))
    return TokenScores(
        tokens=tokens,
        token_logprobs=[*unscored, *map(float, values)],
        top_logprobs=[*unscored, *(likely or [None] * len(values))],
        text_offset=ends[:-1],
    )


def _token_texts(tokenizer: Tokenizer, ids: Sequence[int]) -> list[str]:
    """Return each token as it stands after the one before it: alone it may lose its space."""
    texts = [tokenizer.raw_text(ids[:1])]
    for before, token in itertools.pairwise(ids):
        texts.append(tokenizer.raw_text([before, token]).removeprefix(tokenizer.raw_text([before])))
    return texts


def _chat_scores(
    tokenizer: Tokenizer, ids: Sequence[int], values: LogProbs, tops: Sequence[TopTokens]
) -> ChatScores:
    return ChatScores(
        content=[
            TokenScore(
                **_score(tokenizer, token, float(value)),
                top_logprobs=[
                    TokenScore(**_score(tokenizer, other, likely)) for other, likely in top
                ],
            )
            for token, value, top in zip(ids, values, tops, strict=True)
        ]
    )


def _score(tokenizer: Tokenizer, token: int, value: float) -> dict[str, str | float | list[int]]:
    text = tokenizer.raw_text([token])
    return {"token": text, "logprob": value, "bytes": list(text.encode())}
