"""What Prometheus may know of a service: how many requests, how long, how they ended."""

import time

from fastapi import APIRouter, Response
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from starlette.types import ASGIApp, Message, Receive, Scope, Send

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# From a health check to a long generation.
DURATION_BUCKETS_S = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)


class RequestMonitor:
    """The numbers of one app; a registry of its own, so that many apps fit in one process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self.requests = Counter(
            "polysense_http_requests_total",
            "Requests answered.",
            ["method", "route", "status"],
            registry=self.registry,
        )
        self.durations = Histogram(
            "polysense_http_request_duration_seconds",
            "Time from a request's first byte to its answer's last.",
            ["method", "route"],
            buckets=DURATION_BUCKETS_S,
            registry=self.registry,
        )
        self.in_progress = Gauge(
            "polysense_http_requests_in_progress",
            "Requests that are being answered.",
            registry=self.registry,
        )


class RequestCount:
    """Count every request under its route's template, never under its path."""

    def __init__(self, app: ASGIApp, *, monitor: RequestMonitor) -> None:
        self._app = app
        self._monitor = monitor

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; count its answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 500

        async def watch(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        began = time.perf_counter()
        try:
            with self._monitor.in_progress.track_inprogress():
                await self._app(scope, receive, watch)
        finally:
            method = scope["method"] if scope["method"] in METHODS else "other"
            route = getattr(scope.get("route"), "path", "unmatched")
            self._monitor.requests.labels(method, route, str(status)).inc()
            self._monitor.durations.labels(method, route).observe(time.perf_counter() - began)


def metrics_route(monitor: RequestMonitor) -> APIRouter:
    """Return `/metrics` in Prometheus' text format."""
    router = APIRouter(tags=["health"])

    @router.get("/metrics", response_class=Response)
    def metrics() -> Response:
        """Return the current numbers."""
        content = generate_latest(monitor.registry)
        return Response(content, headers={"Content-Type": CONTENT_TYPE_LATEST})

    return router
