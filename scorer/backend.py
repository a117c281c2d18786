"""What is asked of a loaded model, and what tokens look like on the way to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from scorer.schemas import Capabilities, ChatMessage, Pooling

LogProbs = NDArray[np.float64]
"""Shape (n_scored,), in nats."""
States = NDArray[np.float32]
"""Shape (n_layers, width), or (n_layers, n_tokens, width) where nothing is pooled."""


TopTokens = list[tuple[int, float]]
"""Token ids with their log-probabilities in nats, the likeliest first."""


@dataclass(frozen=True, slots=True)
class TokenisedText:
    """The tokens of a text, and the characters [begin, end) that each of them covers."""

    ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A sequence as the model reads it: start token, context, continuation.

    For an encoder-decoder `ids` is what its decoder reads, and `source_ids` what its encoder reads.
    """

    ids: tuple[int, ...]
    n_given: int = 0
    """Leading tokens that are not scored; at least 1 where something is to be scored."""
    source_ids: tuple[int, ...] = ()
    n_end: int = 0
    """Trailing tokens that are read and not scored: a masked language model's end mark."""


@dataclass(frozen=True, slots=True)
class GenerationSettings:
    """How a text is continued; equal settings may share a batch."""

    max_new_tokens: int = 128
    temperature: float = 0.0
    top_p: float = 1.0
    seed: int = 0
    no_repeat_ngram_size: int = 0
    n_beams: int = 1


@dataclass(frozen=True, slots=True)
class GeneratedTokens:
    """New tokens without the one that ends the text."""

    ids: tuple[int, ...]
    is_finished: bool


class Tokenizer(Protocol):
    """Text to tokens and back; safe to be used by several threads at once."""

    bos_token: str | None
    eos_token: str | None

    def encode(self, texts: Sequence[str]) -> list[TokenisedText]:
        """Split texts into tokens and add none."""
        ...

    def encode_prompts(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        """Split texts as the model's makers do: with the special tokens of the tokenizer."""
        ...

    def encode_whole(self, texts: Sequence[str]) -> list[TokenisedText]:
        """Split texts with the special tokens of the tokenizer, which cover no characters."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of tokens, without special ones."""
        ...

    def raw_text(self, ids: Sequence[int]) -> str:
        """Return the text of tokens, special ones included."""
        ...

    def token_id(self, token: str) -> int:
        """Return the id of one token.

        Raises:
            UnknownTokenError: The vocabulary lacks it.
        """
        ...

    def is_special(self, ids: Sequence[int]) -> list[bool]:
        """Tell the special tokens from those of a text."""
        ...

    def render_chat(self, messages: Sequence[ChatMessage]) -> str:
        """Return the chat as one text, up to where the assistant begins.

        Raises:
            UnsupportedRequestError: The model has no chat template.
        """
        ...


@dataclass(frozen=True, slots=True)
class TargetTokens:
    """A target as a decoder reads it."""

    prefix: tuple[int, ...]
    """What it is given: its start, and the code of the language."""
    text: tuple[int, ...]
    end: tuple[int, ...]
    """The one token that ends the target."""


@runtime_checkable
class SourceTargetTokenizer(Tokenizer, Protocol):
    """The tokenizer of an encoder-decoder."""

    def encode_sources(
        self, texts: Sequence[str], source: str | None, target: str | None
    ) -> list[tuple[int, ...]]:
        """Split sources, with their special tokens and language codes.

        Raises:
            UnknownLanguageError: The model has no code for a language.
        """
        ...

    def encode_targets(self, texts: Sequence[str], target: str | None) -> list[TargetTokens]:
        """Split targets.

        Raises:
            UnknownLanguageError: The model has no code for the language, or needs one.
        """
        ...

    def forced_prefix(self, target: str | None) -> tuple[int, ...]:
        """Return what a written target must begin with: its start, and a language's code."""
        ...

    def spans(self, ids: Sequence[int]) -> tuple[tuple[int, int], ...]:
        """Return the characters of the decoded text that each token brings."""
        ...


class Backend(Protocol):
    """A loaded model: built once at start-up, closed once at shut-down, used by one thread."""

    info: Capabilities

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer that belongs to the weights."""
        ...

    def log_probs(self, rows: Sequence[TokenRow]) -> list[LogProbs]:
        """Score the tokens of each row that are not given, whatever else is in the call.

        Raises:
            OutOfMemoryError: Even one row alone does not fit.
        """
        ...

    def top_tokens(self, rows: Sequence[TokenRow], n_top: int) -> list[list[TopTokens]]:
        """Return, for each scored token, the likeliest tokens in its place; slow."""
        ...

    def generate(
        self, rows: Sequence[TokenRow], settings: GenerationSettings
    ) -> list[GeneratedTokens]:
        """Continue each row; a row's answer does not depend on its neighbours."""
        ...

    def hidden_states(
        self, rows: Sequence[TokenRow], layers: Sequence[int], pooling: Pooling
    ) -> list[States]:
        """Return the states of each row at `layers` (0 = embeddings), in that order."""
        ...

    def close(self) -> None:
        """Let go of the weights."""
        ...
