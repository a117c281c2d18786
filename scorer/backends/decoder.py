"""A causal language model on torch."""

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from transformers import AutoModelForCausalLM

from scorer.backend import (
    GeneratedTokens,
    GenerationSettings,
    LogProbs,
    States,
    TokenRow,
    TopTokens,
)
from scorer.backends.facts import capabilities_of
from scorer.backends.generation import generate_batch
from scorer.backends.head import Head, head_of
from scorer.backends.loading import (
    choose_device,
    choose_dtype,
    load_weights,
    memory_errors,
)
from scorer.backends.options import LoadOptions
from scorer.backends.padding import pad_right
from scorer.backends.pooling import pool_batch
from scorer.backends.self_check import agrees, check_rows, plain_log_probs
from scorer.backends.tokenizer import load_tokenizer
from scorer.backends.workers import run_batches
from scorer.batching.batches import cut_batches, run_batch
from scorer.batching.prefix_tree import TreeRow, plan_rows
from scorer.batching.start_token import declared_start
from scorer.schemas import Pooling
from scorer.weights import ModelFolder

LOG = logging.getLogger(__name__)

MAX_GENERATED_ROWS = 32


class DecoderBackend:
    """Computes shared prefixes once, and the head only where a token is asked for."""

    def __init__(self, folder: ModelFolder, options: LoadOptions) -> None:
        """Load a model folder; blocks for a second or more."""
        self.tokenizer = load_tokenizer(folder.folder)
        self._device = choose_device(options.device)
        dtype = choose_dtype(options.dtype, self._device)
        self._model = load_weights(AutoModelForCausalLM, folder.folder, self._device, dtype)
        self._max_batch_tokens = options.batch_tokens(self._device.type)
        self._max_row_nodes = options.max_row_nodes
        self.info = capabilities_of(
            folder,
            self._model,
            self.tokenizer,
            ["log_prob", "generate", "hidden_states", "embed", "similarity"],
            declared_start(self.tokenizer, folder.start_token),
        )
        self._head: Head | None = head_of(self._model)
        self._may_branch = True
        self._max_branch_depth = (
            getattr(self._model.config, "sliding_window", None) or self.info.context_window
        )
        self._choose_paths()

    def log_probs(self, rows: Sequence[TokenRow]) -> list[LogProbs]:
        """Score the tokens of each row that are not given."""
        longest = max((len(row.ids) for row in rows), default=0)
        may_branch = self._may_branch and longest <= self._max_branch_depth
        plan = plan_rows(rows, max_nodes=self._max_row_nodes, may_branch=may_branch)
        found = np.zeros(plan.n_slots)
        batches = cut_batches(plan.rows, len, self._max_batch_tokens)
        run_batches(batches, lambda batch: self._score(batch, found), self._device)
        return [found[slice(*plan.slots[row])] for row in rows]

    def top_tokens(self, rows: Sequence[TokenRow], n_top: int) -> list[list[TopTokens]]:
        """Return the likeliest tokens in the place of each scored one."""
        found = []
        for row in rows:
            with memory_errors(), torch.inference_mode():
                ids = torch.tensor([row.ids], device=self._device)
                logits = self._model(input_ids=ids, use_cache=False).logits[0, row.n_given - 1 : -1]
                best = logits.float().log_softmax(-1).topk(n_top)
            pairs = zip(best.indices.tolist(), best.values.tolist(), strict=True)
            found.append([list(zip(tokens, values, strict=True)) for tokens, values in pairs])
        return found

    def generate(
        self, rows: Sequence[TokenRow], settings: GenerationSettings
    ) -> list[GeneratedTokens]:
        """Continue each row; equal rows are continued once."""
        found: dict[tuple[int, ...], GeneratedTokens] = {}

        def run(batch: Sequence[tuple[int, ...]]) -> None:
            with memory_errors():
                new = generate_batch(self._model, batch, settings, self.tokenizer)
            found.update(zip(batch, new, strict=True))

        distinct = list(dict.fromkeys(row.ids for row in rows))
        budget = 8 * self._max_batch_tokens
        for batch in cut_batches(distinct, len, budget, MAX_GENERATED_ROWS // settings.n_beams):
            run_batch(batch, run)
        return [found[row.ids] for row in rows]

    def hidden_states(
        self, rows: Sequence[TokenRow], layers: Sequence[int], pooling: Pooling
    ) -> list[States]:
        """Return the states of each row; equal rows are computed once."""
        found: dict[tuple[int, ...], States] = {}

        def run(batch: Sequence[tuple[int, ...]]) -> None:
            with memory_errors(), torch.inference_mode():
                ids = self._padded(batch)
                states = self._model.base_model(
                    input_ids=ids, use_cache=False, output_hidden_states=True
                ).hidden_states
                lengths = [len(row) for row in batch]
                pooled = pool_batch([states[layer] for layer in layers], lengths, pooling)
            found.update(zip(batch, pooled, strict=True))

        distinct = list(dict.fromkeys(row.ids for row in rows))
        run_batches(cut_batches(distinct, len, self._max_batch_tokens), run, self._device)
        return [found[row.ids] for row in rows]

    def close(self) -> None:
        """Let go of the weights."""
        del self._model, self._head

    def _choose_paths(self) -> None:
        """Keep to the fast paths only where they agree with the plain one."""
        rows = check_rows(self.info.vocabulary_size)
        plain = [plain_log_probs(self._model, row) for row in rows]
        may_branch, self._may_branch = self._may_branch, False
        if self._head and not agrees(self.log_probs, rows, plain, self.info.dtype):
            LOG.warning("slow head", extra={"architecture": self.info.architecture})
            self._head = None
        self._may_branch = may_branch
        if may_branch and not agrees(self.log_probs, rows, plain, self.info.dtype):
            LOG.warning("no shared prefixes", extra={"architecture": self.info.architecture})
            self._may_branch = False

    def _score(self, batch: Sequence[TreeRow], found: NDArray[np.float64]) -> None:
        with memory_errors(), torch.inference_mode():
            ids = self._padded([row.tokens for row in batch])
            extra = {} if all(row.is_chain for row in batch) else self._tree_inputs(batch, ids)
            nodes, tokens, slots = self._queries(batch, ids.shape[1])
            if self._head is None:
                logits = self._model(input_ids=ids, use_cache=False, **extra).logits
                scores = logits.flatten(0, 1)[nodes].float().log_softmax(-1)
                values = scores.gather(1, tokens[:, None])[:, 0]
            else:
                output = self._model.base_model(input_ids=ids, use_cache=False, **extra)
                states = output.last_hidden_state.flatten(0, 1)
                asked, pairs = torch.unique(nodes, return_inverse=True)
                values = self._head.log_probs(states[asked], pairs, tokens)
            found[slots] = values.double().cpu().numpy()

    def _padded(self, rows: Sequence[Sequence[int]]) -> Tensor:
        """Return ids padded on the right: a causal model never sees what follows a token."""
        return pad_right(rows, self.tokenizer.pad_id, self._device)[0]

    def _tree_inputs(self, batch: Sequence[TreeRow], ids: Tensor) -> dict[str, Any]:
        """Return the mask of ancestors (added to the scores) and the depths as positions."""
        n_rows, width = ids.shape
        visible = np.zeros((n_rows, 1, width, width), dtype=np.bool_)
        positions = np.zeros((n_rows, width), dtype=np.int64)
        for at, row in enumerate(batch):
            visible[at, 0, : len(row), : len(row)] = row.visible()
            visible[at, 0, range(width), range(width)] = True
            positions[at, : len(row)] = row.depths
        dtype = self._model.dtype
        hidden = torch.tensor(torch.finfo(dtype).min, dtype=dtype, device=self._device)
        seen = torch.from_numpy(visible).to(self._device)
        mask = torch.where(seen, torch.zeros((), dtype=dtype, device=self._device), hidden)
        return {
            "attention_mask": mask,
            "position_ids": torch.from_numpy(positions).to(self._device),
        }

    def _queries(
        self, batch: Sequence[TreeRow], width: int
    ) -> tuple[Tensor, Tensor, NDArray[np.int64]]:
        nodes = np.concatenate(
            [np.array(row.query_nodes, dtype=np.int64) + at * width for at, row in enumerate(batch)]
        )
        tokens = np.concatenate([np.array(row.query_tokens, dtype=np.int64) for row in batch])
        slots = np.concatenate([np.array(row.query_slots, dtype=np.int64) for row in batch])
        return (
            torch.from_numpy(nodes).to(self._device),
            torch.from_numpy(tokens).to(self._device),
            slots,
        )
