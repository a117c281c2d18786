"""A causal language model on vLLM, whose engine runs in processes of its own.

Prompts are token ids. A row's last token is not sent: it is asked for as one of the labels that may
follow the rest, so rows that differ only there are one prompt, as A, B and C of one question are.
"""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

from scorer.backend import (
    GeneratedTokens,
    GenerationSettings,
    LogProbs,
    States,
    TokenRow,
    TopTokens,
)
from scorer.backends.generation import cut_at_end
from scorer.backends.tokenizer import HuggingFaceTokenizer
from scorer.backends.vllm_prompts import Prompt, plan_prompts, read_log_probs, seed_of
from scorer.batching.batches import run_batch
from scorer.errors import (
    BackendError,
    EngineClosedError,
    UnknownTokenError,
    UnsupportedRequestError,
)
from scorer.schemas import Capabilities, Pooling

NO_STATES = (
    "vLLM gives hidden states on GPUs only, before the final norm and for layers that are fixed"
    " when it starts; the torch backend serves them"
)


class EngineProcess(Protocol):
    """What is asked of vLLM's `AsyncLLM`."""

    def generate(
        self,
        prompt: Any,  # noqa: ANN401  # vLLM's types are not at hand without it
        sampling_params: Any,  # noqa: ANN401
        request_id: str,
    ) -> AsyncIterator[Any]:
        """Yield what came of a prompt so far."""
        ...

    def shutdown(self) -> None:
        """End the processes."""
        ...


@dataclass(frozen=True)
class Engine:
    """vLLM as far as it is used here; a fake one has the same parts."""

    open: Callable[[], EngineProcess]
    """Starts the processes; blocks while weights load."""
    sampling_params: Callable[..., Any]
    failures: tuple[type[Exception], ...]
    """What it may raise."""
    told: Callable[[Exception], Exception]
    """Turns a failure into an error of ours."""
    takes_labels: bool
    """Whether its version gives log-probabilities of chosen tokens."""


