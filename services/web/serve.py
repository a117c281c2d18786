"""Serve an app as a process: check the address, open the app, answer, drain, close."""

import asyncio
import contextlib
import errno
import logging
import signal
import socket
import sys
from collections.abc import Iterator, Mapping

import uvicorn
from fastapi import FastAPI

from services.web.logs import log_json
from services.web.settings import ServiceSettings, is_loopback

LOG = logging.getLogger(__name__)

WRONG_USE = 2
INTERRUPTED = 130


class AddressError(Exception):
    """An address that cannot be listened on, or must not be without a key."""


def serve(
    app: FastAPI,
    settings: ServiceSettings,
    *,
    start_errors: Mapping[type[Exception], int] | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT; requests in flight are answered first.

    Args:
        app: From `make_app`; its lifespan is entered here.
        settings: Where to listen.
        start_errors: Errors of the lifespan that are told in one line, with their exit code.

    Raises:
        SystemExit: 2 for a wrong address, what `start_errors` says, or 130 when interrupted.
    """
    log_json(app.title, settings.log_level)
    config = uvicorn.Config(
        app,
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=settings.drain_timeout_s,
    )
    server = DrainingServer(config)
    loops = config.get_loop_factory()
    foreseen = tuple(start_errors or {})
    try:
        with open_socket(settings) as listener, asyncio.Runner(loop_factory=loops) as runner:
            runner.run(_serve(app, server, listener))
    except AddressError as error:
        _stop(error, WRONG_USE)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except foreseen as error:
        _stop(error, _exit_code(error, start_errors or {}))
    if server.was_interrupted:
        sys.exit(INTERRUPTED)


def open_socket(settings: ServiceSettings) -> socket.socket:
    """Return a socket that listens where the settings say.

    Raises:
        AddressError: The address is taken, unknown or not allowed, or it can be reached from
            other machines while no key is configured.
    """
    host, port = settings.host, settings.port
    if not is_loopback(host) and settings.api_key is None:
        prefix = type(settings).model_config.get("env_prefix", "")
        message = (
            f"listening on {host} needs a key (set {prefix}API_KEY); "
            f"without one only 127.0.0.1, ::1 and localhost are allowed"
        )
        raise AddressError(message)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        return socket.create_server(found[0][4][:2], family=found[0][0], backlog=2048)
    except OSError as error:
        raise AddressError(_address_problem(host, port, error)) from error


def _address_problem(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is taken; end what listens there or choose another port"
    return f"cannot listen on {host}, port {port}: {error.strerror or error}"


class DrainingServer(uvicorn.Server):
    """Ends on a signal without raising it again, so that the lifespan closes what it opened."""

    was_interrupted = False

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Let SIGTERM and SIGINT end the serving."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._end, number)
        yield

    def _end(self, number: signal.Signals) -> None:
        self.was_interrupted = number == signal.SIGINT
        self.handle_exit(number, None)


async def _serve(app: FastAPI, server: DrainingServer, listener: socket.socket) -> None:
    host, port = listener.getsockname()[:2]
    async with app.router.lifespan_context(app):
        LOG.info("listening", extra={"host": host, "port": port})
        await server.serve(sockets=[listener])


def _exit_code(error: Exception, codes: Mapping[type[Exception], int]) -> int:
    return next(code for error_class, code in codes.items() if isinstance(error, error_class))


def _stop(error: Exception, code: int) -> None:
    sys.stderr.write(f"{error}\n")
    sys.exit(code)
