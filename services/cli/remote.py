"""A run that lives at an orchestrator: created, watched and read over HTTP."""

import os
import time
from dataclasses import asdict
from typing import Any

import httpx

from orchestrator.run import Labels
from orchestrator.spec import RunSpec
from services.cli.exits import UnreachableError, UsageError
from services.cli.printing import say
from services.cli.progress import progress_bar

POLL_S = 0.3
LIVE = ("queued", "running")


class Api:
    """The orchestrator's HTTP interface, as the command line needs it."""

    def __init__(self, url: str) -> None:
        key = os.environ.get("POLYSENSE_API_KEY", "")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._url = url.rstrip("/")
        self._http = httpx.Client(base_url=self._url, headers=headers, timeout=120.0)

    def create(
        self, spec: RunSpec, labels: Labels | None = None, key: str | None = None
    ) -> dict[str, Any]:
        """Create a run; warnings and skipped tasks are told on stderr.

        Args:
            spec: What decides the run.
            labels: What is kept beside it.
            key: Of the same key and spec there is one run.
        """
        beside = {} if labels is None else {k: v for k, v in asdict(labels).items() if v}
        body = spec.model_dump(mode="json") | beside
        created = self._send("POST", "/v1/runs", body, key)
        for task, reason in created["skipped"].items():
            say(f"skipped task {task}: {reason}")
        for warning in created["warnings"]:
            say(f"warning: {warning}")
        found: dict[str, Any] = created["run"]
        return found

    def act(self, name: str, action: str) -> dict[str, Any]:
        """Pause, cancel, resume or retry a run; `last` is the newest one."""
        return self._send("POST", f"/v1/runs/{self._id(name)}/{action}")

    def delete(self, name: str) -> str:
        """Delete a run; return its id."""
        run_id = self._id(name)
        self._send("DELETE", f"/v1/runs/{run_id}")
        return run_id

    def run(self, run_id: str) -> dict[str, Any]:
        """Return a run with its progress, and its scores once there are any."""
        return self._send("GET", f"/v1/runs/{run_id}")

    def wait(self, run_id: str) -> dict[str, Any]:
        """Return a run when it is no longer queued or running; show its progress meanwhile."""
        with progress_bar() as progress:
            bar = progress.add_task("")
            while True:
                run = self.run(run_id)
                count = run["progress"]
                done = count["n_outcomes"] + count["n_failures"]
                what = run["reason"] or run["benchmark"]
                progress.update(bar, description=what, completed=done, total=count["n_cases"])
                if run["status"] not in LIVE:
                    return run
                time.sleep(POLL_S)

    def _id(self, name: str) -> str:
        if name != "last":
            return name
        found: Any = self._send("GET", "/v1/runs?limit=1")
        if not found:
            raise UsageError("there is no run yet; `polysense run` makes one")
        return str(found[0]["id"])

    def _send(
        self, method: str, path: str, body: dict[str, Any] | None = None, key: str | None = None
    ) -> dict[str, Any]:
        headers = {"Idempotency-Key": key} if key else {}
        try:
            response = self._http.request(method, path, json=body, headers=headers)
        except httpx.TransportError as error:
            raise UnreachableError(f"no answer from {self._url}: {error}") from error
        if response.is_success:
            answer: dict[str, Any] = response.json() if response.content else {}
            return answer
        raise _error(response)


def _error(response: httpx.Response) -> Exception:
    try:
        detail = str(response.json()["detail"])
    except (ValueError, KeyError, TypeError):
        detail = f"HTTP {response.status_code} from {response.url}"
    return UnreachableError(detail) if response.status_code >= 500 else UsageError(detail)