class VllmBackend:
    """Answers log-probabilities and texts; an engine that has died is started anew when asked."""

    def __init__(
        self,
        info: Capabilities,
        tokenizer: HuggingFaceTokenizer,
        engine: Engine,
        generation: dict[str, Any],
    ) -> None:
        """Start the engine.

        Args:
            info: What is told of the model.
            tokenizer: The weights' own.
            engine: How to start and ask it.
            generation: `stop_token_ids` and what else the makers of the model set for greedy texts.
        """
        self.info = info
        self.tokenizer = tokenizer
        self._engine = engine
        self._generation = generation
        self._numbers = itertools.count()
        self._loop = asyncio.Runner()
        self._process: EngineProcess | None = engine.open()

    def log_probs(self, rows: Sequence[TokenRow]) -> list[LogProbs]:
        """Score the tokens of each row that are not given; what was cached is not read."""
        found: dict[TokenRow, LogProbs] = {}

        def run(prompts: Sequence[Prompt]) -> None:
            outputs = self._ask([(prompt.ids, self._scoring(prompt)) for prompt in prompts])
            for prompt, output in zip(prompts, outputs, strict=True):
                found.update(read_log_probs(prompt, output))

        self._check(rows)
        if prompts := plan_prompts(rows, takes_labels=self._engine.takes_labels):
            run_batch(prompts, run)
        return [found[row] for row in rows]

    def top_tokens(self, rows: Sequence[TokenRow], n_top: int) -> list[list[TopTokens]]:
        """Return the likeliest tokens in the place of each scored one."""
        self._check(rows)
        settings = self._bare(max_tokens=1, prompt_logprobs=n_top, logprobs=n_top)
        outputs = self._ask([(row.ids[:-1], settings) for row in rows])
        found = []
        for row, output in zip(rows, outputs, strict=True):
            places = [*output.prompt_logprobs, *output.outputs[0].logprobs][row.n_given :]
            found.append([_likeliest(place, n_top) for place in places])
        return found

    def generate(
        self, rows: Sequence[TokenRow], settings: GenerationSettings
    ) -> list[GeneratedTokens]:
        """Continue each row; equal rows are continued once.

        Raises:
            UnsupportedRequestError: It asks for beams or for a limit on repeated n-grams.
        """
        if settings.n_beams > 1 or settings.no_repeat_ngram_size:
            raise UnsupportedRequestError(
                "the vLLM backend has neither n_beams nor no_repeat_ngram_size; the torch backend"
                " has both"
            )
        self._check(rows)
        distinct = list(dict.fromkeys(row.ids for row in rows))
        outputs = self._ask([(ids, self._writing(ids, settings)) for ids in distinct])
        ends = self._generation["stop_token_ids"]
        found = {
            ids: cut_at_end(list(output.outputs[0].token_ids), ends)
            for ids, output in zip(distinct, outputs, strict=True)
        }
        return [found[row.ids] for row in rows]

    def hidden_states(
        self, rows: Sequence[TokenRow], layers: Sequence[int], pooling: Pooling
    ) -> list[States]:
        """Refuse: the states that vLLM gives are not those of transformers."""
        raise UnsupportedRequestError(NO_STATES)

    def close(self) -> None:
        """End the engine's processes."""
        if self._process is not None:
            self._process.shutdown()
        self._process = None
        self._loop.close()

    def _scoring(self, prompt: Prompt) -> Any:  # noqa: ANN401
        labels = {"logprob_token_ids": list(prompt.labels)} if prompt.labels else {}
        scored = {"prompt_logprobs": 0} if prompt.is_scored else {}
        return self._bare(max_tokens=1, **labels, **scored)

    def _bare(self, **settings: Any) -> Any:  # noqa: ANN401
        """Return settings of a prompt that is read whole: nothing of it comes from a cache."""
        return self._engine.sampling_params(
            temperature=0.0, detokenize=False, skip_reading_prefix_cache=True, **settings
        )

    def _writing(self, ids: tuple[int, ...], settings: GenerationSettings) -> Any:  # noqa: ANN401
        return self._engine.sampling_params(
            max_tokens=settings.max_new_tokens,
            temperature=settings.temperature,
            top_p=settings.top_p,
            seed=seed_of(settings.seed, ids),
            detokenize=False,
            **self._generation,
        )

    def _check(self, rows: Sequence[TokenRow]) -> None:
        """Refuse ids that no embedding belongs to: they would end the engine for all.

        Raises:
            UnknownTokenError: There is one.
        """
        largest = max((max(row.ids) for row in rows), default=0)
        if largest >= self.info.vocabulary_size:
            raise UnknownTokenError(
                f"token id {largest}; {self.info.model} has 0 to {self.info.vocabulary_size - 1}"
            )

    def _ask(self, questions: Sequence[tuple[tuple[int, ...], Any]]) -> list[Any]:
        """Send all prompts at once, and return what came of each."""
        if self._process is None:
            self._process = self._engine.open()
        try:
            return self._loop.run(self._gather(self._process, questions))
        except self._engine.failures as error:
            self._fail(error)

    def _fail(self, error: Exception) -> NoReturn:
        told = self._engine.told(error)
        if isinstance(told, EngineClosedError) and self._process is not None:
            self._process.shutdown()
            self._process = None
        raise told from error

    async def _gather(
        self, process: EngineProcess, questions: Sequence[tuple[tuple[int, ...], Any]]
    ) -> list[Any]:
        asked: list[Coroutine[Any, Any, Any]] = [
            _last(process.generate({"prompt_token_ids": list(ids)}, settings, self._number()))
            for ids, settings in questions
        ]
        # Each is waited for, so that none is left behind when one fails.
        found = await asyncio.gather(*asked, return_exceptions=True)
        for one in found:
            if isinstance(one, BaseException):
                raise one
        return found

    def _number(self) -> str:
        return str(next(self._numbers))


async def _last(outputs: AsyncIterator[Any]) -> Any:  # noqa: ANN401
    found = None
    async for output in outputs:
        found = output
    if found is None:
        raise BackendError("vLLM gave no answer to a prompt")
    return found


def _likeliest(place: dict[int, Any], n_top: int) -> TopTokens:
    pairs = [(token, float(one.logprob)) for token, one in place.items()]
    return sorted(pairs, key=lambda pair: -pair[1])[:n_top]
