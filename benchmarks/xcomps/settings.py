"""The choices an XCOMPS run may make, each with the value it has if nobody chooses."""

from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from benchmarks.benchmark import BenchmarkSettings
from benchmarks.prompt_file import embed_prompts
from benchmarks.requests import BosPolicy
from benchmarks.xcomps.prompts import TEMPLATE_FIELDS


class XcompsSettings(BenchmarkSettings):
    """Where the paper leaves a choice open, the default is the plainest reading."""

    normalisation: Literal["sum", "tokens", "characters", "bytes"] = "sum"
    """By what log-probabilities are divided before they are compared; all are reported."""
    scoring: Literal["sentence", "conditional"] = "sentence"
    """conditional: only the property phrase is scored, given the concept before it (COMPS)."""
    bos_policy: BosPolicy = "default"
    options: Literal["concepts", "labels"] = "concepts"
    """What the Meta task lets a model choose from: the two concepts, or the numbers 1 and 2."""
    prompt_style: Literal["own", "file", "all"] = "own"
    """`all` asks the Meta task with concepts, with labels and with the prompt file."""
    prompt_file: str = ""
    """Own Meta templates (JSON: language code or `default` → text); the content is kept."""
    chat_template: bool = False
    drop_full_stop: bool = False
    """Whether the Neuro task cuts the last character of a sentence, as related code does."""
    folds: Literal["sentence", "group"] = "sentence"
    """Whether folds part sentences (as published) or whole properties; both are reported."""
    neuro_summary: Literal["mean", "best"] = "mean"
    """Which number stands for all layers; both are reported."""
    probe_seed: int = Field(default=42, ge=0, le=2**32 - 1)
    """Where folds and control labels start."""

    @field_validator("prompt_file")
    @classmethod
    def _keep_content(cls, value: str) -> str:
        return embed_prompts(value, TEMPLATE_FIELDS, needs_all=False)

    @model_validator(mode="after")
    def _check_style(self) -> Self:
        if self.prompt_style == "file" and not self.prompt_file:
            raise ValueError("prompt_style=file needs prompt_file=<path>")
        if self.prompt_file and self.prompt_style == "own":
            if "prompt_style" in self.model_fields_set:
                raise ValueError("prompt_style=own excludes a prompt_file")
            return self.model_copy(update={"prompt_style": "file"})
        return self
