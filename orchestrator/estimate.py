"""What a run would take before it is begun: requests, tokens or characters, and money."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from benchmarks.requests import Request
from orchestrator.cache import cache_key
from orchestrator.prices import Price
from orchestrator.providers.metering import MeteringProvider, Size
from orchestrator.providers.provider import Provider
from storage import responses
from storage.database import Database

CHUNK = 1000


@dataclass(frozen=True)
class Estimate:
    """The first questions of a run; what is asked again comes on top."""

    n_requests: int = 0
    n_different: int = 0
    """Identical ones are asked once."""
    n_stored: int = 0
    """Of the different ones: their answer is there already."""
    n_calls: int = 0
    input_tokens: int = 0
    """About so many."""
    max_input_tokens: int = 0
    max_output_tokens: int = 0
    characters: int = 0
    is_counted: bool = False
    """Whether the model's provider counts tokens or characters at all."""
    price: Price | None = None

    @property
    def n_to_ask(self) -> int:
        """Requests that will be sent."""
        return self.n_different - self.n_stored

    def cost(self, *, is_most: bool = False) -> float | None:
        """Return the money, with every answer as long as it may be; None without a price."""
        if self.price is None:
            return None
        n_input = self.max_input_tokens if is_most else self.input_tokens
        tokens = self.price.of_tokens(n_input, self.max_output_tokens)
        return tokens + self.price.of_characters(self.characters)


@dataclass
class _Count:
    """Sums up sizes on their way."""

    calls: float = 0.0
    total: Estimate = field(default_factory=Estimate)

    def add(self, size: Size) -> None:
        total = self.total
        self.calls += 1.0 / size.requests_per_call
        self.total = replace(
            total,
            input_tokens=total.input_tokens + size.input_tokens,
            max_input_tokens=total.max_input_tokens + size.most_input_tokens,
            max_output_tokens=total.max_output_tokens + size.most_output_tokens,
            characters=total.characters + size.characters,
        )


async def estimate(
    database: Database, provider: Provider, requests: Iterable[Request], salt: str = ""
) -> Estimate:
    """Count what a provider would be asked, less what is stored."""
    counting = provider if isinstance(provider, MeteringProvider) else None
    count = _Count()
    seen: set[bytes] = set()
    n_requests = n_stored = 0
    for chunk in _chunks(requests):
        n_requests += len(chunk)
        new = {cache_key(provider, request, salt): request for request in chunk}
        new = {key: request for key, request in new.items() if key not in seen}
        seen.update(new)
        stored = await responses.known(database, new)
        n_stored += len(stored)
        for key, request in new.items():
            if key not in stored and counting is not None:
                count.add(counting.size(request))
    return replace(
        count.total,
        n_requests=n_requests,
        n_different=len(seen),
        n_stored=n_stored,
        n_calls=-(-round(count.calls * CHUNK) // CHUNK),
        is_counted=counting is not None,
        price=None if counting is None else counting.price,
    )


def _chunks(requests: Iterable[Request]) -> Iterator[list[Request]]:
    iterator = iter(requests)
    while chunk := list(islice(iterator, CHUNK)):
        yield chunk
