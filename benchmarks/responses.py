"""What comes back from a model, one class a shape; also the layout of a replay line's response."""

import math
from collections.abc import Sequence
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from benchmarks.errors import ReplayError
from benchmarks.requests import LogProbRequest, Request, RequestKind
from benchmarks.validation import first_problem


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError(f"{value} is not a finite number")
    return value


FiniteFloat = Annotated[float, Field(strict=True), AfterValidator(_finite)]


class _Response(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LogProbResponse(_Response):
    """Log-probabilities (nats) of a request's continuations, in their order."""

    log_probs: tuple[Annotated[tuple[FiniteFloat, ...], Field(min_length=1)], ...] | None = None
    """Per continuation, per scored token."""
    sums: tuple[FiniteFloat, ...] = ()
    n_tokens: tuple[Annotated[int, Field(ge=1)], ...] | None = None
    """Scored tokens of each continuation; None where unknown: then there is no per-token score."""
    is_straddling: tuple[bool, ...] | None = None
    """Whether a token spans the join of context and continuation."""
    eos_log_probs: tuple[FiniteFloat | None, ...] | None = None
    """The end of each continuation, apart from its sum; None where a model has no such number."""

    @model_validator(mode="before")
    @classmethod
    def _sum_up(cls, data: Any) -> Any:  # noqa: ANN401  # whatever JSON held
        if isinstance(data, dict) and data.get("log_probs") is not None and not data.get("sums"):
            rows = data["log_probs"]
            sums = [math.fsum(row) for row in rows]
            return {**data, "sums": sums, "n_tokens": [len(row) for row in rows]}
        return data

    @model_validator(mode="after")
    def _check_lengths(self) -> Self:
        lengths = {
            len(part)
            for part in (
                self.sums,
                self.log_probs,
                self.n_tokens,
                self.is_straddling,
                self.eos_log_probs,
            )
            if part is not None
        }
        if len(lengths) != 1 or not self.sums:
            raise ValueError("log_probs, sums and n_tokens need one entry a continuation")
        return self

    @model_validator(mode="after")
    def _check_agreement(self) -> Self:
        for at, row in enumerate(self.log_probs or ()):
            if not math.isclose(math.fsum(row), self.sums[at], rel_tol=1e-4, abs_tol=1e-2):
                raise ValueError(f"sums has {self.sums[at]}, log_probs add up to {math.fsum(row)}")
            if self.n_tokens is not None and self.n_tokens[at] != len(row):
                raise ValueError(f"n_tokens has {self.n_tokens[at]}, log_probs has {len(row)}")
        return self


class TextResponse(_Response):
    """A generated or translated text, as the model gave it."""

    text: str
    is_finished: bool = True
    """False where the model was cut off at its limit of new tokens."""
    raw_text: str | None = None
    """As it was before the model's thinking was taken out; None where there was none."""


class VectorResponse(_Response):
    """The embedding of one text."""

    vector: tuple[FiniteFloat, ...] = Field(min_length=1)


class ValueResponse(_Response):
    """One number: the similarity of two texts."""

    value: FiniteFloat


class TensorResponse(_Response):
    """Hidden states kept in a safetensors file: shape (n_layers, width), or with tokens between."""

    file: str
    tensor: str


Response = LogProbResponse | TextResponse | VectorResponse | ValueResponse | TensorResponse

RESPONSE_CLASSES: dict[RequestKind, type[Response]] = {
    RequestKind.LOG_PROB: LogProbResponse,
    RequestKind.GENERATE: TextResponse,
    RequestKind.TRANSLATE: TextResponse,
    RequestKind.EMBED: VectorResponse,
    RequestKind.SIMILARITY: ValueResponse,
    RequestKind.HIDDEN_STATES: TensorResponse,
}


def parse_response(request: Request, payload: Any) -> Response:  # noqa: ANN401  # any JSON value
    """Read one response that answers `request`.

    Raises:
        ReplayError: The payload is no response of this kind, or has the wrong number of sums.
    """
    try:
        response = RESPONSE_CLASSES[request.kind].model_validate(payload)
    except (ValidationError, TypeError) as error:
        raise ReplayError(f"{request.key}: {_reason(error)}") from error
    if isinstance(request, LogProbRequest) and isinstance(response, LogProbResponse):
        _check_count(request, response.sums)
    return response


def _check_count(request: LogProbRequest, sums: Sequence[float]) -> None:
    if len(sums) != len(request.continuations):
        raise ReplayError(
            f"{request.key}: {len(sums)} sums, but the request has {len(request.continuations)}"
            f" labels {list(request.labels)}"
        )


def _reason(error: Exception) -> str:
    return first_problem(error) if isinstance(error, ValidationError) else str(error)
