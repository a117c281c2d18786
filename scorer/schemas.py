"""What travels between the scorer and those who ask it."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

BosPolicy = Literal["default", "bos", "eos-as-bos", "skip-first"]
"""What stands before the first token: what is declared for the model, the tokenizer's `bos_token`,
its `eos_token`, or nothing (then the first token of a text has no probability)."""

Pooling = Literal["last", "mean", "first", "none"]
"""One row a text: its last token, the mean over its tokens, its first token; or all rows."""

Kind = Literal["log_prob", "generate", "hidden_states", "embed", "similarity", "translate"]


def _check_text(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"character {error.start} is half of a pair: no text") from error
    return text


Text = Annotated[str, AfterValidator(_check_text)]
"""Text that UTF-8 can carry: no lone surrogates."""

MAX_ITEMS = 10_000
"""Items that one call may hold, unless the scorer is set to take fewer."""


class _Wire(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class FailedItem(_Wire):
    """One item that cannot be answered; its neighbours are answered all the same."""

    error: str
    """Class name, as in `scorer.errors`."""
    detail: str


class Truncation(_Wire):
    """Cut longer texts to so many tokens, special ones included, instead of refusing them."""

    tokens: int = Field(ge=1)
    side: Literal["right", "left"] = "right"
    """Where tokens go; transformers cuts on the right unless told otherwise."""


class LogProbItem(_Wire):
    """One context and what follows it; an empty context means that the whole text is scored."""

    context: Text = ""
    continuation: Text | None = None
    continuations: list[Text] | None = Field(default=None, min_length=1)
    """Several continuations of the one context: one result each, in this order."""
    token_ids: list[int] | None = Field(default=None, min_length=1)
    """The continuation as token ids, taken as they are."""
    source_language: str | None = None
    """ISO 639 or as the model's tokenizer spells it; encoder-decoders only."""
    target_language: str | None = None

    @model_validator(mode="after")
    def _check_one_way(self) -> Self:
        given = [
            name
            for name in ("continuation", "continuations", "token_ids")
            if getattr(self, name) is not None
        ]
        if len(given) != 1:
            raise ValueError(
                "an item needs exactly one of continuation, continuations and token_ids;"
                f" it has {' and '.join(given) or 'none'}"
            )
        return self


class LogProbRequest(_Wire):
    """Score every continuation of every item."""

    items: list[LogProbItem] = Field(min_length=1)
    bos_policy: BosPolicy = "default"
    chat_template: bool = False
    """True puts the context into the model's chat template as the user's turn."""
    truncation: Truncation | None = None
    """Of context and continuation together, or of an encoder-decoder's source. An item whose
    continuation is cut away has nothing to score."""

    @model_validator(mode="after")
    def _check_truncation(self) -> Self:
        if self.truncation and any(item.token_ids is not None for item in self.items):
            raise ValueError("token_ids are taken as they are: they exclude a truncation")
        return self


class LogProbResult(_Wire):
    """The scored tokens of one continuation.

    Spaces at the end of a context count as the beginning of the continuation, and a token that
    spans the join is scored with the continuation.
    """

    sum: float
    """Nats, over all scored tokens."""
    log_probs: list[float]
    """Nats, one a scored token."""
    token_ids: list[int]
    """The scored tokens."""
    offsets: list[tuple[int, int]]
    """Characters [begin, end) of each scored token in the whole text, context included; in the
    target alone for an encoder-decoder."""
    n_scored: int
    """Scored tokens. The first token of a text without a start token is not scored."""
    n_characters: int
    """Characters of the continuation, with the spaces that moved to it."""
    n_bytes: int
    """The same in UTF-8."""
    is_straddling: bool
    """Whether the first scored token begins inside the context."""
    eos_log_prob: float | None = None
    """Nats of the end of the target, apart from the sum; encoder-decoders only."""


class LogProbResponse(_Wire):
    """One entry a continuation: item by item, within an item in the order it gave them."""

    model: str
    results: list[LogProbResult | FailedItem]


class ChatMessage(_Wire):
    """One turn of a chat."""

    role: Literal["system", "user", "assistant"]
    content: Text


