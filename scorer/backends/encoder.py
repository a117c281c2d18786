"""A text encoder on torch: hidden states, and through them vectors and similarities.

Where its weights hold the head of a masked language model, texts are scored with it.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModel, AutoModelForMaskedLM

from scorer.backend import (
    GeneratedTokens,
    GenerationSettings,
    LogProbs,
    States,
    TokenRow,
    TopTokens,
)
from scorer.backends.facts import capabilities_of
from scorer.backends.family_of import is_masked
from scorer.backends.loading import (
    choose_device,
    choose_dtype,
    load_weights,
    memory_errors,
    read_config,
)
from scorer.backends.masked import HiddenToken, MaskedScoring
from scorer.backends.masked_head import MaskedHead
from scorer.backends.options import LoadOptions
from scorer.backends.padding import pad_right
from scorer.backends.pooling import pool_batch
from scorer.backends.tokenizer import load_tokenizer
from scorer.backends.workers import run_batches
from scorer.batching.batches import cut_batches
from scorer.batching.start_token import NO_TOKEN, TOKENIZER_POLICY
from scorer.errors import ModelNotFoundError, UnsupportedRequestError
from scorer.schemas import Kind, Pooling
from scorer.weights import ModelFolder

NO_HEAD = "its weights have no head of a masked language model"


class EncoderBackend:
    """Its texts carry the special tokens of its tokenizer, and pooling counts them."""

    def __init__(self, folder: ModelFolder, options: LoadOptions) -> None:
        """Load a model folder; blocks for a second or more."""
        self.folder = folder.folder
        self.tokenizer = load_tokenizer(folder.folder)
        self._device = choose_device(options.device)
        dtype = choose_dtype(options.dtype, self._device)
        self._model, has_head = _load(folder.folder, self._device, dtype)
        self._max_batch_tokens = options.batch_tokens(self._device.type)
        self._masked: MaskedScoring | None = None
        kinds: list[Kind] = ["hidden_states", "embed", "similarity"]
        if has_head and self.tokenizer.mask_id is not None:
            kinds = ["log_prob", *kinds]
            self._masked = MaskedScoring(
                MaskedHead(self._model),
                self.tokenizer.mask_id,
                self.tokenizer.pad_id,
                self._device,
            )
        info = capabilities_of(
            folder, self._model, self.tokenizer, kinds, (TOKENIZER_POLICY, NO_TOKEN)
        )
        refusals = {} if self._masked else {"log_prob": NO_HEAD}
        self.info = info.model_copy(update={"refusals": refusals})

    def log_probs(self, rows: Sequence[TokenRow]) -> list[LogProbs]:
        """Score each token with itself hidden; a masked language model only."""
        return self._scoring().log_probs(rows, self._run_hidden)

    def top_tokens(self, rows: Sequence[TokenRow], n_top: int) -> list[list[TopTokens]]:
        """Return the likeliest tokens in the place of each scored one."""
        return self._scoring().top_tokens(rows, n_top, self._run_hidden)

    def generate(
        self, rows: Sequence[TokenRow], settings: GenerationSettings
    ) -> list[GeneratedTokens]:
        """Refuse: an encoder writes nothing."""
        raise UnsupportedRequestError(f"{self.info.model} is an encoder: it writes no texts")

    def hidden_states(
        self, rows: Sequence[TokenRow], layers: Sequence[int], pooling: Pooling
    ) -> list[States]:
        """Return the states of each row; equal rows are computed once."""
        found: dict[tuple[int, ...], States] = {}

        def run(batch: Sequence[tuple[int, ...]]) -> None:
            found.update(zip(batch, self._states(batch, layers, pooling), strict=True))

        distinct = list(dict.fromkeys(row.ids for row in rows))
        run_batches(cut_batches(distinct, len, self._max_batch_tokens), run, self._device)
        return [found[row.ids] for row in rows]

    def close(self) -> None:
        """Let go of the weights."""
        del self._model, self._masked

    def _scoring(self) -> MaskedScoring:
        if self._masked is None:
            raise UnsupportedRequestError(f"{self.info.model} scores no texts: {NO_HEAD}")
        return self._masked

    def _run_hidden(
        self, hidden: Sequence[HiddenToken], read: Callable[[Sequence[HiddenToken]], None]
    ) -> None:
        run_batches(cut_batches(hidden, len, self._max_batch_tokens), read, self._device)

    def _states(
        self, batch: Sequence[tuple[int, ...]], layers: Sequence[int], pooling: Pooling
    ) -> list[States]:
        lengths = [len(row) for row in batch]
        ids, mask = pad_right(batch, self.tokenizer.pad_id, self._device)
        with memory_errors(), torch.inference_mode():
            states = self._model.base_model(
                input_ids=ids, attention_mask=mask, output_hidden_states=True
            ).hidden_states
            return pool_batch([states[layer] for layer in layers], lengths, pooling)


def _load(folder: Path, device: torch.device, dtype: torch.dtype) -> tuple[Any, bool]:
    """Return a model, and whether it has the head of a masked language model."""
    if is_masked(read_config(folder)):
        try:
            return load_weights(AutoModelForMaskedLM, folder, device, dtype), True
        except ModelNotFoundError:
            # The class was trained, but its head was left out of the file.
            return load_weights(AutoModel, folder, device, dtype), False
    return load_weights(AutoModel, folder, device, dtype), False
