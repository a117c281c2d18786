"""The choices a run of DTAiLS may make, each with the value it has if nobody chooses."""

from typing import Literal

from pydantic import Field

from benchmarks.benchmark import BenchmarkSettings


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
    prompt_style: Literal["released", "short", "all"] = "released"
    prompt_file: str = ""
    """Own templates: JSON with plain, with_rules, system; or a text that is the user turn."""
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
