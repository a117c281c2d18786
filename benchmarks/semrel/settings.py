"""The choices a SemRel2024 run may make, each with the value it has if nobody chooses."""

from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from benchmarks.benchmark import BenchmarkSettings
from benchmarks.prompt_file import embed_prompts
from benchmarks.prompt_style import settle_style
from benchmarks.semrel.prompts import DEFAULT_STYLE, TEMPLATE_FIELDS


class SemrelSettings(BenchmarkSettings):
    """Where the paper leaves a choice open, the default is what its released code does."""

    track: Literal["any", "A", "B", "C"] = "any"
    """Where pairs are read from; `any`: the first of A, B, C that has the language."""
    split: Literal["test", "dev", "train"] = "test"
    """What is scored; Spanish has no test labels and is scored on dev."""
    inference: Literal["similarity", "rating"] = "similarity"
    """Whether an encoder compares the sentences, or a generating model is asked for a number."""
    measure: Literal["cosine", "bertscore"] = "cosine"
    """How an encoder compares them; for mBERT and XLM-R the paper's BERTScore needs layer=9."""
    pooling: Literal["mean", "first", "last"] = "mean"
    """From token vectors to the sentence's, for cosine; special tokens are included."""
    layer: int = -1
    """Which layer's vectors; -1 is the last, 0 the embeddings."""
    prompt_style: Literal["number", "scale", "file", "all"] = DEFAULT_STYLE
    """How a number is asked for; `all` asks in every style and in both orders of the sentences."""
    prompt_file: str = ""
    """Own template (JSON: rating); the content is kept, so that workers have it."""
    chat_template: bool = True
    """Whether the prompt is put into the model's chat format."""
    max_new_tokens: int = Field(default=8, ge=1, le=4096)
    """How long the answer to a rating prompt may get."""

    @field_validator("prompt_file")
    @classmethod
    def _keep_content(cls, value: str) -> str:
        return embed_prompts(value, TEMPLATE_FIELDS)

    @model_validator(mode="after")
    def _check_style(self) -> Self:
        return settle_style(self)
