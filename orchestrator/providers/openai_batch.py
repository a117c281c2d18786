"""OpenAI's Batch API: the same chats in one file, answered within a day for half the price.

A line is named by the key under which its answer will be stored, so an answer that comes back lands
where a run looks for it, whatever became of the run.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.requests import GenerateRequest, Request
from benchmarks.responses import Response
from orchestrator.cache import cache_key
from orchestrator.errors import WrongUseError
from orchestrator.halting import Halt, NotNowError
from orchestrator.limits import Call
from orchestrator.providers import openai_chat
from orchestrator.providers.openai import OpenAIProvider
from orchestrator.providers.openai_answers import usage_of
from orchestrator.providers.prompted_translation import MeteredTranslator
from orchestrator.providers.provider import Provider, Unanswered
from storage.records import StoredResponse

WINDOW = "24h"
ENDED = frozenset({"completed", "failed", "expired", "cancelled"})


@dataclass(frozen=True)
class BatchModel:
    """A model that can be asked in batches, and the way a run sees it."""

    provider: Provider
    openai: OpenAIProvider

    def key(self, request: Request) -> bytes:
        """Return the key under which the answer to a request is stored."""
        return cache_key(self.provider, request)

    def lines(self, requests: Iterable[Request]) -> Iterator[tuple[bytes, dict[str, Any]]]:
        """Yield the key and the line of each different request.

        Raises:
            WrongUseError: A request is no chat.
        """
        seen: set[bytes] = set()
        for request in requests:
            key = self.key(request)
            if key in seen:
                continue
            seen.add(key)
            asked = self._in_words(request)
            if not isinstance(asked, GenerateRequest):
                kind = request.kind
                raise WrongUseError(f"{request.key} is a {kind}: batches take what generates only")
            path, body = openai_chat.body_of(
                asked, self.openai.model, self.openai.settings, self.openai.limit_name
            )
            yield key, {"custom_id": key.hex(), "method": "POST", "url": f"/v1{path}", "body": body}

    async def submit(self, lines: Sequence[Mapping[str, Any]]) -> str:
        """Upload lines and begin a batch; return its id.

        Raises:
            WrongUseError: Some are chats and some are not: a batch is of one kind.
        """
        urls = sorted({line["url"] for line in lines})
        if len(urls) != 1:
            raise WrongUseError(f"a batch takes one kind of question, not {' and '.join(urls)}")
        document = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        files = {"file": ("batch.jsonl", document.encode(), "application/jsonl")}
        door = self.openai.door

        async def upload() -> Any:  # noqa: ANN401  # any JSON value
            return await door.send("POST", "/files", data={"purpose": "batch"}, files=files)

        uploaded = (await self.openai.lane.call(Call(upload), Halt())).reply
        begun = await door.post(
            "/batches",
            {"input_file_id": uploaded["id"], "endpoint": urls[0], "completion_window": WINDOW},
        )
        return str(begun["id"])

    async def state(self, batch_id: str) -> dict[str, Any]:
        """Return what the API says of a batch."""

        async def ask() -> dict[str, Any]:
            found: dict[str, Any] = await self.openai.door.get(f"/batches/{batch_id}")
            return found

        return (await self.openai.lane.call(Call(ask), Halt())).reply

    async def output(self, file_id: str) -> str:
        """Return the lines of an output file."""
        response, raw = await self.openai.door.send_raw("GET", f"/files/{file_id}/content")
        if not response.is_success:
            raise WrongUseError(f"no output file {file_id} (HTTP {response.status_code})")
        return raw.decode(errors="replace")

    def read(self, line: str, requests: Mapping[bytes, Request]) -> StoredResponse | str:
        """Return the response of an output line, or why there is none."""
        try:
            record = json.loads(line)
            key = bytes.fromhex(record["custom_id"])
            response = record.get("response") or {}
            body = response.get("body") or {}
        except (ValueError, KeyError, TypeError, AttributeError):
            return "a line is no answer of a batch"
        request = requests.get(key)
        if request is None:
            return "a line answers no request of this run"
        if response.get("status_code") != 200:
            return f"{request.key}: HTTP {response.get('status_code')}"
        try:
            answer = openai_chat.read_answer(body, "the batch")
        except NotNowError as error:
            return f"{request.key}: {error}"
        if isinstance(answer, Unanswered):
            return f"{request.key}: {answer.detail}"
        return self._row(key, request, answer, body)

    def _row(
        self, key: bytes, request: Request, answer: Response, body: Mapping[str, Any]
    ) -> StoredResponse:
        usage = usage_of(body, self.openai.price)
        if usage.money is not None and self.openai.price is not None:
            usage = replace(usage, money=usage.money * (1.0 - self.openai.price.batch_discount))
        identity = self.provider.identity(request.kind)
        return StoredResponse(
            key=key,
            kind=str(request.kind),
            provider=identity["provider"],
            model=identity["model"],
            request=dict(request.content()),
            response=answer.model_dump(mode="json", exclude_none=True),
            usage=usage.as_json(),
        )

    def _in_words(self, request: Request) -> Request:
        if isinstance(self.provider, MeteredTranslator):
            return self.provider.question(request)
        return request


def batch_model(model: str, provider: Provider) -> BatchModel:
    """Return a model as batches see it.

    Raises:
        WrongUseError: It has no Batch API.
    """
    inner = provider.inner if isinstance(provider, MeteredTranslator) else provider
    if not isinstance(inner, OpenAIProvider):
        raise WrongUseError(f"{model} is not asked in batches; allowed: openai:<model>")
    return BatchModel(provider, inner)
