"""What is asked of a model, one class a kind."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, computed_field


class RequestKind(StrEnum):
    """The kinds of question a provider may be able to answer."""

    LOG_PROB = "log_prob"
    GENERATE = "generate"
    HIDDEN_STATES = "hidden_states"
    EMBED = "embed"
    TRANSLATE = "translate"
    SIMILARITY = "similarity"


BosPolicy = Literal["default", "bos", "eos-as-bos", "skip-first"]
"""What stands before the first token; `default` is the one declared for the model."""

Pooling = Literal["last", "mean", "first", "none"]


class Message(BaseModel):
    """One turn of a chat."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: Literal["system", "user", "assistant"]
    content: str


class _Request(BaseModel):
    """A request's key is stable; the rest is its content, and is what a cache may hash."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    part: str = ""

    def content(self) -> Mapping[str, Any]:
        """Return everything that decides the answer: all but the key and the part."""
        found = self.model_dump(mode="json", exclude={"key", "part"})
        if found.get("truncation", ...) is None:
            del found["truncation"]  # an uncut request is the one it was before cuts were known
        return found


class Truncation(BaseModel):
    """Cut longer texts to so many tokens of the model's own, special ones included."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tokens: int
    side: Literal["right", "left"] = "right"
    """Where tokens go."""


class LogProbRequest(_Request):
    """Score continuations of one context; the sum of token log-probabilities of each, in nats."""

    kind: Literal[RequestKind.LOG_PROB] = RequestKind.LOG_PROB
    context: str
    continuations: tuple[str, ...]
    bos_policy: BosPolicy = "default"
    chat_template: bool = False
    truncation: Truncation | None = None
    source_language: str | None = None
    target_language: str | None = None

    @computed_field  # type: ignore[prop-decorator]  # pydantic asks for this order
    @property
    def labels(self) -> tuple[str, ...]:
        """The continuations without the space that joins them to the context."""
        return tuple(text.strip() for text in self.continuations)


class GenerateRequest(_Request):
    """Continue a chat, greedily unless a temperature is given."""

    kind: Literal[RequestKind.GENERATE] = RequestKind.GENERATE
    messages: tuple[Message, ...]
    max_new_tokens: int
    temperature: float = 0.0
    top_p: float = 1.0
    seed: int | None = None
    no_repeat_ngram_size: int = 0
    chat_template: bool = True
    truncation: Truncation | None = None


class TranslateRequest(_Request):
    """Translate one text."""

    kind: Literal[RequestKind.TRANSLATE] = RequestKind.TRANSLATE
    text: str
    source_language: str
    target_language: str
    n_beams: int = 5


class EmbedRequest(_Request):
    """One vector for one text, pooled over its tokens at one layer (-1 = last)."""

    kind: Literal[RequestKind.EMBED] = RequestKind.EMBED
    text: str
    pooling: Pooling = "mean"
    layer: int = -1


class SimilarityRequest(_Request):
    """One number for two texts."""

    kind: Literal[RequestKind.SIMILARITY] = RequestKind.SIMILARITY
    text_a: str
    text_b: str
    measure: Literal["cosine", "bertscore"] = "cosine"
    pooling: Pooling = "mean"
    layer: int = -1


class HiddenStatesRequest(_Request):
    """Hidden states of one text; `layers` None means all, 0 is the embedding layer."""

    kind: Literal[RequestKind.HIDDEN_STATES] = RequestKind.HIDDEN_STATES
    text: str
    layers: tuple[int, ...] | None = None
    pooling: Pooling = "last"
    bos_policy: BosPolicy = "default"


Request = (
    LogProbRequest
    | GenerateRequest
    | TranslateRequest
    | EmbedRequest
    | SimilarityRequest
    | HiddenStatesRequest
)
