"""The choices a StingrayBench run may make, each with the value it has if nobody chooses."""

from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from benchmarks.benchmark import BenchmarkSettings
from benchmarks.prompt_file import embed_prompts
from benchmarks.prompt_style import settle_style
from benchmarks.requests import Truncation
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
    """Cut prompt and label to so many tokens of a local model (authors: 1024); 0 cuts nothing."""
    truncation_side: Literal["right", "left"] = "right"
    """Where tokens go; the authors' tokenizers cut on the right, where the label stands."""
    quantization: Literal["none", "8bit"] = "none"
    """What the weights must be loaded as (authors: 8bit); a model that has others is refused."""

    @property
    def truncation(self) -> Truncation | None:
        """How requests are cut; None: not at all."""
        if not self.truncation_tokens:
            return None
        return Truncation(tokens=self.truncation_tokens, side=self.truncation_side)

    @field_validator("prompt_file")
    @classmethod
    def _keep_content(cls, value: str) -> str:
        return embed_prompts(value, TEMPLATE_FIELDS)

    @model_validator(mode="after")
    def _check_style(self) -> Self:
        return settle_style(self)
