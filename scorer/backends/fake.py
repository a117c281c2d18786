"""A model whose answers can be worked by hand: one token and −1 nat a character."""

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scorer.backend import (
    GeneratedTokens,
    GenerationSettings,
    LogProbs,
    States,
    TokenisedText,
    TokenRow,
    TopTokens,
)
from scorer.errors import UnknownTokenError
from scorer.schemas import Capabilities, ChatMessage, Pooling

START_ID = 0x110000
"""The first number that is no character."""
START_TOKEN = "<s>"
N_LAYERS = 2
WIDTH = 4
CONTEXT_WINDOW = 4096


class FakeTokenizer:
    """One token a character; its id is the character's code point."""

    bos_token: str | None = START_TOKEN
    eos_token: str | None = None

    def encode(self, texts: Sequence[str]) -> list[TokenisedText]:
        """Split texts into characters."""
        return [
            TokenisedText(tuple(map(ord, text)), tuple((at, at + 1) for at in range(len(text))))
            for text in texts
        ]

    def encode_prompts(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        """Split texts and put the start token before each."""
        return [(START_ID, *map(ord, text)) for text in texts]

    def encode_whole(self, texts: Sequence[str]) -> list[TokenisedText]:
        """Split texts, with the start token before each."""
        return [
            TokenisedText((START_ID, *text.ids), ((0, 0), *text.offsets))
            for text in self.encode(texts)
        ]

    def decode(self, ids: Sequence[int]) -> str:
        """Join characters; the start token is none."""
        return "".join(chr(token) for token in ids if token < START_ID)

    def raw_text(self, ids: Sequence[int]) -> str:
        """Join characters, and the start token's name."""
        return "".join(START_TOKEN if token == START_ID else chr(token) for token in ids)

    def token_id(self, token: str) -> int:
        """Return the code point of a character, or the start token's id."""
        if token == START_TOKEN:
            return START_ID
        if len(token) == 1:
            return ord(token)
        raise UnknownTokenError(f"no token {token!r}: the fake model knows characters only")

    def is_special(self, ids: Sequence[int]) -> list[bool]:
        """Tell the start token from characters."""
        return [token == START_ID for token in ids]

    def render_chat(self, messages: Sequence[ChatMessage]) -> str:
        """Write one turn a line, and the assistant's name at the end."""
        turns = "".join(f"{message.role}: {message.content}\n" for message in messages)
        return f"{turns}assistant: "


class FakeBackend:
    """Needs no weights.

    - Every character costs 1 nat.
    - It repeats the end of what it is given: the last line without the assistant's name.
    - The state at layer `l` of a token with code point `c` at position `p` is (l, p, c, 1).
    """

    def __init__(self) -> None:
        self.tokenizer = FakeTokenizer()
        self.info = Capabilities(
            model="fake",
            revision="1",
            weights_sha256="none",
            tokenizer_sha256=hashlib.sha256(b"characters").hexdigest(),
            chat_template_sha256=hashlib.sha256(b"role: content").hexdigest(),
            dtype="float64",
            backend="fake",
            backend_version="1",
            device="cpu",
            architecture="FakeModel",
            n_layers=N_LAYERS,
            width=WIDTH,
            context_window=CONTEXT_WINDOW,
            vocabulary_size=START_ID + 1,
            kinds=["log_prob", "generate", "hidden_states", "embed", "similarity", "translate"],
            bos_policy="bos",
            bos_token=START_TOKEN,
        )

    def log_probs(self, rows: Sequence[TokenRow]) -> list[LogProbs]:
        """Return −1 for every scored character."""
        return [np.full(len(row.ids) - row.n_given, -1.0) for row in rows]

    def top_tokens(self, rows: Sequence[TokenRow], n_top: int) -> list[list[TopTokens]]:
        """Return the scored character alone."""
        return [[[(token, -1.0)][:n_top] for token in row.ids[row.n_given :]] for row in rows]

    def generate(
        self, rows: Sequence[TokenRow], settings: GenerationSettings
    ) -> list[GeneratedTokens]:
        """Repeat the last line that is not the assistant's, as far as the limit allows."""
        return [_repeat(row, settings.max_new_tokens) for row in rows]

    def hidden_states(
        self, rows: Sequence[TokenRow], layers: Sequence[int], pooling: Pooling
    ) -> list[States]:
        """Return the states of the class's docstring."""
        return [_pool(_states(row.ids, layers), pooling) for row in rows]

    def close(self) -> None:
        """Nothing to let go of."""


def _repeat(row: TokenRow, limit: int) -> GeneratedTokens:
    text = "".join(chr(token) for token in row.ids if token < START_ID)
    line = text.removesuffix("assistant: ").rstrip("\n").rpartition("\n")[2]
    line = line.removeprefix("user: ")
    return GeneratedTokens(tuple(map(ord, line[:limit])), is_finished=len(line) <= limit)


def _states(ids: Sequence[int], layers: Sequence[int]) -> NDArray[np.float32]:
    rows = [
        [(layer, position, token, 1.0) for position, token in enumerate(ids)] for layer in layers
    ]
    return np.array(rows, dtype=np.float32)


def _pool(states: NDArray[np.float32], pooling: Pooling) -> States:
    match pooling:
        case "none":
            return states
        case "last":
            return np.ascontiguousarray(states[:, -1])
        case "first":
            return np.ascontiguousarray(states[:, 0])
        case "mean":
            mean: States = states.mean(axis=1)
            return mean
