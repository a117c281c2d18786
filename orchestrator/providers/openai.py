"""`openai:<model>`: any API that speaks as OpenAI's does, hosted or of one's own."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from benchmarks.requests import (
    EmbedRequest,
    GenerateRequest,
    LogProbRequest,
    Request,
    RequestKind,
    SimilarityRequest,
)
from orchestrator.errors import ProviderRefusedError
from orchestrator.halting import Halt
from orchestrator.limits import Call, Lane
from orchestrator.prices import Price
from orchestrator.providers import openai_chat, openai_likelihood, openai_sizes
from orchestrator.providers.http_calls import HttpDoor, Problem, RequestRefusedError
from orchestrator.providers.http_settings import OpenAISettings
from orchestrator.providers.metering import Metered, Size, Work, all_of, as_they_come
from orchestrator.providers.openai_answers import unanswered, usage_of
from orchestrator.providers.openai_vectors import Vector, read_vectors, texts_of, vector_answer
from orchestrator.providers.opening import Opening
from orchestrator.providers.provider import Answer, Unanswered
from storage.records import Usage

Found = TypeVar("Found")
OWN_URL = "https://api.openai.com/v1"
MAX_TEXTS = 64
"""In one call for embeddings."""
APIS: Mapping[RequestKind, str] = {
    RequestKind.GENERATE: "chat",
    RequestKind.LOG_PROB: "completions",
    RequestKind.EMBED: "embeddings",
    RequestKind.SIMILARITY: "embeddings",
}


def reclassify(problem: Problem) -> Exception | None:
    """Tell a quota that is used up from a moment of too many calls: both are 429."""
    if problem.status == 429 and "insufficient_quota" in problem.codes:
        return ProviderRefusedError(f"openai says that the quota is used up: {problem.detail}")
    return None


@dataclass
class OpenAIProvider:
    """One model behind one address; each chat is a call, texts to embed go many in one."""

    model: str
    door: HttpDoor
    lane: Lane
    settings: OpenAISettings
    opening: Opening
    kinds: frozenset[RequestKind]
    price: Price | None = None
    answers_by_key: bool = field(default=False, init=False)
    limit_name: str = "max_tokens"
    """What the server calls the limit of new tokens; the newer word is found out by trying."""
    takes_chats: bool = True
    takes_plain_prompts: bool = True
    n_echo_tokens: int = 0
    """New tokens to be asked for beside the scores of a prompt: 0, or 1 where 0 is refused."""
    _refusal: ProviderRefusedError | None = None

    def identity(self, kind: RequestKind) -> Mapping[str, str]:
        """Return the model, its address, and the settings that decide an answer."""
        said = {
            "organization": self.settings.organization,
            "project": self.settings.project,
            "headers": self.settings.headers,
        }
        if kind is RequestKind.GENERATE:
            said |= {
                "thinking_tokens": str(self.settings.thinking_tokens or ""),
                "reasoning_effort": self.settings.reasoning_effort,
                "sampling": self.settings.sampling,
            }
        return {
            "provider": "openai",
            "model": self.model,
            "base_url": self.door.base_url,
            "api": APIS[kind],
            **{name: value for name, value in said.items() if value},
        }

    def refusal(self, request: Request) -> str | None:
        """Say which of a request's wishes no such API grants."""
        match request:
            case LogProbRequest() if request.chat_template:
                return "chat_template=True: no such API scores text inside a chat"
            case LogProbRequest() if request.bos_policy != "default":
                return f"bos_policy={request.bos_policy}: the server alone decides on first tokens"
            case GenerateRequest() if request.no_repeat_ngram_size:
                return "no_repeat_ngram_size: no such API has it"
            case GenerateRequest() if request.chat_template and not self.takes_chats:
                return "the model takes no chats; --setting chat_template=false asks it plainly"
            case GenerateRequest() if not (request.chat_template or self.takes_plain_prompts):
                return "the model takes chats only; --setting chat_template=true asks it in chats"
            case EmbedRequest() | SimilarityRequest() if request.layer != -1:
                return f"layer={request.layer}: the server gives one vector a text, and no layers"
            case SimilarityRequest() if request.measure != "cosine":
                return f"measure={request.measure}: the server gives no vectors of tokens"
        return None

    async def answer(self, requests: Sequence[Request]) -> list[Answer]:
        """Answer every request, in order."""
        return await all_of(self.stream(requests), len(requests))

    async def stream(self, requests: Sequence[Request]) -> AsyncGenerator[list[Metered]]:
        """Yield answers as they come, with what they took."""
        async for found in as_they_come(self._works(requests)):
            yield found

    def size(self, request: Request) -> Size:
        """Return what a request will take."""
        return openai_sizes.size_of(request, self.settings.thinking_tokens)

    async def close(self) -> None:
        """Close the connections."""
        await self.door.close()

    def _works(self, requests: Sequence[Request]) -> list[Work]:
        works: list[Work] = []
        texts: list[tuple[int, Request]] = []
        for number, request in enumerate(requests):
            if isinstance(request, EmbedRequest | SimilarityRequest):
                texts.append((number, request))
            else:
                works.append(self._one(number, request))
        step = MAX_TEXTS // 2
        return works + [self._many(texts[at : at + step]) for at in range(0, len(texts), step)]

    def _one(self, number: int, request: Request) -> Work:
        async def work(halt: Halt) -> list[Metered]:
            if (why := self.refusal(request)) is not None:
                return [Metered(number, Unanswered("UnsupportedRequestError", why))]
            try:
                if isinstance(request, LogProbRequest):
                    return [await self._score(number, request, halt)]
                assert isinstance(request, GenerateRequest), "kinds has nothing else"
                return [await self._generate(number, request, halt)]
            except RequestRefusedError as error:
                return [Metered(number, unanswered(error))]

        return work

    def _many(self, numbered: Sequence[tuple[int, Request]]) -> Work:
        async def work(halt: Halt) -> list[Metered]:
            try:
                return await self._embed(numbered, halt)
            except RequestRefusedError as error:
                if len(numbered) == 1:
                    return [Metered(numbered[0][0], unanswered(error))]
            halves = numbered[: len(numbered) // 2], numbered[len(numbered) // 2 :]
            return [each for half in halves for each in await self._many(half)(halt)]

        return work

    async def _generate(self, number: int, request: GenerateRequest, halt: Halt) -> Metered:
        async def send() -> tuple[Answer, dict[str, Any]]:
            found = await self.ask_to_generate(request)
            return openai_chat.read_answer(found, self.door.name), found

        answer, found, held = await self._call(send, self.size(request), halt)
        return Metered(number, answer, usage_of(found, self.price), held)

    async def ask_to_generate(self, request: GenerateRequest) -> dict[str, Any]:
        """Ask once, or twice where the server wants the limit under its newer name."""
        path, body = openai_chat.body_of(request, self.model, self.settings, self.limit_name)
        try:
            return await self.door.post(path, body)
        except RequestRefusedError as error:
            if self.limit_name not in body or "max_completion_tokens" not in str(error):
                raise
        self.limit_name = "max_completion_tokens"
        path, body = openai_chat.body_of(request, self.model, self.settings, self.limit_name)
        return await self.door.post(path, body)

    async def _score(self, number: int, request: LogProbRequest, halt: Halt) -> Metered:
        prompts = openai_likelihood.prompts_of(request)

        async def send() -> tuple[Answer, dict[str, Any]]:
            found = await self.echo(prompts)
            return openai_likelihood.read_scores(found, request), found

        answer, found, held = await self._call(send, self.size(request), halt)
        return Metered(number, answer, usage_of(found, self.price), held)

    async def echo(self, prompts: Sequence[str]) -> dict[str, Any]:
        """Ask for the scores of prompts; once more for a new token too where that is wanted."""
        body = openai_likelihood.body_of(prompts, self.model, self.n_echo_tokens)
        try:
            return await self.door.post("/completions", body)
        except RequestRefusedError as error:
            if self.n_echo_tokens or "max_tokens" not in str(error):
                raise
        self.n_echo_tokens = 1
        return await self.echo(prompts)

    async def embed(self, texts: Sequence[str]) -> tuple[dict[str, Vector], dict[str, Any]]:
        """Return the vector of each text, and the whole answer; raises as `HttpDoor.post`."""
        found = await self.door.post("/embeddings", {"model": self.model, "input": list(texts)})
        return read_vectors(found, texts, self.door.name), found

    async def _embed(self, numbered: Sequence[tuple[int, Request]], halt: Halt) -> list[Metered]:
        asked = [(number, request, self.refusal(request)) for number, request in numbered]
        texts: dict[str, None] = {}
        for _, request, why in asked:
            texts.update(dict.fromkeys(() if why else texts_of(request)))
        size = openai_sizes.size_of_texts(list(texts))
        usage, held, vectors = Usage(), 0.0, dict[str, Vector]()
        if texts:
            vectors, found, held = await self._call(lambda: self.embed(list(texts)), size, halt)
            usage = usage_of(found, self.price)
        metered = [
            Metered(
                number,
                Unanswered("UnsupportedRequestError", why)
                if why
                else vector_answer(request, vectors),
            )
            for number, request, why in asked
        ]
        return [replace(metered[0], usage=usage, held=held), *metered[1:]]

    async def _call(
        self,
        send: Callable[[], Awaitable[tuple[Found, dict[str, Any]]]],
        size: Size,
        halt: Halt,
    ) -> tuple[Found, dict[str, Any], float]:
        """Make one call within the limits; return what was read, the whole, and what is held."""
        if self._refusal is not None:
            raise self._refusal
        n_read, n_written = size.most_input_tokens, size.most_output_tokens
        call = Call(
            send,
            n_tokens=size.input_tokens + n_written,
            money=None if self.price is None else self.price.of_tokens(n_read, n_written),
        )
        try:
            settled = await self.lane.call(call, halt, self.opening.database, self.opening.purse)
        except ProviderRefusedError as error:
            self._refusal = error
            raise
        found, whole = settled.reply
        return found, whole, settled.held
