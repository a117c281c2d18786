"""A text encoder on torch: hidden states, and through them vectors and similarities."""

from collections.abc import Sequence

import torch
from transformers import AutoModel

from scorer.backend import (
    GeneratedTokens,
    GenerationSettings,
    LogProbs,
    States,
    TokenRow,
    TopTokens,
)
from scorer.backends.facts import capabilities_of
from scorer.backends.loading import (
    choose_device,
    choose_dtype,
    load_weights,
    memory_errors,
)
from scorer.backends.options import LoadOptions
from scorer.backends.padding import pad_right
from scorer.backends.pooling import pool_batch
from scorer.backends.tokenizer import load_tokenizer
from scorer.backends.workers import run_batches
from scorer.batching.batches import cut_batches
from scorer.batching.start_token import NO_TOKEN, TOKENIZER_POLICY
from scorer.errors import UnsupportedRequestError
from scorer.schemas import Pooling
from scorer.weights import ModelFolder


class EncoderBackend:
    """Its texts carry the special tokens of its tokenizer, and pooling counts them."""

    def __init__(self, folder: ModelFolder, options: LoadOptions) -> None:
        """Load a model folder; blocks for a second or more."""
        self.folder = folder.folder
        self.tokenizer = load_tokenizer(folder.folder)
        self._device = choose_device(options.device)
        dtype = choose_dtype(options.dtype, self._device)
        self._model = load_weights(AutoModel, folder.folder, self._device, dtype)
        self._max_batch_tokens = options.batch_tokens(self._device.type)
        self.info = capabilities_of(
            folder,
            self._model,
            self.tokenizer,
            ["hidden_states", "embed", "similarity"],
            (TOKENIZER_POLICY, NO_TOKEN),
        )

    def log_probs(self, rows: Sequence[TokenRow]) -> list[LogProbs]:
        """Refuse: an encoder has no probability of a next token."""
        raise UnsupportedRequestError(f"{self.info.model} is an encoder: it scores no texts")

    def top_tokens(self, rows: Sequence[TokenRow], n_top: int) -> list[list[TopTokens]]:
        """Refuse: an encoder has no probability of a next token."""
        raise UnsupportedRequestError(f"{self.info.model} is an encoder: it scores no texts")

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
        del self._model

    def _states(
        self, batch: Sequence[tuple[int, ...]], layers: Sequence[int], pooling: Pooling
    ) -> list[States]:
        lengths = [len(row) for row in batch]
        ids, mask = pad_right(batch, self.tokenizer.pad_id, self._device)
        with memory_errors(), torch.inference_mode():
            states = self._model(
                input_ids=ids, attention_mask=mask, output_hidden_states=True
            ).hidden_states
            return pool_batch([states[layer] for layer in layers], lengths, pooling)
