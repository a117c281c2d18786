"""An encoder-decoder on torch: targets are scored and written given their sources."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from transformers import AutoModelForSeq2SeqLM, GenerationConfig, LogitsProcessorList

from scorer.backend import (
    GeneratedTokens,
    GenerationSettings,
    LogProbs,
    States,
    TokenRow,
    TopTokens,
)
from scorer.backends.facts import capabilities_of
from scorer.backends.generation import SeededDraw, cut_at_end, end_ids
from scorer.backends.loading import (
    choose_device,
    choose_dtype,
    load_weights,
    memory_errors,
    read_config,
)
from scorer.backends.options import LoadOptions
from scorer.backends.padding import pad_right
from scorer.backends.pair_tokenizer import load_pair_tokenizer
from scorer.backends.pooling import pool_batch
from scorer.batching.batches import cut_batches, run_batch
from scorer.batching.start_token import NO_TOKEN, TOKENIZER_POLICY
from scorer.errors import ModelNotFoundError
from scorer.schemas import Pooling
from scorer.weights import ModelFolder

OVERFLOWING_TYPES = frozenset({"t5", "mt5", "umt5"})
"""Their activations exceed what float16 can hold."""
MAX_GROUP_ROWS = 16
MAX_GENERATED_ROWS = 32
LOGITS_SHARE = 4
"""Logits of large vocabularies fill memory: targets get this part of the token budget."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Targets of one source, which is encoded once for them."""

    source: tuple[int, ...]
    targets: tuple[TokenRow, ...]

    def __len__(self) -> int:
        return max(len(self.source), LOGITS_SHARE * sum(len(row.ids) for row in self.targets))


