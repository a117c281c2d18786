"""Requests become rows, wait for the model together, and become answers."""

import asyncio
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

from scorer.backend import (
    Backend,
    GeneratedTokens,
    GenerationSettings,
    LogProbs,
    States,
    Tokenizer,
    TokenRow,
    TopTokens,
)
from scorer.batching.model_thread import Ask, ModelThread
from scorer.batching.prompts import read_generate_request, read_hidden_states_request
from scorer.batching.scoring_row import ScoringRow
from scorer.batching.tokenising import read_log_prob_request
from scorer.errors import ERROR_BY_NAME, TooManyItemsError, UnsupportedRequestError
from scorer.layers import resolve_layers
from scorer.schemas import (
    Capabilities,
    FailedItem,
    GenerateRequest,
    GenerateResponse,
    GenerateResult,
    HiddenStatesRequest,
    Kind,
    LogProbRequest,
    LogProbResponse,
    SimilarityRequest,
    SimilarityResponse,
    SimilarityResult,
)
from services.scorer.states import StatesAnswer
from services.scorer.vectors import compare, texts_of

Row = TypeVar("Row")
Answer = TypeVar("Answer")
FLOAT32_BYTES = 4


class Engine:
    """Answers every kind of question; the model's thread does the work."""

    def __init__(self, model_thread: ModelThread, *, max_items: int, max_answer_bytes: int) -> None:
        self.model_thread = model_thread
        self._max_items = max_items
        self._max_answer_bytes = max_answer_bytes

    @property
    def info(self) -> Capabilities:
        """What is loaded.

        Raises:
            ModelLoadingError: Nothing yet.
        """
        return self.model_thread.backend.info

    @property
    def tokenizer(self) -> Tokenizer:
        """The loaded model's tokenizer."""
        return self.model_thread.backend.tokenizer

    async def log_probs(self, request: LogProbRequest) -> LogProbResponse:
        """Score every continuation of every item."""
        self._require("log_prob")
        self._limit(sum(len(item.continuations or "1") for item in request.items))
        rows = await asyncio.to_thread(read_log_prob_request, request, self.tokenizer, self.info)
        found = await self.score_rows([row.row for row in rows if isinstance(row, ScoringRow)])
        results = _put_together(rows, found, ScoringRow.result)
        return LogProbResponse(model=self.info.model, results=_unless_all_failed(results))

    async def generate(self, request: GenerateRequest) -> GenerateResponse:
        """Continue every item."""
        self._require("generate")
        self._limit(len(request.items))
        settings = GenerationSettings(
            max_new_tokens=request.max_new_tokens,
            temperature=request.temperature,
            top_p=request.top_p,
            seed=request.seed or 0,
            no_repeat_ngram_size=request.no_repeat_ngram_size,
            n_beams=request.n_beams,
        )
        rows = await asyncio.to_thread(read_generate_request, request, self.tokenizer, self.info)

        def finish(_row: TokenRow, new: GeneratedTokens) -> GenerateResult:
            text = self.tokenizer.decode(new.ids)
            return GenerateResult(text=text, is_finished=new.is_finished, n_tokens=len(new.ids))

        good = [row for row in rows if isinstance(row, TokenRow)]
        results = _put_together(rows, await self.continue_rows(good, settings), finish)
        return GenerateResponse(model=self.info.model, results=_unless_all_failed(results))

    async def hidden_states(self, request: HiddenStatesRequest) -> StatesAnswer:
        """Return the states of every text."""
        self._require("hidden_states")
        self._limit(len(request.texts))
        layers = resolve_layers(request.layers, self.info)
        texts = await asyncio.to_thread(
            read_hidden_states_request, request, self.tokenizer, self.info
        )
        rows = [text if isinstance(text, FailedItem) else text.row for text in texts]
        self._limit_answer(rows, len(layers), is_pooled=request.pooling != "none")

        def ask(backend: Backend, asked: Sequence[TokenRow]) -> Sequence[States]:
            return backend.hidden_states(asked, layers, request.pooling)

        good = [row for row in rows if isinstance(row, TokenRow)]
        found = await self._ask((layers, request.pooling), ask, good)
        states = _put_together(rows, found, lambda _row, value: value)
        return StatesAnswer(
            model=self.info.model,
            layers=layers,
            pooling=request.pooling,
            states=_unless_all_failed(states),
            is_special=[
                [] if isinstance(row, FailedItem) else self.tokenizer.is_special(row.ids)
                for row in rows
            ],
            offsets=[[] if isinstance(text, FailedItem) else text.offsets for text in texts],
        )

    async def score_rows(self, rows: Sequence[TokenRow]) -> list[LogProbs]:
        """Score rows of tokens as they are."""
        self._require("log_prob")

        def ask(backend: Backend, asked: Sequence[TokenRow]) -> Sequence[LogProbs]:
            return backend.log_probs(asked)

        return await self._ask("log_probs", ask, rows)

    async def top_tokens(self, rows: Sequence[TokenRow], n_top: int) -> list[list[TopTokens]]:
        """Return the likeliest tokens in the place of each scored one."""
        self._require("log_prob")

        def ask(backend: Backend, asked: Sequence[TokenRow]) -> Sequence[list[TopTokens]]:
            return backend.top_tokens(asked, n_top)

        return await self._ask(("top", n_top), ask, rows)

    async def continue_rows(
        self, rows: Sequence[TokenRow], settings: GenerationSettings
    ) -> list[GeneratedTokens]:
        """Continue rows of tokens as they are."""
        self._require("generate")

        def ask(backend: Backend, asked: Sequence[TokenRow]) -> Sequence[GeneratedTokens]:
            return backend.generate(asked, settings)

        return await self._ask(settings, ask, rows)

    async def similarities(self, request: SimilarityRequest) -> SimilarityResponse:
        """Compare every pair; a text that stands in several pairs is read once."""
        self._require("similarity")
        texts = texts_of(request)
        states = await self.hidden_states(
            HiddenStatesRequest(
                texts=texts,
                layers=[request.layer],
                pooling="none" if request.measure == "bertscore" else request.pooling,
            )
        )
        by_text = {
            text: (found, special)
            for text, found, special in zip(texts, states.states, states.is_special, strict=True)
        }
        results: list[SimilarityResult | FailedItem] = [
            compare(by_text[pair.text_a], by_text[pair.text_b], request.measure)
            for pair in request.pairs
        ]
        return SimilarityResponse(model=self.info.model, results=_unless_all_failed(results))

    def _require(self, kind: Kind) -> None:
        if kind not in self.info.kinds:
            why = f" ({self.info.refusals[kind]})" if kind in self.info.refusals else ""
            raise UnsupportedRequestError(
                f"{self.info.model} ({self.info.architecture}) cannot answer {kind}{why};"
                f" it answers {', '.join(self.info.kinds)}"
            )

    def _limit(self, n_items: int) -> None:
        if n_items > self._max_items:
            raise TooManyItemsError(f"{n_items} items in one call, limit {self._max_items}")

    def _limit_answer(
        self, rows: Sequence[TokenRow | FailedItem], n_layers: int, *, is_pooled: bool
    ) -> None:
        n_rows = sum(1 if is_pooled else len(row.ids) for row in rows if isinstance(row, TokenRow))
        n_bytes = n_rows * n_layers * self.info.width * FLOAT32_BYTES
        if n_bytes > self._max_answer_bytes:
            raise TooManyItemsError(
                f"the answer would have {n_bytes} bytes, limit {self._max_answer_bytes};"
                " ask for fewer texts or layers"
            )

    async def _ask(self, key: Hashable, ask: Ask, rows: Sequence[TokenRow]) -> list[Any]:
        """Return one answer a row."""
        if not rows:
            return []
        return list(await asyncio.wrap_future(self.model_thread.submit(key, ask, rows)))


def _put_together(
    rows: Sequence[Row | FailedItem], found: Sequence[Any], finish: Callable[[Row, Any], Answer]
) -> list[Answer | FailedItem]:
    """Return the answers in the order of the rows, with failures in their places."""
    answers = iter(found)
    return [row if isinstance(row, FailedItem) else finish(row, next(answers)) for row in rows]


def _unless_all_failed(results: list[Answer | FailedItem]) -> list[Answer | FailedItem]:
    """Return results of which one at least is an answer.

    Raises:
        ScorerError: All of them failed; the first one's error.
    """
    first = results[0]
    if isinstance(first, FailedItem) and all(isinstance(item, FailedItem) for item in results):
        raise ERROR_BY_NAME[first.error](first.detail)
    return results
