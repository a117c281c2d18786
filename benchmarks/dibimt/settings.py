"""What a user may set about DiBiMT; where the paper leaves a choice open, the default is first."""

from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from benchmarks.benchmark import BenchmarkSettings
from benchmarks.dibimt.prompts import TEMPLATE_FIELDS
from benchmarks.prompt_file import embed_prompts
from benchmarks.prompt_style import settle_style
from benchmarks.requests import BosPolicy
from benchmarks.translation_prompts import TranslateBy


class DibimtSettings(BenchmarkSettings):
    """The defaults are the paper's where it speaks."""

    lemmatiser: str = "default"
    """`default`, `stanza`, or `stanza:<folder with its models>`."""
    match_pos: Literal["off", "on"] = "off"
    """Whether a matched token must have the part of speech of the item (or of the entry)."""
    surface: Literal["bounded", "substring", "off"] = "bounded"
    """How the bare text is searched when no token matched: `bounded` does not look inside longer
    words where the language writes spaces between words."""
    ambiguous: Literal["apart", "good", "bad"] = "apart"
    """What a translation with a good *and* a bad lemma is: a class of its own outside accuracy,
    or as if only the one were there."""
    n_beams: Annotated[int, Field(ge=1, le=64)] = 5
    wsd_file: str = ""
    """Predictions of a word-sense-disambiguation system: JSON lines with `id` and `synset`."""
    system: str = ""
    """Whose BAD translations `model_errors` asks about: a file of the folder `translations`; empty
    takes the first by name."""
    priority: str = ""
    """Where their GOOD translations come from: systems and `human`, joined by commas, the best
    first; empty takes the other systems by name, then `human`."""
    n_errors: Annotated[int, Field(ge=1)] = 50
    """How many BAD items of each language are drawn."""
    error_seed: int = 0
    """Where the draw starts; apart from the run's seed, for it decides what the items are."""
    translate_by: TranslateBy = "translation"
    """Whether a translation system is asked, or a generating model with a prompt."""
    max_new_tokens: int = Field(default=1024, ge=1, le=32_768)
    """Of a translation by a generating model."""
    prompt_style: Literal["source", "instruction", "file", "all"] = "source"
    """How `model_errors` gives the source: alone, for encoder-decoders; or with a request to
    translate, for decoders. With translate_by=generation also which of two wordings asks for a
    translation."""
    prompt_file: str = ""
    """Own templates (JSON: model_errors, translation); the content is kept, so that workers have
    it."""
    chat_template: bool = False
    """Whether the prompt of `model_errors` is put into the model's chat format."""
    bos_policy: BosPolicy = "default"

    @field_validator("prompt_file")
    @classmethod
    def _keep_content(cls, value: str) -> str:
        return embed_prompts(value, TEMPLATE_FIELDS, needs_all=False)

    @model_validator(mode="after")
    def _check_style(self) -> Self:
        return settle_style(self)
