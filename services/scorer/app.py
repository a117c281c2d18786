"""The scorer as a service: put together from its parts."""

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator

from fastapi import FastAPI

from scorer.backends import load_backend
from scorer.backends.options import LoadOptions
from scorer.batching.model_thread import ModelThread, QueueLimits
from scorer.errors import (
    BackendError,
    CallerError,
    ModelLoadingError,
    ModelNotFoundError,
    NotAllowedError,
    NotNowError,
    QueueFullError,
    ScorerError,
    TextTooLongError,
    TooManyItemsError,
)
from services.home import open_home
from services.scorer.engine import Engine
from services.scorer.monitoring import watch_queue
from services.scorer.openai_routes import router as openai_router
from services.scorer.routes import router
from services.scorer.settings import ScorerSettings
from services.web.app import ServiceApp, make_app
from services.web.errors import answer_errors
from services.web.serve import serve
from services.web.settings import SettingsError

STATUSES: dict[type[Exception], int] = {
    CallerError: 422,
    NotAllowedError: 401,
    TextTooLongError: 413,
    TooManyItemsError: 413,
    NotNowError: 503,
    ModelLoadingError: 503,
    QueueFullError: 503,
    ScorerError: 500,
    BackendError: 500,
}

CLOSE_TIMEOUT_S = 3.0
"""Requests have been drained by then: what the model still works on, nobody waits for."""


def make_scorer(settings: ScorerSettings) -> ServiceApp:
    """Return the app; its model begins to load when the app starts."""
    engine = make_engine(settings)

    @contextlib.asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with running(engine.model_thread):
            yield

    async def readiness() -> str | None:
        return None if engine.model_thread.loaded.done() else "the weights are still being loaded"

    app = make_app(
        "polysense scorer",
        "Stands in front of one model: log-probabilities, texts, hidden states.",
        settings,
        lifespan=lifespan,
        readiness=readiness,
    )
    app.state.engine = engine
    app.include_router(router)
    app.include_router(openai_router)
    answer_errors(app, STATUSES)
    watch_queue(app.monitor.registry, engine.model_thread)
    return app


def make_engine(settings: ScorerSettings) -> Engine:
    """Return an engine whose model is not loaded yet."""
    options = LoadOptions(
        cache=settings.cache or open_home().cache,
        device=settings.device,
        dtype=settings.dtype,
        n_threads=settings.threads,
        max_batch_tokens=settings.max_batch_tokens,
        backend=settings.backend,
        context_window=settings.context_window,
        tensor_parallel=settings.tensor_parallel,
        data_parallel=settings.data_parallel,
        gpu_memory_share=settings.gpu_memory_share,
    )
    limits = QueueLimits(
        window_s=settings.window_ms / 1000, max_waiting_tokens=settings.max_waiting_tokens
    )
    model_thread = ModelThread(lambda: load_backend(settings.model, options), limits)
    return Engine(
        model_thread, max_items=settings.max_items, max_answer_bytes=settings.max_answer_bytes
    )


@contextlib.asynccontextmanager
async def running(model_thread: ModelThread) -> AsyncIterator[None]:
    """Load in the background; a model that cannot be loaded ends the process.

    Raises:
        ModelNotFoundError: No such model, or none that can be loaded here.
    """
    server = asyncio.current_task()
    loop = asyncio.get_running_loop()

    def end_if_failed(_loaded: object) -> None:
        if model_thread.loaded.exception() is not None and server is not None:
            loop.call_soon_threadsafe(server.cancel)

    model_thread.start()
    model_thread.loaded.add_done_callback(end_if_failed)
    try:
        yield
    except asyncio.CancelledError:
        error = model_thread.loaded.exception() if model_thread.loaded.done() else None
        if error is None or server is None:
            raise
        server.uncancel()
        raise error from None
    finally:
        await asyncio.to_thread(model_thread.close, CLOSE_TIMEOUT_S)


def main() -> None:
    """Serve until told to stop."""
    # Read when torch is loaded. Threads that wait in a loop for one another take three times the
    # processor time as soon as anything else runs on the same cores.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        settings = ScorerSettings.read()
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
    serve(make_scorer(settings), settings, start_errors={ModelNotFoundError: 2, ScorerError: 3})
