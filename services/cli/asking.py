"""Ask a generating model many questions from a command, through the cache, without a run."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

from benchmarks.requests import GenerateRequest, RequestKind
from benchmarks.responses import TextResponse
from orchestrator.ask import Asker
from orchestrator.providers.catalog import open_provider
from orchestrator.providers.provider import Answer, Provider
from orchestrator.spec import parse_model
from services.cli.exits import UsageError
from services.cli.printing import say
from services.cli.store import open_store
from services.home import Home
from services.processes import find_scorers, resources_of, scorers_for

N_AT_ONCE = 32
"""Questions that go to the model in one call."""
OnAnswers = Callable[[int], None]
"""Called with the number of questions that have just been answered."""


@dataclass(frozen=True)
class Answers:
    """What a model said."""

    model: str
    """Its name with its revision, or a recording's with its checksum."""
    texts: dict[str, str]
    """By request key."""
    unanswered: dict[str, str]
    """Why there is no answer, by request key."""


async def ask_model(
    home: Home, model: str, requests: Sequence[GenerateRequest], on_answers: OnAnswers
) -> Answers:
    """Ask a model; what stands in the cache is not asked again.

    Raises:
        UsageError: The model cannot generate.
        ProviderUnavailableError: The model cannot be reached.
    """
    texts: dict[str, str] = {}
    unanswered: dict[str, str] = {}
    async with open_store(home) as database, open_generator(home, model) as provider:
        asker = Asker(database, provider)
        for first in range(0, len(requests), N_AT_ONCE):
            chunk = requests[first : first + N_AT_ONCE]
            for key, answered in (await asker.ask(chunk)).items():
                text = _text(answered.answer)
                if text is None:
                    unanswered[key] = getattr(answered.answer, "detail", "the answer is no text")
                else:
                    texts[key] = text
            on_answers(len(chunk))
        return Answers(name_of(provider), texts, unanswered)


@contextlib.asynccontextmanager
async def open_generator(home: Home, model: str) -> AsyncIterator[Provider]:
    """Open a model that generates; a local one gets a scorer for as long as this takes.

    Raises:
        UsageError: It is a baseline or cannot generate.
    """
    with contextlib.ExitStack() as stack:
        local = _local_scorers(model)
        if local:
            lent = scorers_for(home, local, say)
            endpoints = await asyncio.to_thread(stack.enter_context, lent)
        else:
            endpoints = await asyncio.to_thread(find_scorers, home)
        provider = await open_provider(model, resources_of(home, endpoints))
        if provider is None:
            raise UsageError(f"--model {model}: a baseline writes no texts")
        try:
            if RequestKind.GENERATE not in provider.kinds:
                raise UsageError(f"--model {model} cannot generate; this needs a model that can")
            yield provider
        finally:
            await provider.close()


def name_of(provider: Provider) -> str:
    """Return a model's name with its revision, or a recording's with its checksum."""
    identity = provider.identity(RequestKind.GENERATE)
    revision = identity.get("revision") or identity.get("file_sha256")
    return f"{identity['model']}@{revision}" if revision else identity["model"]


def _local_scorers(model: str) -> list[str]:
    kind = parse_model(model).kind
    if kind == "demo":
        return ["demo-decoder"]
    return [model] if kind in {"hf", "demo-decoder"} else []


def _text(answer: Answer) -> str | None:
    return answer.text if isinstance(answer, TextResponse) else None
