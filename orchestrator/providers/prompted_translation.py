"""Any model that generates is a translator too: it is asked in words; versioned."""

from collections.abc import AsyncGenerator, Mapping, Sequence

from benchmarks.requests import GenerateRequest, Message, Request, RequestKind, TranslateRequest
from languages.names import language_name
from orchestrator.providers.metering import Metered, MeteringProvider, Size
from orchestrator.providers.provider import Answer, ChoosyProvider, Provider

PROMPT_VERSION = "1"
PROMPT = (
    "Translate the following sentence from {source} to {target}. "
    "Answer with the translation only.\n{text}"
)
FREE_TOKENS = 16
TOKEN_LIMITS = (64, 128, 256, 512, 1024)
"""A few limits only: requests of one limit go to the model together."""


class PromptedTranslator:
    """Turns translations into chats for a model that has no translation of its own."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self.answers_by_key = provider.answers_by_key
        self.kinds = provider.kinds | {RequestKind.TRANSLATE}

    def identity(self, kind: RequestKind) -> Mapping[str, str]:
        """Return the model's identity; for translations with the version of the prompt."""
        if kind is not RequestKind.TRANSLATE:
            return self._provider.identity(kind)
        identity = self._provider.identity(RequestKind.GENERATE)
        return {**identity, "translation_prompt": PROMPT_VERSION}

    async def answer(self, requests: Sequence[Request]) -> list[Answer]:
        """Answer every request, in order."""
        return await self._provider.answer([_in_words(request) for request in requests])

    async def close(self) -> None:
        """Close the model's connections."""
        await self._provider.close()


class MeteredTranslator(PromptedTranslator):
    """The same before a model that counts what its answers take."""

    def __init__(self, provider: Provider, counting: MeteringProvider) -> None:
        super().__init__(provider)
        self.inner = provider
        self._counting = counting
        self.price = counting.price

    def question(self, request: Request) -> Request:
        """Return what the model is asked for a request."""
        return _in_words(request)

    def size(self, request: Request) -> Size:
        """Return what a request will take."""
        return self._counting.size(_in_words(request))

    def stream(self, requests: Sequence[Request]) -> AsyncGenerator[list[Metered]]:
        """Yield answers as they come, with what they took."""
        return self._counting.stream([_in_words(request) for request in requests])

    def refusal(self, request: Request) -> str | None:
        """Say why the model will not answer a request, if it can say so."""
        if isinstance(self._provider, ChoosyProvider):
            return self._provider.refusal(_in_words(request))
        return None


def with_translation(provider: Provider) -> Provider:
    """Return a provider that translates, if it can or can be asked to."""
    if RequestKind.TRANSLATE in provider.kinds or RequestKind.GENERATE not in provider.kinds:
        return provider
    if isinstance(provider, MeteringProvider):
        return MeteredTranslator(provider, provider)
    return PromptedTranslator(provider)


def _in_words(request: Request) -> Request:
    if not isinstance(request, TranslateRequest):
        return request
    prompt = PROMPT.format(
        source=language_name(request.source_language),
        target=language_name(request.target_language),
        text=request.text,
    )
    return GenerateRequest(
        key=request.key,
        part=request.part,
        messages=(Message(role="user", content=prompt),),
        max_new_tokens=_token_limit(request.text),
    )


def _token_limit(text: str) -> int:
    """Return how long a translation may be: two tokens a character, rounded up."""
    wanted = FREE_TOKENS + 2 * len(text)
    return next((limit for limit in TOKEN_LIMITS if limit >= wanted), TOKEN_LIMITS[-1])
