"""What a run is asked to be: the wire form, and the name of a model taken apart."""

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from benchmarks.plugins import PROVIDERS_GROUP, Plugins, find_plugins
from orchestrator.errors import WrongUseError
from orchestrator.providers.http_settings import split_settings

MODEL_FORMS = (
    "demo, demo-decoder, demo-encoder, hf:<id or folder>, scorer:<url>, openai:<model>, deepl, "
    "google, replay:<file>, baseline:<name>, fake"
)
PLAIN_MODELS = frozenset({"demo", "demo-decoder", "demo-encoder", "deepl", "google", "fake"})
PREFIXED_MODELS = frozenset({"hf", "scorer", "openai", "replay", "baseline"})


class RunSpec(BaseModel):
    """Everything a user may say of a run; the defaults are those of the command line."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    benchmark: str
    model: str
    tasks: tuple[str, ...] = ()
    """Empty: every task that the model can serve."""
    languages: tuple[str, ...] = ()
    """Empty: every language of the data."""
    data: str | None = None
    """A folder in the released layout; None: the self-written sample."""
    limit: int | None = Field(default=None, ge=1, le=2**31 - 1)
    seed: int | None = Field(default=None, ge=0, le=2**31 - 1)
    """None: 0, and the benchmark's own seeds where it has several."""
    settings: dict[str, str] = Field(default_factory=dict)
    """The benchmark's and, by names of their own, the provider's."""
    batch_items: int = Field(default=64, ge=1, le=4096)
    use_cache: bool = True
    """False: responses of other runs are not used, nor lent to them."""
    budget: float | None = Field(default=None, gt=0)
    """The most that the run may spend, in the currency of its model's price; None: no limit."""

    @property
    def benchmark_settings(self) -> dict[str, str]:
        """The settings that the benchmark reads."""
        return split_settings(parse_model(self.model).kind, self.settings)[0]

    @property
    def provider_settings(self) -> dict[str, str]:
        """The settings that the way to the model reads."""
        return split_settings(parse_model(self.model).kind, self.settings)[1]


@dataclass(frozen=True, slots=True)
class ModelName:
    """A model's name taken apart: `hf:gpt2` is kind `hf`, argument `gpt2`."""

    kind: str
    argument: str
    text: str


def parse_model(text: str) -> ModelName:
    """Take a model's name apart.

    Raises:
        WrongUseError: No model has a name like that.
    """
    if text in PLAIN_MODELS:
        return ModelName(kind=text, argument="", text=text)
    kind, _, argument = text.partition(":")
    if kind in PREFIXED_MODELS and argument:
        return ModelName(kind=kind, argument=argument, text=text)
    plugins = provider_plugins()
    if kind in plugins.usable:
        return ModelName(kind=kind, argument=argument, text=text)
    forms = "".join(f", {name}:<…>" for name in plugins.usable)
    raise WrongUseError(f"unknown model {text!r}; allowed: {MODEL_FORMS}{forms}")


def provider_plugins() -> Plugins:
    """Return the providers of other installed packages by their models' prefix; not loaded yet."""
    return find_plugins(PROVIDERS_GROUP, PLAIN_MODELS | PREFIXED_MODELS)
