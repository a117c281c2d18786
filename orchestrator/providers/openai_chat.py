"""Chats for an OpenAI-compatible API, and what its answers say; thinking is taken out, raw kept."""

import re
from collections.abc import Mapping
from typing import Any

from benchmarks.requests import GenerateRequest
from benchmarks.responses import TextResponse
from orchestrator.halting import NotNowError
from orchestrator.providers.http_settings import OpenAISettings
from orchestrator.providers.provider import Answer, Unanswered

BETWEEN_TURNS = "\n\n"
"""As our own scorer joins them."""
BEGUN = re.compile(r"\A\s*<(think|thinking)>")
ENDED = re.compile(r"\A.*</(?:think|thinking)>\s*", re.DOTALL)


def body_of(
    request: GenerateRequest, model: str, settings: OpenAISettings, limit_name: str
) -> tuple[str, dict[str, Any]]:
    """Return the path and the document that ask for a chat's answer."""
    body: dict[str, Any] = {"model": model}
    if request.chat_template:
        body["messages"] = [turn.model_dump() for turn in request.messages]
        body[limit_name] = token_limit(request, settings)
    else:
        body["prompt"] = plain_prompt(request)
        body["max_tokens"] = token_limit(request, settings)
    if settings.sampling == "asked":
        body |= {"temperature": request.temperature, "top_p": request.top_p}
        if request.seed is not None:
            body["seed"] = request.seed
    if settings.reasoning_effort and request.chat_template:
        body["reasoning_effort"] = settings.reasoning_effort
    return ("/chat/completions" if request.chat_template else "/completions"), body


def token_limit(request: GenerateRequest, settings: OpenAISettings) -> int:
    """Return how many tokens the model may write, those that it thinks with included."""
    return request.max_new_tokens + settings.thinking_tokens


def plain_prompt(request: GenerateRequest) -> str:
    """Return a chat as one text, for models without a chat format."""
    return BETWEEN_TURNS.join(turn.content for turn in request.messages)


def read_answer(found: Mapping[str, Any], name: str) -> Answer:
    """Read the answer to a chat or to a plain prompt.

    Raises:
        NotNowError: It has not the shape that the API promises.
    """
    try:
        choice = found["choices"][0]
        message = choice["message"] if "message" in choice else {"content": choice["text"]}
        content = message.get("content") or message.get("refusal") or ""
        thought = message.get("reasoning_content") or message.get("reasoning") or ""
        reason = choice.get("finish_reason")
        if not isinstance(content, str) or not isinstance(thought, str):
            raise TypeError("the content is no text")
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise NotNowError(f"{name} answers in an unknown shape", is_maybe_billed=True) from error
    return _answer(content, thought, str(reason), _n_reasoning(found))


def _answer(content: str, thought: str, reason: str, n_reasoning: int) -> Answer:
    is_cut = reason == "length"
    if reason == "content_filter":
        return Unanswered("ContentFilteredError", "the provider's filter withheld the answer")
    raw = f"<think>{thought}</think>{content}" if thought else content
    text = content
    if (ended := ENDED.match(content)) is not None:
        text = content[ended.end() :]
    elif BEGUN.match(content) is not None:
        return _unfinished(len(content), is_cut=is_cut)
    if not text and is_cut:
        if thought or n_reasoning:
            return _unfinished(len(thought), is_cut=is_cut)
        return Unanswered("EmptyAnswerError", "cut off at its limit before the first letter")
    return TextResponse(text=text, is_finished=not is_cut, raw_text=raw if raw != text else None)


def _unfinished(n_characters: int, *, is_cut: bool) -> Unanswered:
    why = "was cut off at its limit of tokens" if is_cut else "ended"
    return Unanswered(
        "UnfinishedThinkingError",
        f"the model {why} while it was still thinking ({n_characters} characters);"
        " --setting thinking_tokens=N gives it more",
    )


def _n_reasoning(found: Mapping[str, Any]) -> int:
    usage = found.get("usage")
    details = usage.get("completion_tokens_details") if isinstance(usage, dict) else None
    n_tokens = details.get("reasoning_tokens") if isinstance(details, dict) else None
    return n_tokens if isinstance(n_tokens, int) else 0
