"""Hidden states at rest: one safetensors file a call, named by its checksum."""

import hashlib
from pathlib import Path
from uuid import uuid4

from safetensors.numpy import save

from benchmarks.responses import TensorResponse
from orchestrator.providers.provider import Answer, Unanswered
from scorer.client import HiddenStates
from scorer.schemas import FailedItem

ARTEFACTS_ERROR = "ArtefactsUnwritableError"
"""What cases fail with whose hidden states find no room on the disk; a retry asks them again."""


def save_states(folder: Path, found: HiddenStates) -> list[Answer]:
    """Write the states of one call; a file that stands there already is the same file.

    Returns:
        For each text where its tensor is, or why it has none: a full disk too costs no run.
    """
    tensors = {
        str(number): states
        for number, states in enumerate(found.states)
        if not isinstance(states, FailedItem)
    }
    try:
        name = _write(folder, save(tensors)) if tensors else ""
    except OSError as error:
        reason = f"hidden states cannot be kept in {folder}: {error.strerror or error}"
        return [Unanswered(ARTEFACTS_ERROR, reason)] * len(found.states)
    return [
        Unanswered(states.error, states.detail)
        if isinstance(states, FailedItem)
        else TensorResponse(file=name, tensor=str(number))
        for number, states in enumerate(found.states)
    ]


def _write(folder: Path, body: bytes) -> str:
    """Write a file so that it is whole or not there, and return its absolute path."""
    digest = hashlib.sha256(body).hexdigest()
    path = folder / "hidden-states" / digest[:2] / f"{digest}.safetensors"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(f".{uuid4().hex}.partial")
        try:
            partial.write_bytes(body)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
    return str(path)
