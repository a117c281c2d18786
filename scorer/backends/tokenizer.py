"""A Hugging Face fast tokenizer behind the scorer's `Tokenizer` protocol."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import TemplateError
from tokenizers import Tokenizer as FastTokenizer
from transformers import AutoTokenizer

from scorer.backend import TokenisedText
from scorer.errors import ModelNotFoundError, UnknownTokenError, UnsupportedRequestError
from scorer.schemas import ChatMessage

NONE = "none"


class HuggingFaceTokenizer:
    """Works on the Rust tokenizer alone, which has no state: threads may share it."""

    def __init__(self, loaded: Any) -> None:  # noqa: ANN401  # transformers has no types
        self._loaded = loaded
        self._fast = _with_whole_offsets(loaded.backend_tokenizer)
        self._special = _special_ids(loaded)
        self.bos_token: str | None = loaded.bos_token
        self.eos_token: str | None = loaded.eos_token
        self.eos_id: int | None = loaded.eos_token_id
        self.pad_id: int = loaded.pad_token_id or 0
        self.mask_id: int | None = loaded.mask_token_id

    def encode(self, texts: Sequence[str]) -> list[TokenisedText]:
        """Split texts into tokens and add none."""
        found = self._fast.encode_batch(list(texts), add_special_tokens=False)
        return [TokenisedText(tuple(text.ids), tuple(text.offsets)) for text in found]

    def encode_whole(self, texts: Sequence[str]) -> list[TokenisedText]:
        """Split texts with the special tokens of the tokenizer; their offsets are (0, 0)."""
        found = self._fast.encode_batch(list(texts))
        return [TokenisedText(tuple(text.ids), tuple(text.offsets)) for text in found]

    def encode_prompts(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        """Split texts with the special tokens of the tokenizer."""
        return [tuple(text.ids) for text in self._fast.encode_batch(list(texts))]

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of tokens, without special ones."""
        return str(self._fast.decode(list(ids), skip_special_tokens=True))

    def raw_text(self, ids: Sequence[int]) -> str:
        """Return the text of tokens, special ones included."""
        return str(self._fast.decode(list(ids), skip_special_tokens=False))

    def token_id(self, token: str) -> int:
        """Return the id of one token."""
        found: int | None = self._fast.token_to_id(token)
        if found is None:
            raise UnknownTokenError(f"the vocabulary has no token {token!r}")
        return found

    def is_special(self, ids: Sequence[int]) -> list[bool]:
        """Tell the special tokens from those of a text."""
        return [token in self._special for token in ids]

    def render_chat(self, messages: Sequence[ChatMessage]) -> str:
        """Return the chat as one text, up to where the assistant begins."""
        if not self._loaded.chat_template:
            raise UnsupportedRequestError("the model has no chat template; use chat_template=false")
        turns = [message.model_dump() for message in messages]
        try:
            return str(
                self._loaded.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
            )
        except TemplateError as error:
            raise UnsupportedRequestError(
                f"the model's chat template refuses this chat: {error}"
            ) from error

    def sha256(self) -> str:
        """Return the hash of everything that decides how a text is split."""
        return hashlib.sha256(self._fast.to_str().encode()).hexdigest()

    def chat_template_sha256(self) -> str:
        """Return the chat template's hash, or `none`."""
        template = self._loaded.chat_template
        if not template:
            return NONE
        return hashlib.sha256(json.dumps(template).encode()).hexdigest()


def load_tokenizer(folder: Path) -> HuggingFaceTokenizer:
    """Load a model folder's tokenizer.

    Raises:
        ModelNotFoundError: It has none, or none that tells the characters of its tokens.
    """
    try:
        loaded = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
    except (OSError, ValueError, KeyError) as error:
        reason = str(error).splitlines()[0]
        raise ModelNotFoundError(f"no tokenizer in {folder}: {reason}") from error
    if not loaded.is_fast:
        raise ModelNotFoundError(
            f"the tokenizer in {folder} ({type(loaded).__name__}) does not tell which characters"
            " a token covers; a tokenizer.json is needed"
        )
    return HuggingFaceTokenizer(loaded)


def _special_ids(loaded: Any) -> frozenset[int]:  # noqa: ANN401
    """Return the tokens that stand for no text: an unknown word is a word."""
    special = frozenset(loaded.all_special_ids)
    unknown = loaded.unk_token_id
    others = (loaded.bos_token_id, loaded.eos_token_id, loaded.cls_token_id, loaded.sep_token_id)
    return special if unknown in others else special - {unknown}


def _with_whole_offsets(fast: FastTokenizer) -> FastTokenizer:
    """Return a tokenizer whose offsets hold a token's leading space, and that cuts nothing."""
    if fast.post_processor is not None and b'"trim_offsets":true' in (
        fast.post_processor.__getstate__().replace(b" ", b"")
    ):
        layout = json.loads(fast.to_str())
        _keep_spaces(layout["post_processor"])
        fast = FastTokenizer.from_str(json.dumps(layout))
    fast.no_padding()
    fast.no_truncation()
    return fast


def _keep_spaces(node: Any) -> None:  # noqa: ANN401  # any JSON value
    match node:
        case dict():
            if "trim_offsets" in node:
                node["trim_offsets"] = False
            for child in node.values():
                _keep_spaces(child)
        case list():
            for child in node:
                _keep_spaces(child)
