"""What stands between workers and a scorer, and can be slow, hang or talk nonsense."""

import asyncio
import random
import socket
import threading
from collections.abc import Callable

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

NONSENSE: tuple[Callable[[], Response], ...] = (
    lambda: Response("<html>bad gateway</html>", 500),
    lambda: Response('{"model": "fake", "results": [', 200),
    lambda: Response('{"model": "fake", "results": []}', 200),
    lambda: Response('{"model": "fake", "answers": [1, 2, 3]}', 200),
    lambda: Response(b"\xff\xfe\x00", 200),
    lambda: Response("", 200),
)


class FaultProxy:
    """An HTTP proxy in a thread of its own; its faults are plain attributes."""

    def __init__(self, target: str, seed: str) -> None:
        self.target = target
        self.delay_s = 0.0
        self.nonsense_share = 0.0
        self.n_asked = 0
        self.n_nonsense = 0
        self._random = random.Random(seed)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        app = Starlette(routes=[Route("/{path:path}", self._answer, methods=["GET", "POST"])])
        config = uvicorn.Config(app, port=self.port, log_level="critical", lifespan="off")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._server.should_exit = True
        self._server.force_exit = True
        self._thread.join(10)

    def behave(self) -> None:
        """Pass everything on as it is."""
        self.delay_s = self.nonsense_share = 0.0

    async def _answer(self, request: Request) -> Response:
        body = await request.body()
        if request.method == "POST":
            self.n_asked += 1
            await asyncio.sleep(self.delay_s)
            if self._random.random() < self.nonsense_share:
                self.n_nonsense += 1
                return self._random.choice(NONSENSE)()
        try:
            async with httpx.AsyncClient(timeout=600.0) as client:
                found = await client.request(
                    request.method,
                    f"{self.target}{request.url.path}",
                    content=body,
                    headers={"Content-Type": "application/json"},
                )
        except httpx.TransportError:
            return Response("no scorer", 502)
        return Response(found.content, found.status_code, media_type=found.headers["content-type"])
