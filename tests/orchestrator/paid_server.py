"""Small real HTTP servers that answer as paid providers do, and misbehave as they are told."""

import hashlib
import json
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MAX_HANG_S = 30.0


@dataclass(frozen=True)
class Reply:
    """One answer of a server; or none, or half of one."""

    status: int = 200
    body: Any = None
    """JSON, or the bytes themselves."""
    headers: Mapping[str, str] = field(default_factory=dict)
    hangs: bool = False
    is_truncated: bool = False


@dataclass(frozen=True)
class Asked:
    """One call that a server has seen."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


class FakePaidServer:
    """Answers in threads of its own until it is closed; `script` comes before ordinary answers."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.script: deque[Reply] = deque()
        self.always: Reply | None = None
        self.n_at_once = self.most_at_once = 0
        self._lock = threading.Lock()
        self._released = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,))
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    def close(self) -> None:
        self._released.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def calls(self, ending: str = "") -> list[Asked]:
        """Return the calls of a path."""
        return [each for each in self.asked if each.path.endswith(ending)]

    def answer(self, asked: Asked) -> Reply:
        """Answer as the real one would."""
        raise NotImplementedError

    def reply(self, asked: Asked) -> Reply:
        with self._lock:
            self.asked.append(asked)
            self.n_at_once += 1
            self.most_at_once = max(self.most_at_once, self.n_at_once)
            found = self.script.popleft() if self.script else self.always
        if found is not None and found.hangs:
            self._released.wait(MAX_HANG_S)
        found = found or self.answer(asked)
        with self._lock:
            self.n_at_once -= 1
        return found


def _handler(server: FakePaidServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            try:
                body = json.loads(raw) if raw else None
            except ValueError:
                body = raw
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = server.reply(Asked(self.command, self.path, headers, body))
            whole = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            try:
                self.send_response_only(reply.status)
                for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(whole)))
                self.end_headers()
                self.wfile.write(whole[: len(whole) // 2] if reply.is_truncated else whole)
            except OSError:
                self.close_connection = True
            if reply.is_truncated or reply.hangs:
                self.close_connection = True

        do_GET = do_POST  # noqa: N815  # as http.server spells it

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            del format, args

    return Handler


class FakeOpenAI(FakePaidServer):
    """Says a chat's last word back; -1 nat a character, a token each; vectors of a hash."""

    def __init__(self, *, ignores_echo: bool = False, wants_new_name: bool = False) -> None:
        self.ignores_echo = ignores_echo
        self.wants_new_name = wants_new_name
        self.batch_lines: list[Any] = []
        super().__init__()

    def answer(self, asked: Asked) -> Reply:
        if "/files" in asked.path or "/batches" in asked.path:
            return self._batch(asked)
        if asked.path.endswith("/chat/completions"):
            return self._chat(asked.body)
        if asked.path.endswith("/completions"):
            return self._complete(asked.body)
        texts = asked.body["input"]
        rows = [{"index": at, "embedding": _vector(text)} for at, text in enumerate(texts)]
        return Reply(body={"data": rows[::-1], "usage": {"prompt_tokens": sum(map(len, texts))}})

    def _chat(self, body: Any) -> Reply:
        if self.wants_new_name and "max_tokens" in body:
            message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return Reply(400, {"error": {"message": message, "code": "unsupported_parameter"}})
        text = body["messages"][-1]["content"]
        choice = {"index": 0, "message": {"content": text[:40]}, "finish_reason": "stop"}
        usage = {"prompt_tokens": len(text), "completion_tokens": 2}
        return Reply(body={"choices": [choice], "usage": usage, "model": "fake-2030-01-01"})

    def _batch(self, asked: Asked) -> Reply:
        if asked.path.endswith("/files"):
            rows = [row for row in asked.body.decode().splitlines() if row.startswith('{"custom')]
            self.batch_lines = [json.loads(row) for row in rows]
            return Reply(body={"id": "file-in"})
        if asked.path.endswith("/content"):
            rows = []
            for line in self.batch_lines:
                ask = self._chat if "messages" in line["body"] else self._complete
                reply = ask(line["body"])
                answer = {"status_code": reply.status, "body": reply.body}
                rows.append(json.dumps({"custom_id": line["custom_id"], "response": answer}))
            return Reply(body="\n".join(rows[::-1]).encode())
        n_lines = len(self.batch_lines)
        counts = {"total": n_lines, "completed": n_lines, "failed": 0}
        state = {"id": "batch-1", "status": "completed", "output_file_id": "file-out"}
        return Reply(body={**state, "request_counts": counts})

    def _complete(self, body: Any) -> Reply:
        prompts = body["prompt"] if isinstance(body["prompt"], list) else [body["prompt"]]
        choices = []
        for at, prompt in enumerate(prompts):
            scores = {"tokens": list(prompt), "token_logprobs": [None, *[-1.0] * (len(prompt) - 1)]}
            if self.ignores_echo:
                scores = {"content": [{"token": "\n", "logprob": -0.95}]}
            choices.append({"index": at, "text": prompt, "logprobs": scores})
        usage = {"prompt_tokens": sum(map(len, prompts)), "completion_tokens": 0}
        return Reply(body={"choices": choices[::-1], "usage": usage})


class FakeDeepL(FakePaidServer):
    """Puts the target before a text; lists its languages."""

    targets = ("DE", "JA", "LV", "EN-US", "ZH-HANS")

    def answer(self, asked: Asked) -> Reply:
        if asked.path.startswith("/v2/languages"):
            return Reply(body=[{"language": name, "name": name} for name in ("EN", *self.targets)])
        if asked.path == "/v2/usage":
            return Reply(body={"character_count": 400, "character_limit": 1000})
        target = asked.body["target_lang"]
        rows = [{"text": f"{target}:{text}"} for text in asked.body["text"]]
        return Reply(body={"translations": rows})


class FakeGoogle(FakePaidServer):
    """Puts the target before a text, in either version."""

    def answer(self, asked: Asked) -> Reply:
        if asked.path.startswith("/v3/"):
            target, texts = asked.body["targetLanguageCode"], asked.body["contents"]
            return Reply(body={"translations": _rows(target, texts)})
        return Reply(body={"data": {"translations": _rows(asked.body["target"], asked.body["q"])}})


def too_fast(retry_after: str = "0") -> Reply:
    """Return the answer to one call too many."""
    body = {"error": {"message": "slow down", "code": "rate_limit_exceeded"}}
    return Reply(429, body, {"Retry-After": retry_after})


def _rows(target: str, texts: list[str]) -> list[dict[str, str]]:
    return [{"translatedText": f"{target}:{text}"} for text in texts]


def _vector(text: str) -> list[float]:
    return [byte - 127.5 for byte in hashlib.sha256(text.encode()).digest()[:8]]
