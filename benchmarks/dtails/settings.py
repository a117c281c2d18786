"""The choices a run of DTAiLS may make, each with the value it has if nobody chooses."""

import json
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from benchmarks.benchmark import BenchmarkSettings
from benchmarks.dtails.prompts import TEMPLATE_FIELDS
from benchmarks.dtails.tables import read_text
from benchmarks.errors import DataError
from benchmarks.prompt_file import embed_prompts
from benchmarks.prompt_style import settle_style


class DtailsSettings(BenchmarkSettings):
    """Where the paper leaves a choice open, the default is what its released code does."""

    rules: str = "none"
    """none, self (the measured model writes them first), or a rules artefact's file."""
    invalid_rules: Literal["plain", "unscored"] = "plain"
    """What becomes of a concept whose rules could not be made: asked without rules, or not."""
    parser: Literal["released", "strict"] = "released"
    """Which reading of an answer counts; both are kept."""
    retry_position: Literal["user", "system"] = "user"
    """Where the retry's sentence goes in rules mode; the released code appends to the system."""
    system_role: Literal["on", "off"] = "on"
    """off: system and user text in one user turn, for models without a system role (Gemma)."""
    prompt_style: Literal["released", "short", "file", "all"] = "released"
    """How a generating model is asked; `all` asks in every style."""
    prompt_file: str = ""
    """Own templates (JSON: plain, with_rules, system, translation; or a text that is plain); the
    content is kept, so that workers have it."""
    max_new_tokens: int = Field(default=1024, ge=1, le=32_768)
    frequency_from: Literal["expert", "train", "train+expert"] = "expert"
    """Which labels the frequency baseline counts."""
    matcher: Literal["released", "strict"] = "released"
    """Which search in a translation counts; both are kept."""
    lemmatiser: str = "default"
    """default, stanza, or stanza:<folder with its models>."""
    translate_by: Literal["translation", "generation"] = "translation"
    """Whether a translation system is asked, or a generating model with a prompt."""
    n_beams: int = Field(default=1, ge=1, le=64)
    """1 is greedy search, as the released code decodes."""
    rules_sentences: int = Field(default=50, ge=0, le=10_000)
    """Sentences a variation when rules are made; the released code's default is 25."""
    rules_max_tokens: int = Field(default=50, ge=1, le=100_000)
    """Longer sentences are not shown when rules are made."""

    @field_validator("prompt_file")
    @classmethod
    def _keep_content(cls, value: str) -> str:
        return embed_prompts(_as_json(value), TEMPLATE_FIELDS, needs_all=False)

    @model_validator(mode="after")
    def _check_style(self) -> Self:
        return settle_style(self)


def _as_json(prompt_file: str) -> str:
    """Return the templates of a file that is a text; what is JSON, or names it, stays."""
    path = Path(prompt_file)
    if not prompt_file.strip() or prompt_file.lstrip().startswith("{") or path.suffix == ".json":
        return prompt_file
    try:
        return json.dumps({"plain": read_text(path).rstrip("\n")})
    except DataError as error:
        raise ValueError(str(error)) from error
