"""Open `openai:<model>`: what it can do is tried once, before a run, and not believed."""

import contextlib
from collections.abc import Mapping
from functools import partial

from benchmarks.requests import GenerateRequest, Message, RequestKind
from orchestrator.errors import WrongUseError
from orchestrator.halting import Halt
from orchestrator.limits import Call
from orchestrator.providers import openai_likelihood
from orchestrator.providers.http_calls import (
    HttpDoor,
    RefusedForGoodError,
    RequestRefusedError,
)
from orchestrator.providers.http_keys import open_access
from orchestrator.providers.http_settings import OpenAISettings, read_http_settings
from orchestrator.providers.openai import APIS, OWN_URL, OpenAIProvider, reclassify
from orchestrator.providers.openai_likelihood import NoScoresError
from orchestrator.providers.opening import Opening
from orchestrator.resources import Resources

KEY_NAME = "OPENAI_API_KEY"
QUESTION = GenerateRequest(
    key="probe", messages=(Message(role="user", content="Say yes."),), max_new_tokens=16
)
PROBE_ATTEMPTS = 4
SAMPLING = ("temperature", "top_p", "seed")
MISSING_HERE = frozenset({403, 404})
"""What one of several addresses may say of a model that another one serves."""
CHAT_KINDS = frozenset({RequestKind.GENERATE, RequestKind.TRANSLATE})


async def open_openai(model: str, opening: Opening, resources: Resources) -> OpenAIProvider:
    """Return a provider that answers the kinds which the server has shown to answer.

    Raises:
        WrongUseError: A setting, the address or the key is wrong, or no wanted kind is answered.
        ProviderRefusedError: The server refuses the key or the model.
        ProviderUnavailableError: It cannot be reached.
    """
    settings: OpenAISettings = read_http_settings("openai", opening.settings)
    access = await open_access("openai", OWN_URL, settings, opening, resources, KEY_NAME)
    door = HttpDoor(
        name="openai",
        base_url=access.base_url,
        headers=settings.extra_headers(),
        key=access.key,
        key_header=settings.key_header or "Authorization",
        key_prefix="" if settings.key_header else "Bearer ",
        timeout_s=settings.timeout_s,
        reclassify=reclassify,
    )
    wanted = _wanted(opening.kinds)
    price = opening.price_of(f"openai:{model}", door.base_url, resources.price_files)
    provider = OpenAIProvider(model, door, access.lane, settings, opening, wanted, price)
    if not opening.is_tried:
        return provider
    async with contextlib.AsyncExitStack() as undo:
        undo.push_async_callback(provider.close)
        problems = await _try_all(provider, wanted)
        provider.kinds = wanted - set(problems)
        if not provider.kinds:
            reasons = "; ".join(dict.fromkeys(problems.values())) or "nothing it serves is asked"
            raise WrongUseError(
                f"openai:{model} at {door.base_url} cannot be asked this: {reasons}"
            )
        undo.pop_all()
    return provider


def _wanted(kinds: frozenset[RequestKind] | None) -> frozenset[RequestKind]:
    if kinds is None:
        return frozenset(APIS)
    named = kinds & frozenset(APIS)
    return named | {RequestKind.GENERATE} if kinds & CHAT_KINDS else named


async def _try_all(
    provider: OpenAIProvider, wanted: frozenset[RequestKind]
) -> Mapping[RequestKind, str]:
    """Return why kinds cannot be served; empty where all can."""
    problems: dict[RequestKind, str] = {}
    only_one = len({APIS[kind] for kind in wanted}) == 1
    for api in sorted({APIS[kind] for kind in wanted}):
        try:
            call = Call(partial(_try, provider, api))
            await provider.lane.call(call, Halt(), max_attempts=PROBE_ATTEMPTS)
        except (RequestRefusedError, NoScoresError, RefusedForGoodError) as error:
            if isinstance(error, RefusedForGoodError) and (
                only_one or error.status not in MISSING_HERE
            ):
                raise
            problems |= {kind: _reason(api, error) for kind in wanted if APIS[kind] == api}
    return problems


async def _try(provider: OpenAIProvider, api: str) -> None:
    match api:
        case "chat":
            await _try_generation(provider)
        case "completions":
            openai_likelihood.check_probe(await provider.echo(openai_likelihood.PROBES))
        case _:
            await provider.embed(["a"])


async def _try_generation(provider: OpenAIProvider) -> None:
    """Try chats and plain prompts; a model that takes one of them generates.

    Raises:
        RequestRefusedError: It takes neither.
        RefusedForGoodError: The key or the model is refused.
    """
    problem: RequestRefusedError | RefusedForGoodError | None = None
    try:
        await provider.ask_to_generate(QUESTION)
    except (RequestRefusedError, RefusedForGoodError) as error:
        if isinstance(error, RefusedForGoodError) and error.status not in MISSING_HERE:
            raise
        provider.takes_chats, problem = False, error
    try:
        await provider.ask_to_generate(QUESTION.model_copy(update={"chat_template": False}))
    except (RequestRefusedError, RefusedForGoodError):
        provider.takes_plain_prompts = False
        if problem is not None:
            raise problem from None


def _reason(api: str, error: Exception) -> str:
    if api == "completions":
        return f"it gives no log-probabilities of given text ({error})"
    if api == "chat" and any(word in str(error) for word in SAMPLING):
        return f"{error}; --setting sampling=server leaves sampling to the server"
    return f"/{api}: {error}"
