"""What a training reads, what decides it, and what it tells."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from scorer.errors import TrainingDataError


class ScoredPair(BaseModel):
    """Two texts, and how alike they are; one line of a file of pairs."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    text_a: str = Field(min_length=1)
    text_b: str = Field(min_length=1)
    score: float = Field(ge=0, le=1)


@dataclass(frozen=True, slots=True)
class FinetuneSettings:
    """What decides the new weights, beside the model and the pairs."""

    batch_size: int = 16
    n_epochs: int = 10
    n_warm_up_steps: int = 100
    learning_rate: float = 2e-5
    weight_decay: float = 0.01
    seed: int = 0
    checkpoint_steps: int = 100


@dataclass(frozen=True, slots=True)
class FinetuneReport:
    """How a training went."""

    n_pairs: int
    n_steps: int
    n_resumed_steps: int
    """Steps that a checkpoint had already."""
    n_cut_texts: int
    first_epoch_loss: float
    last_epoch_loss: float
    """Mean squared error over the last epoch."""


def read_pairs(file: Path) -> list[ScoredPair]:
    """Read JSON lines of `text_a`, `text_b` and `score`.

    Raises:
        TrainingDataError: No such file, no line in it, or a line that is no such pair.
    """
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise TrainingDataError(f"{file}: cannot be read: {error}") from error
    pairs = [_read_pair(file, number, line) for number, line in enumerate(lines, 1) if line]
    if not pairs:
        raise TrainingDataError(f"{file}: holds no pairs")
    return pairs


def _read_pair(file: Path, number: int, line: str) -> ScoredPair:
    try:
        return ScoredPair.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        detail = f"{place}: {first['msg']}" if place else first["msg"]
        raise TrainingDataError(f"{file}, line {number}: {detail}") from error
