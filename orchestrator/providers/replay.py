"""Recorded responses, read from JSON lines `{"key", "response"}`."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.errors import ReplayError
from benchmarks.requests import Request, RequestKind
from benchmarks.responses import Response, TensorResponse, parse_response
from orchestrator.errors import WrongUseError
from orchestrator.providers.provider import Answer, Unanswered

RETRY = "/retry"
SEED = re.compile(r"seed\d+")
VERSION = "2"
"""Changes whenever a line may answer another request than before: cached answers are told apart."""


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    """1-based."""
    payload: Any


class ReplayProvider:
    """Answers by key; a line whose key lacks the seed answers every seed."""

    kinds = frozenset(RequestKind)
    answers_by_key = True

    def __init__(self, path: Path) -> None:
        """Read the whole file.

        Raises:
            WrongUseError: It is missing, a line is malformed, or a key stands twice.
        """
        self._path = path
        self._lines, self._sha256 = _read_lines(path)

    def identity(self, kind: RequestKind) -> Mapping[str, str]:
        """Return the file's name and checksum."""
        del kind
        return {
            "provider": "replay",
            "version": VERSION,
            "model": self._path.name,
            "file_sha256": self._sha256,
        }

    def unknown_keys(self, requests: Iterable[Request]) -> list[str]:
        """Check every recorded response against its request; return the keys that none asks for.

        Raises:
            WrongUseError: A response does not fit its request; names the line.
        """
        unknown = dict.fromkeys(self._lines)
        for request in requests:
            spellings = _spellings(request)
            for key in (*spellings, *(spelling + RETRY for spelling in spellings)):
                if key in self._lines:
                    unknown.pop(key, None)
                    self._response(request, key)
        return list(unknown)

    async def answer(self, requests: Sequence[Request]) -> list[Answer]:
        """Answer every request, in order."""
        return [self._answer(request) for request in requests]

    async def close(self) -> None:
        """Nothing is held."""

    def _answer(self, request: Request) -> Answer:
        for key in _spellings(request):
            if key in self._lines:
                return self._response(request, key)
        detail = f"{self._path.name} has no line for {request.key}"
        return Unanswered("NotRecordedError", detail, is_recorded=False)

    def _response(self, request: Request, key: str) -> Response:
        line = self._lines[key]
        try:
            response = parse_response(request, line.payload)
        except ReplayError as error:
            raise WrongUseError(f"{self._path}:{line.number}: {error}") from error
        if isinstance(response, TensorResponse):
            return TensorResponse(
                file=str((self._path.parent / response.file).resolve()), tensor=response.tensor
            )
        return response


def _spellings(request: Request) -> tuple[str, str]:
    """Return the keys that may answer a request: the exact one, then the one without its seed.

    Other parts are other questions: no answer to one may stand in for an answer to another.
    """
    suffix = RETRY if request.key.endswith(RETRY) else ""
    exact = request.key.removesuffix(RETRY)
    part = request.part.removesuffix(RETRY)
    short = exact.removesuffix(f"/{part}") if SEED.fullmatch(part) else exact
    return exact + suffix, short + suffix


def _read_lines(path: Path) -> tuple[dict[str, _Line], str]:
    if not path.is_file():
        raise WrongUseError(f"no replay file at {path}")
    digest = hashlib.sha256()
    lines: dict[str, _Line] = {}
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            digest.update(raw)
            if raw.strip():
                key, line = _read_line(f"{path}:{number}", raw, number)
                if key in lines:
                    first = lines[key].number
                    raise WrongUseError(f"{path}:{number}: key {key!r} stands on line {first} too")
                lines[key] = line
    return lines, digest.hexdigest()


def _read_line(place: str, raw: bytes, number: int) -> tuple[str, _Line]:
    expected = 'a line is {"key": "...", "response": {...}}'
    try:
        record = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise WrongUseError(f"{place}: not JSON ({error}); {expected}") from error
    if not isinstance(record, dict) or set(record) != {"key", "response"}:
        met = sorted(record) if isinstance(record, dict) else type(record).__name__
        raise WrongUseError(f"{place}: met {met}; {expected}")
    if not isinstance(record["key"], str) or not isinstance(record["response"], dict):
        raise WrongUseError(f"{place}: key must be text and response an object; {expected}")
    return record["key"], _Line(number=number, payload=record["response"])


def first_answer_stands(answer: Answer) -> bool:
    """Say whether a retry is simply not recorded, so that the first answer counts."""
    return isinstance(answer, Unanswered) and not answer.is_recorded