class Seq2SeqBackend:
    """Hidden states are those of its encoder."""

    def __init__(self, folder: ModelFolder, options: LoadOptions) -> None:
        """Load a model folder; blocks for a second or more."""
        config = read_config(folder.folder)
        self._device = choose_device(options.device)
        dtype = choose_dtype(options.dtype, self._device)
        if dtype == torch.float16 and config.model_type in OVERFLOWING_TYPES:
            raise ModelNotFoundError(
                f"{folder.name} overflows in float16; allowed: float32, bfloat16"
            )
        self.tokenizer = load_pair_tokenizer(folder.folder, config)
        self._model = load_weights(AutoModelForSeq2SeqLM, folder.folder, self._device, dtype)
        self._max_batch_tokens = options.batch_tokens(self._device.type)
        self.info = capabilities_of(
            folder,
            self._model,
            self.tokenizer,
            ["log_prob", "generate", "translate", "hidden_states", "embed", "similarity"],
            (TOKENIZER_POLICY, NO_TOKEN),
        )

    def log_probs(self, rows: Sequence[TokenRow]) -> list[LogProbs]:
        """Score the targets; sources that are equal are encoded together and once."""
        found: dict[TokenRow, LogProbs] = {}

        def run(batch: Sequence[_Group]) -> None:
            with memory_errors(), torch.inference_mode():
                self._score(batch, found)

        for batch in cut_batches(_groups(rows), len, self._max_batch_tokens):
            run_batch(batch, run)
        return [found[row] for row in rows]

    def top_tokens(self, rows: Sequence[TokenRow], n_top: int) -> list[list[TopTokens]]:
        """Return the likeliest tokens in the place of each scored one."""
        found = []
        for row in rows:
            with memory_errors(), torch.inference_mode():
                logits = self._logits([_Group(row.source_ids, (row,))])[0, row.n_given - 1 :]
                best = logits.float().log_softmax(-1).topk(n_top)
            pairs = zip(best.indices.tolist(), best.values.tolist(), strict=True)
            found.append([list(zip(tokens, values, strict=True)) for tokens, values in pairs])
        return found

    def generate(
        self, rows: Sequence[TokenRow], settings: GenerationSettings
    ) -> list[GeneratedTokens]:
        """Write a target for each source; `ids` is how the target begins."""
        found: dict[TokenRow, GeneratedTokens] = {}
        by_prefix: dict[tuple[int, ...], list[TokenRow]] = defaultdict(list)
        for row in dict.fromkeys(rows):
            by_prefix[row.ids].append(row)
        for alike in by_prefix.values():

            def run(batch: Sequence[TokenRow]) -> None:
                with memory_errors(), torch.inference_mode():
                    found.update(zip(batch, self._write(batch, settings), strict=True))

            n_rows = max(1, MAX_GENERATED_ROWS // settings.n_beams)
            budget = 8 * self._max_batch_tokens
            for batch in cut_batches(alike, lambda row: len(row.source_ids), budget, n_rows):
                run_batch(batch, run)
        return [found[row] for row in rows]

    def hidden_states(
        self, rows: Sequence[TokenRow], layers: Sequence[int], pooling: Pooling
    ) -> list[States]:
        """Return the states of the encoder; equal rows are computed once."""
        found: dict[tuple[int, ...], States] = {}

        def run(batch: Sequence[tuple[int, ...]]) -> None:
            ids, mask = pad_right(batch, self.tokenizer.pad_id, self._device)
            with memory_errors(), torch.inference_mode():
                states = self._model.get_encoder()(
                    input_ids=ids, attention_mask=mask, output_hidden_states=True
                ).hidden_states
                pooled = pool_batch(
                    [states[layer] for layer in layers], [len(row) for row in batch], pooling
                )
            found.update(zip(batch, pooled, strict=True))

        distinct = list(dict.fromkeys(row.ids for row in rows))
        for batch in cut_batches(distinct, len, self._max_batch_tokens):
            run_batch(batch, run)
        return [found[row.ids] for row in rows]

    def close(self) -> None:
        """Let go of the weights."""
        del self._model

    def _logits(self, batch: Sequence[_Group]) -> Tensor:
        """Return the model's own logits for all targets of a batch, group by group."""
        ids, mask = pad_right(
            [group.source for group in batch], self.tokenizer.pad_id, self._device
        )
        encoded = self._model.get_encoder()(input_ids=ids, attention_mask=mask)
        sources = [at for at, group in enumerate(batch) for _ in group.targets]
        # Changed in place: mixtures of experts give more than states.
        encoded.last_hidden_state = encoded.last_hidden_state[sources]
        inputs = [row.ids[:-1] for group in batch for row in group.targets]
        decoder_ids, _ = pad_right(inputs, self.tokenizer.pad_id, self._device)
        logits: Tensor = self._model(
            encoder_outputs=encoded,
            attention_mask=mask[sources],
            decoder_input_ids=decoder_ids,
            decoder_attention_mask=torch.ones_like(decoder_ids),
            use_cache=False,
        ).logits
        return logits

    def _score(self, batch: Sequence[_Group], found: dict[TokenRow, LogProbs]) -> None:
        logits = self._logits(batch)
        targets = [row for group in batch for row in group.targets]
        for row, scores in zip(targets, logits, strict=True):
            first, last = row.n_given - 1, len(row.ids) - 1
            tokens = torch.tensor(row.ids[row.n_given :], device=self._device)
            values = scores[first:last].float().log_softmax(-1).gather(1, tokens[:, None])[:, 0]
            found[row] = values.double().cpu().numpy()

    def _write(
        self, batch: Sequence[TokenRow], settings: GenerationSettings
    ) -> list[GeneratedTokens]:
        sources = [row.source_ids for row in batch]
        ids, mask = pad_right(sources, self.tokenizer.pad_id, self._device)
        ends = end_ids(self._model, self.tokenizer.eos_id)
        draw = [SeededDraw(settings, sources)] if settings.temperature > 0 else []
        output = self._model.generate(
            ids,
            attention_mask=mask,
            generation_config=self._generation_config(batch[0].ids, settings, ends),
            logits_processor=LogitsProcessorList(draw),
        )
        n_given = len(batch[0].ids)
        return [cut_at_end(row[n_given:], ends) for row in output.tolist()]

    def _generation_config(
        self, prefix: tuple[int, ...], settings: GenerationSettings, ends: Sequence[int]
    ) -> GenerationConfig:
        extra: dict[str, Any] = {"forced_bos_token_id": prefix[1]} if len(prefix) > 1 else {}
        n_new = min(settings.max_new_tokens + len(prefix) - 1, self.info.context_window - 1)
        return GenerationConfig(
            max_new_tokens=n_new,
            do_sample=False,
            num_beams=settings.n_beams,
            no_repeat_ngram_size=settings.no_repeat_ngram_size,
            decoder_start_token_id=prefix[0],
            eos_token_id=list(ends),
            pad_token_id=self.tokenizer.pad_id,
            **extra,
        )


def _groups(rows: Sequence[TokenRow]) -> list[_Group]:
    by_source: dict[tuple[int, ...], list[TokenRow]] = defaultdict(list)
    for row in dict.fromkeys(rows):
        by_source[row.source_ids].append(row)
    return [
        _Group(source, tuple(targets[at : at + MAX_GROUP_ROWS]))
        for source, targets in by_source.items()
        for at in range(0, len(targets), MAX_GROUP_ROWS)
    ]
