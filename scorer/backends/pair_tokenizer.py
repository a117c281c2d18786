"""The tokenizer of an encoder-decoder: sources and targets are split each in its own way."""

import hashlib
import itertools
import json
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer

from scorer.backend import TargetTokens, TokenisedText
from scorer.backends.language_codes import code_of, find_codes
from scorer.errors import ModelNotFoundError, UnknownLanguageError, UnsupportedRequestError
from scorer.schemas import ChatMessage

WRAPPED_TYPES = frozenset({"mbart"})
"""Their decoder begins with the last token of the labels."""


class PairTokenizer:
    """Has a state, the language pair: one thread at a time."""

    def __init__(self, loaded: Any, config: Any) -> None:  # noqa: ANN401  # untyped library
        self._loaded = loaded
        self._lock = threading.RLock()
        self._name = type(loaded).__name__
        self._is_wrapped = config.model_type in WRAPPED_TYPES
        self._start_id = config.decoder_start_token_id
        self._codes = find_codes(_language_tokens(loaded))
        self._names_pair = hasattr(loaded, "src_lang") and bool(self._codes)
        self._default_source = loaded.src_lang if self._names_pair else None
        code_ids = loaded.convert_tokens_to_ids(list(self._codes.values()))
        self._special = frozenset([*loaded.all_special_ids, *code_ids]) - {loaded.unk_token_id}
        self.bos_token: str | None = None
        self.eos_token: str | None = loaded.eos_token
        self.eos_id: int | None = loaded.eos_token_id
        self.pad_id: int = loaded.pad_token_id or 0

    def encode(self, texts: Sequence[str]) -> list[TokenisedText]:
        """Split texts into tokens of the source side and add none."""
        with self._lock:
            rows = self._loaded(list(texts), add_special_tokens=False).input_ids if texts else []
            return [TokenisedText(tuple(ids), self.spans(ids)) for ids in rows]

    def encode_prompts(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        """Split sources of the tokenizer's own source language."""
        return self.encode_sources(texts, None, None)

    def encode_whole(self, texts: Sequence[str]) -> list[TokenisedText]:
        """Split sources of the tokenizer's own source language, with the characters they cover.

        A slow tokenizer does not know them: they are then those of the decoded text.
        """
        rows = self.encode_prompts(texts)
        if not self._loaded.is_fast:
            return [TokenisedText(ids, self.spans(ids)) for ids in rows]
        with self._lock:
            found = self._loaded(list(texts), return_offsets_mapping=True).offset_mapping
        return [
            TokenisedText(ids, tuple((begin, end) for begin, end in offsets))
            for ids, offsets in zip(rows, found, strict=True)
        ]

    def encode_sources(
        self, texts: Sequence[str], source: str | None, target: str | None
    ) -> list[tuple[int, ...]]:
        """Split sources, with their special tokens and language codes."""
        prefix = ""
        if not self._names_pair and self._codes:
            prefix = f"{self._codes[self._code(target)]} "
        with self._lock, self._pair(source, None):
            rows = self._loaded([prefix + text for text in texts]).input_ids if texts else []
        return [tuple(ids) for ids in rows]

    def encode_targets(self, texts: Sequence[str], target: str | None) -> list[TargetTokens]:
        """Split targets into what the decoder is given, what is scored, and their end."""
        with self._lock, self._pair(None, target):
            rows = self._loaded(text_target=list(texts)).input_ids if texts else []
        return [self._split(ids) for ids in rows]

    def forced_prefix(self, target: str | None) -> tuple[int, ...]:
        """Return what a written target must begin with: its start, and a language's code."""
        prefix = self.encode_targets(["a"], target)[0].prefix
        return prefix if self._names_pair else prefix[:1]

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of target tokens, without special ones."""
        own = [token for token in ids if token not in self._special]
        with self._lock:
            return str(self._loaded.decode(own, skip_special_tokens=True))

    def raw_text(self, ids: Sequence[int]) -> str:
        """Return the text of tokens, special ones included."""
        with self._lock:
            return str(self._loaded.decode(list(ids), skip_special_tokens=False))

    def token_id(self, token: str) -> int:
        """Return the id of one token."""
        return int(self._loaded.convert_tokens_to_ids(token))

    def is_special(self, ids: Sequence[int]) -> list[bool]:
        """Tell the special tokens from those of a text."""
        return [token in self._special for token in ids]

    def render_chat(self, messages: Sequence[ChatMessage]) -> str:
        """Refuse: encoder-decoders have no chat template."""
        raise UnsupportedRequestError("an encoder-decoder has no chat template")

    def spans(self, ids: Sequence[int]) -> tuple[tuple[int, int], ...]:
        """Return the characters of the decoded text that each token brings."""
        ends = [len(self.decode(ids[:n])) for n in range(len(ids) + 1)]
        return tuple((begin, max(begin, end)) for begin, end in itertools.pairwise(ends))

    def sha256(self) -> str:
        """Return the hash of everything that decides how a text is split."""
        facts: list[Any] = [self._name, sorted(self._loaded.get_vocab().items())]
        if self._loaded.is_fast:
            facts.append(self._loaded.backend_tokenizer.to_str())
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()

    def chat_template_sha256(self) -> str:
        """Return `none`."""
        return "none"

    def _code(self, language: str | None) -> str:
        if language is None:
            raise UnknownLanguageError(f"{self._name} needs the language of the target")
        return code_of(language, list(self._codes), self._name)

    @contextmanager
    def _pair(self, source: str | None, target: str | None) -> Iterator[None]:
        """Set the language pair of a tokenizer that has one."""
        if self._names_pair:
            self._loaded.src_lang = self._code(source) if source else self._default_source
            if target is not None:
                self._loaded.tgt_lang = self._code(target)
        yield

    def _split(self, labels: Sequence[int]) -> TargetTokens:
        """Cut labels into the codes before the text, the text, and its end.

        Each family puts its language code elsewhere; the model's own shift to the right stands
        behind the first token that the decoder is given.
        """
        start = labels[-1] if self._is_wrapped else self._start_id
        first = next((at for at, token in enumerate(labels) if token not in self._special), 0)
        n_text = next(
            (n for n, token in enumerate(labels[first:]) if token in self._special),
            len(labels) - first,
        )
        end = labels[first + n_text : first + n_text + 1]
        text = tuple(labels[first : first + n_text])
        return TargetTokens((start, *labels[:first]), text, tuple(end))


def _language_tokens(loaded: Any) -> list[str]:  # noqa: ANN401
    """Return tokens among which those of languages are; each family keeps them elsewhere."""
    return [
        *loaded.get_added_vocab(),
        *loaded.all_special_tokens,
        *getattr(loaded, "lang_code_to_token", {}).values(),
        *getattr(loaded, "supported_language_codes", []),
    ]


def load_pair_tokenizer(folder: Path, config: Any) -> PairTokenizer:  # noqa: ANN401
    """Load the tokenizer of an encoder-decoder.

    Raises:
        ModelNotFoundError: The folder has none.
    """
    with warnings.catch_warnings():
        # Marian's recommends a package that only changes how typographic quotes are written.
        warnings.simplefilter("ignore", UserWarning)
        try:
            loaded = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
        except (OSError, ValueError, KeyError) as error:
            reason = str(error).splitlines()[0]
            raise ModelNotFoundError(f"no tokenizer in {folder}: {reason}") from error
    return PairTokenizer(loaded, config)