class GenerateItem(_Wire):
    """A chat, or a text to be continued as it is (for an encoder-decoder: its source)."""

    messages: list[ChatMessage] | None = Field(default=None, min_length=1)
    prompt: Text | None = None

    @model_validator(mode="after")
    def _check_one_way(self) -> Self:
        if (self.messages is None) == (self.prompt is None):
            raise ValueError("an item needs exactly one of messages and prompt")
        return self


class GenerateRequest(_Wire):
    """Continue every item, greedily unless the temperature is above 0."""

    items: list[GenerateItem] = Field(min_length=1)
    max_new_tokens: int = Field(default=128, ge=1, le=8192)
    temperature: float = Field(default=0.0, ge=0.0, le=10.0)
    top_p: float = Field(default=1.0, gt=0.0, le=1.0)
    seed: int | None = Field(default=None, ge=0, lt=2**63)
    """Each item is drawn from this seed alone, whatever else is in the call; None counts as 0."""
    no_repeat_ngram_size: int = Field(default=0, ge=0, le=64)
    chat_template: bool = True
    """False joins the contents of the messages by blank lines instead."""
    truncation: Truncation | None = None
    """Of the prompt, or of an encoder-decoder's source."""
    n_beams: int = Field(default=1, ge=1, le=16)
    source_language: str | None = None
    target_language: str | None = None
    """ISO 639 or as the model's tokenizer spells it, forced as the first token; encoder-decoders
    only."""

    @model_validator(mode="after")
    def _check_beams(self) -> Self:
        if self.n_beams > 1 and self.temperature > 0:
            raise ValueError("n_beams above 1 needs temperature 0: beams are not drawn")
        return self


class GenerateResult(_Wire):
    """What the model wrote, without the prompt and without special tokens."""

    text: str
    is_finished: bool
    """False where the model was cut off at its limit of new tokens."""
    n_tokens: int


class GenerateResponse(_Wire):
    """One entry an item, in their order."""

    model: str
    results: list[GenerateResult | FailedItem]


class HiddenStatesRequest(_Wire):
    """Give the hidden states of every text.

    The answer is a safetensors file with one float32 tensor a text, named by its position ("0",
    "1", …): shape (n_layers, width), or (n_layers, n_tokens, width) with pooling `none`. Its
    metadata hold JSON under `model`, `layers`, `pooling`, `n_tokens`, `is_special`, `offsets` and
    `failed`. With pooling `none`, `offsets` are each token's characters [begin, end) of its text;
    tokens that the scorer added have (0, 0).
    """

    texts: list[Text] = Field(min_length=1)
    layers: list[int] | None = Field(default=None, min_length=1)
    """0 is the embedding layer, n_layers the last, -1 the last too; None means all of them."""
    pooling: Pooling = "last"
    bos_policy: BosPolicy = "default"
    """For decoders; an encoder adds the special tokens of its tokenizer."""


class SimilarityPair(_Wire):
    """Two texts to be compared."""

    text_a: Text
    text_b: Text


class SimilarityRequest(_Wire):
    """Compare pairs: cosine of pooled vectors, or BERTScore F1 over tokens."""

    pairs: list[SimilarityPair] = Field(min_length=1)
    measure: Literal["cosine", "bertscore"] = "cosine"
    pooling: Pooling = "mean"
    """For a cosine; BERTScore reads all tokens."""
    layer: int = -1

    @model_validator(mode="after")
    def _check_pooling(self) -> Self:
        if self.measure == "cosine" and self.pooling == "none":
            raise ValueError("a cosine needs one vector a text: pooling last, mean or first")
        return self


class SimilarityResult(_Wire):
    """One number for one pair."""

    value: float


class SimilarityResponse(_Wire):
    """One entry a pair, in their order."""

    model: str
    results: list[SimilarityResult | FailedItem]


class Capabilities(_Wire):
    """What is loaded, and what it can be asked; what does not exist is "none", never null."""

    model: str
    revision: str
    weights_sha256: str
    tokenizer_sha256: str
    chat_template_sha256: str
    dtype: str
    backend: str
    backend_version: str
    device: str
    architecture: str
    n_layers: int
    """Transformer layers; hidden states have one tensor more, the embeddings."""
    width: int
    context_window: int
    """Tokens, start token included."""
    vocabulary_size: int
    kinds: list[Kind]
    refusals: dict[Kind, str] = {}
    """Why it cannot be asked some of the others."""
    bos_policy: str
    """What `default` means for this model."""
    bos_token: str
    """The token that `default` puts before the first one."""
