"""What translation APIs share: many texts in one call, halved where a call is refused."""

from collections import defaultdict
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from benchmarks.requests import Request, RequestKind, TranslateRequest
from benchmarks.responses import TextResponse
from orchestrator.errors import ProviderRefusedError
from orchestrator.halting import Halt
from orchestrator.limits import Call, Lane
from orchestrator.prices import Price
from orchestrator.providers.http_calls import HttpDoor, RequestRefusedError, unknown_shape
from orchestrator.providers.metering import Metered, Size, Work, all_of, as_they_come
from orchestrator.providers.opening import Opening
from orchestrator.providers.provider import Answer, Unanswered
from storage.records import Usage

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a key has used of what it may use."""

    n_used: int
    n_allowed: int


class TranslationApi(Protocol):
    """What is particular to one API."""

    texts_per_call: int
    max_characters: int
    """Of all texts of one call."""

    def identity(self) -> Mapping[str, str]:
        """Return what decides a translation, beside address and text."""
        ...

    def codes(self, pair: Pair) -> Pair | str:
        """Return source and target as the API spells them, or why it does not know them."""
        ...

    async def translate(self, door: HttpDoor, texts: Sequence[str], codes: Pair) -> list[str]:
        """Translate texts in one call; raises as `HttpDoor.post`."""
        ...

    async def allowance(self, door: HttpDoor) -> Allowance | None:
        """Return how many characters the key has left; None where the API does not say."""
        ...


@dataclass
class HttpTranslator:
    """A translation API behind its limits."""

    api: TranslationApi
    door: HttpDoor
    lane: Lane
    opening: Opening
    price: Price | None
    kinds: frozenset[RequestKind] = frozenset({RequestKind.TRANSLATE})
    answers_by_key: bool = False
    _refusal: ProviderRefusedError | None = None

    def identity(self, kind: RequestKind) -> Mapping[str, str]:
        """Return the API, its address, and the settings that decide a translation."""
        del kind
        said = {name: value for name, value in self.api.identity().items() if value}
        return {**said, "base_url": self.door.base_url}

    def refusal(self, request: Request) -> str | None:
        """Say which languages of a request the API lacks."""
        assert isinstance(request, TranslateRequest), "kinds has nothing else"
        found = self.api.codes((request.source_language, request.target_language))
        return found if isinstance(found, str) else None

    def size(self, request: Request) -> Size:
        """Return what a request will take."""
        assert isinstance(request, TranslateRequest), "kinds has nothing else"
        return Size(characters=len(request.text), requests_per_call=self.api.texts_per_call)

    async def answer(self, requests: Sequence[Request]) -> list[Answer]:
        """Translate every text, in order."""
        return await all_of(self.stream(requests), len(requests))

    async def stream(self, requests: Sequence[Request]) -> AsyncGenerator[list[Metered]]:
        """Yield translations as they come, with what they took."""
        async for found in as_they_come(self._works(requests)):
            yield found

    async def allowance(self) -> Allowance | None:
        """Return how many characters the key has left, where the API says so."""
        return await self.api.allowance(self.door)

    async def close(self) -> None:
        """Close the connections."""
        await self.door.close()

    def _works(self, requests: Sequence[Request]) -> list[Work]:
        texts_by_pair: dict[Pair, list[tuple[int, str]]] = defaultdict(list)
        for number, request in enumerate(requests):
            assert isinstance(request, TranslateRequest), "kinds has nothing else"
            pair = (request.source_language, request.target_language)
            texts_by_pair[pair].append((number, request.text))
        works: list[Work] = []
        for pair, numbered in texts_by_pair.items():
            codes = self.api.codes(pair)
            if isinstance(codes, str):
                works.append(_unsupported([number for number, _ in numbered], codes))
            else:
                works += [self._many(chunk, codes) for chunk in self._chunks(numbered)]
        return works

    def _chunks(self, numbered: Sequence[tuple[int, str]]) -> list[list[tuple[int, str]]]:
        chunks: list[list[tuple[int, str]]] = []
        n_characters = 0
        for number, text in numbered:
            is_full = chunks and len(chunks[-1]) >= self.api.texts_per_call
            if not chunks or is_full or n_characters + len(text) > self.api.max_characters:
                chunks.append([])
                n_characters = 0
            chunks[-1].append((number, text))
            n_characters += len(text)
        return chunks

    def _many(self, numbered: Sequence[tuple[int, str]], codes: Pair) -> Work:
        async def work(halt: Halt) -> list[Metered]:
            try:
                return await self._translate(numbered, codes, halt)
            except RequestRefusedError as error:
                if len(numbered) == 1:
                    name = "TextTooLongError" if error.status == 413 else "RequestRefusedError"
                    return [Metered(numbered[0][0], Unanswered(name, str(error)))]
            middle = len(numbered) // 2
            first = await self._many(numbered[:middle], codes)(halt)
            return first + await self._many(numbered[middle:], codes)(halt)

        return work

    async def _translate(
        self, numbered: Sequence[tuple[int, str]], codes: Pair, halt: Halt
    ) -> list[Metered]:
        if self._refusal is not None:
            raise self._refusal
        texts = [text for _, text in numbered]
        n_characters = sum(map(len, texts))

        async def send() -> list[str]:
            return await self.api.translate(self.door, texts, codes)

        call: Call[list[str]] = Call(
            send,
            n_characters=n_characters,
            money=None if self.price is None else self.price.of_characters(n_characters),
        )
        try:
            settled = await self.lane.call(call, halt, self.opening.database, self.opening.purse)
        except ProviderRefusedError as error:
            self._refusal = error
            raise
        held = [settled.held, *[0.0] * (len(numbered) - 1)]
        return [
            Metered(number, TextResponse(text=found), self._usage(len(text)), part)
            for (number, text), found, part in zip(numbered, settled.reply, held, strict=True)
        ]

    def _usage(self, n_characters: int) -> Usage:
        price = self.price
        return Usage(
            characters=n_characters,
            money=None if price is None else price.of_characters(n_characters),
            currency=None if price is None else price.currency,
        )


def _unsupported(numbers: Sequence[int], why: str) -> Work:
    async def work(halt: Halt) -> list[Metered]:
        del halt
        return [Metered(number, Unanswered("UnsupportedRequestError", why)) for number in numbers]

    return work


def texts_in(found: Any, place: Sequence[str], name: str, n_texts: int) -> list[str]:  # noqa: ANN401
    """Return the translated texts of an answer.

    Args:
        found: The rows of the answer.
        place: The names under which the rows, and in each row its text, stand.
        name: Of the API.
        n_texts: How many there must be.

    Raises:
        NotNowError: The answer has not the shape that the API promises.
    """
    *path, last = place
    try:
        for step in path:
            found = found[step]
        texts = [row[last] for row in found]
    except (KeyError, TypeError, IndexError):
        texts = []
    if len(texts) != n_texts or not all(isinstance(text, str) for text in texts):
        raise unknown_shape(name)
    return texts
