"""Other programs that do the same job, each in a process of the peers' own environment."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ENVIRONMENT = Path(sys.prefix).parent / ".venv-peers"
"""Made by `make bench-peers`."""
SCRIPTS: Mapping[str, str] = {
    "lm_eval_hf_32": "lm_eval_hf.py",
    "minicons_32": "minicons_lm.py",
    "sentence_transformers_32": "sentence_transformers_encoder.py",
}
SCORING = ("lm_eval_hf_32", "minicons_32")
ENCODING = ("sentence_transformers_32",)
BATCH_SIZE = 32
END_TIMEOUT_S = 10.0


class PeerError(Exception):
    """A peer ended before it answered."""


class Peer(AbstractContextManager["Peer"]):
    """A loaded peer that waits, idle, for its next round."""

    def __init__(self, name: str, folder: Path) -> None:
        """Start the peer; it loads while others may compute, so wait for it before timing."""
        script = Path(__file__).parent / "peer_scripts" / SCRIPTS[name]
        self.name = name
        self._process = subprocess.Popen(
            [str(_python()), str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._send({"folder": str(folder), "batch_size": BATCH_SIZE})
        self._receive()

    def score(self, sentences: Sequence[str]) -> tuple[float, list[float]]:
        """Return the seconds that scoring took, and the sum of log-probabilities of each.

        Raises:
            PeerError: The peer ended.
        """
        self._send(list(sentences))
        found = self._receive()
        return float(found["seconds"]), [float(value) for value in found["sums"]]

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the peer."""
        self._process.communicate(timeout=END_TIMEOUT_S)

    def __enter__(self) -> Self:
        """Return the loaded peer."""
        return self

    def _send(self, message: Any) -> None:  # noqa: ANN401  # whatever JSON holds
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise PeerError(f"{self.name} ended with {self._process.wait()}") from error

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise PeerError(f"{self.name} ended with {self._process.wait()}")
        found: dict[str, Any] = json.loads(line)
        return found


def installed_peers(names: Sequence[str]) -> list[str]:
    """Return those peers that can be asked here; none before `make bench-peers`."""
    return list(names) if _python().exists() else []


def _python() -> Path:
    return ENVIRONMENT / "bin" / "python"
