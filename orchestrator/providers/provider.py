"""What is asked of every way to reach a model, and what comes back."""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from benchmarks.requests import Request, RequestKind
from benchmarks.responses import Response
from orchestrator.resources import Resources


@dataclass(frozen=True, slots=True)
class Unanswered:
    """Why there is no response to one request; its neighbours may have theirs."""

    error: str
    """The error's class name."""
    detail: str
    is_recorded: bool = True
    """False where a replay simply does not hold the request."""


Answer = Response | Unanswered


class Provider(Protocol):
    """One model, opened once a process and run, closed at the end."""

    kinds: frozenset[RequestKind]
    """The kinds of request it can answer."""
    answers_by_key: bool
    """Whether the answer depends on the request's key and not only on its content (a replay)."""

    def identity(self, kind: RequestKind) -> Mapping[str, str]:
        """Return all that decides an answer besides the request: model, revision, hashes, dtype."""
        ...

    async def answer(self, requests: Sequence[Request]) -> list[Answer]:
        """Answer every request, in order.

        Raises:
            ProviderUnavailableError: The model cannot be reached.
            ProviderRefusedError: The model refuses for good.
        """
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


@runtime_checkable
class ChoosyProvider(Protocol):
    """What a provider has that can say beforehand which requests it will not answer."""

    def refusal(self, request: Request) -> str | None:
        """Say in a clause why a request will not be answered; None where it will be."""
        ...


class ProviderFactory(Protocol):
    """What another package names under a prefix: a class or a function, plain or async."""

    def __call__(self, argument: str, resources: Resources) -> Provider | Awaitable[Provider]:
        """Return the provider of one model.

        Args:
            argument: What follows the prefix and its colon in the model's name; may be empty.
            resources: What the process lends to runs.

        Raises:
            WrongUseError: There is no such model.
            ProviderUnavailableError: The model cannot be reached.
        """
        ...
