"""How large a request may be: a body over the limit is answered 413, declared or not."""

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.web.errors import error_answer


class BodyLimit:
    """Refuse by the declared length; count as well, for a body that declares none."""

    def __init__(self, app: ASGIApp, *, max_body_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, unless its body is too large."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        declared = Headers(scope=scope).get("content-length", "")
        if declared.isdecimal() and int(declared) > self._max_bytes:
            await error_answer(413, self._sentence(int(declared)))(scope, receive, send)
            return
        n_bytes = 0

        async def count() -> Message:
            nonlocal n_bytes
            message = await receive()
            n_bytes += len(message.get("body", b""))
            if n_bytes > self._max_bytes:
                raise HTTPException(413, self._sentence(n_bytes))
            return message

        await self._app(scope, count, send)

    def _sentence(self, n_bytes: int) -> str:
        return f"the body has {n_bytes} bytes or more; the limit is {self._max_bytes}"
