"""The choices a StingrayBench run may make, each with the value it has if nobody chooses."""

from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from benchmarks.benchmark import BenchmarkSettings
from benchmarks.prompt_file import embed_prompts
from benchmarks.prompt_style import settle_style
from benchmarks.stingray.prompts import TEMPLATE_FIELDS


class StingraySettings(BenchmarkSettings):
    """Where the paper leaves a choice open, the default is what its released code does."""

    inference: Literal["likelihood", "generation"] = "likelihood"
    prompt_style: Literal["released", "paper", "file", "all"] = "released"
    """`all` asks every style, and the semantic task in both orders of its sentences."""
    prompt_file: str = ""
    """Own templates (JSON: semantic, usage); the content is kept, so that workers have it."""
    option_order: Literal["l1-first", "l2-first"] = "l1-first"
    """Whose sentence stands at A; the authors ask only with L1 first."""
    chat_template: bool = False
    """Whether the prompt is put into the model's chat format; the released code does not."""
    layout: Literal["decoder", "encoder-decoder"] = "decoder"
    """encoder-decoder: the source ends in "Answer: " and the target is the bare label."""
    cognate_word: Literal["own", "pair"] = "own"
    """pair: a cognate's usage prompt names "w1,w2", as the released likelihood code does."""
    max_new_tokens: int = Field(default=3, ge=1, le=4096)
    parser: Literal["released", "paper"] = "released"
    """Which reading of a generated answer counts; both are kept."""
    semantic_sides: Literal["gold", "acceptance"] = "gold"
    """What the accuracies on L1 and L2 are in the semantic task; both are reported."""
    aggregate: Literal["accuracies", "scores"] = "accuracies"
    """Whether accuracies or finished scores are averaged over cells; both are reported."""
    truncation_tokens: int = Field(default=0, ge=0, le=1_000_000)
    """The limit that the scorer was started with (authors: 1024), for the record; 0 is none."""
    quantization: Literal["none", "8bit"] = "none"
    """How the scorer loaded the weights (authors: 8bit), for the record."""

    @field_validator("prompt_file")
    @classmethod
    def _keep_content(cls, value: str) -> str:
        return embed_prompts(value, TEMPLATE_FIELDS)

    @model_validator(mode="after")
    def _check_style(self) -> Self:
        return settle_style(self)
