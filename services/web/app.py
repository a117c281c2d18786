"""Make the app on which a service stands: errors, keys, logs, numbers and health are in place."""

from importlib.metadata import version
from typing import Any

from fastapi import FastAPI
from starlette.types import Lifespan

from services.web.auth import KeyGate, PageAccess
from services.web.errors import ErrorBody, LastResort, answer_web_errors
from services.web.headers import API_POLICY, SecurityHeaders
from services.web.health import Readiness, health_routes
from services.web.limits import BodyLimit
from services.web.logs import RequestLog
from services.web.monitoring import RequestCount, RequestMonitor, metrics_route
from services.web.settings import ServiceSettings


class ServiceApp(FastAPI):
    """A FastAPI whose OpenAPI document tells of the key."""

    has_key: bool = False
    monitor: RequestMonitor
    """A service registers its own numbers in `monitor.registry`."""

    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI 3.1 document."""
        document = super().openapi()
        if self.has_key:
            schemes = document.setdefault("components", {}).setdefault("securitySchemes", {})
            schemes["key"] = {"type": "http", "scheme": "bearer"}
            document["security"] = [{"key": []}]
        return document


def make_app(
    title: str,
    description: str,
    settings: ServiceSettings,
    *,
    lifespan: Lifespan[Any] | None = None,
    readiness: Readiness | None = None,
    pages: PageAccess | None = None,
) -> ServiceApp:
    """Return an app to which a service adds its routes and its table of errors.

    Args:
        title: What the service is called in its OpenAPI document.
        description: What it is for, in one sentence.
        settings: Where it listens, its key and its limits.
        lifespan: Opens what the service needs and closes it; `serve` runs it.
        readiness: Returns None when the service can serve, else what is missing.
        pages: For a service with pages: what a browser without a session may see.
    """
    app = ServiceApp(
        title=title,
        description=description,
        version=version("polysense"),
        lifespan=lifespan,
        docs_url=None,  # Its page loads scripts from other sites.
        redoc_url=None,
        responses={"default": {"model": ErrorBody, "description": "What went wrong."}},
    )
    app.has_key = settings.api_key is not None
    app.monitor = RequestMonitor()
    answer_web_errors(app)
    app.include_router(health_routes(readiness))
    app.include_router(metrics_route(app.monitor))
    # The last one added stands outermost.
    app.add_middleware(LastResort)
    app.add_middleware(BodyLimit, max_body_bytes=settings.max_body_bytes)
    app.add_middleware(KeyGate, settings=settings, pages=pages)
    policy = pages.content_security_policy if pages else API_POLICY
    app.add_middleware(SecurityHeaders, content_security_policy=policy)
    app.add_middleware(RequestCount, monitor=app.monitor)
    app.add_middleware(RequestLog)
    return app
