"""Several models behind one name, each for some kinds of request."""

from collections.abc import Mapping, Sequence

from benchmarks.requests import Request, RequestKind
from orchestrator.providers.provider import Answer, Provider


class SplitProvider:
    """Sends each request to the model that its kind belongs to."""

    answers_by_key = False

    def __init__(self, by_kind: Mapping[RequestKind, Provider]) -> None:
        """Take the model of each kind."""
        self._by_kind = by_kind
        self._providers = list({id(provider): provider for provider in by_kind.values()}.values())
        self.kinds = frozenset(by_kind)

    def identity(self, kind: RequestKind) -> Mapping[str, str]:
        """Return the identity of the model that answers this kind."""
        return self._by_kind[kind].identity(kind)

    async def answer(self, requests: Sequence[Request]) -> list[Answer]:
        """Answer every request, in order."""
        answers: dict[int, Answer] = {}
        for provider in self._providers:
            chosen = [
                number
                for number, request in enumerate(requests)
                if self._by_kind[request.kind] is provider
            ]
            if chosen:
                found = await provider.answer([requests[number] for number in chosen])
                answers.update(zip(chosen, found, strict=True))
        return [answers[number] for number in range(len(requests))]

    async def close(self) -> None:
        """Close all of them."""
        for provider in self._providers:
            await provider.close()
