"""A causal language model on torch."""

import logging
from collections.abc import Callable, Sequence
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
from scorer.backends.packed import (
    ancestor_mask,
    pack,
    run_packed,
    use_packed_attention,
    use_plain_attention,
)
from scorer.backends.padding import pad_right
from scorer.backends.pooling import pool_nodes
from scorer.backends.self_check import agrees, check_rows, plain_log_probs
from scorer.backends.shapes import matrix_shapes
from scorer.backends.tokenizer import load_tokenizer
from scorer.backends.workers import run_batches
from scorer.batching.batches import cut_batches, run_batch
from scorer.batching.prefix_tree import Plan, TreeRow, plan_rows, plan_states, questions_of
from scorer.batching.start_token import declared_start
from scorer.schemas import Pooling
from scorer.weights import ModelFolder

LOG = logging.getLogger(__name__)

MAX_GENERATED_ROWS = 32


class DecoderBackend:
    """Computes shared prefixes once, no padding, and the head only where a token is asked for."""

    def __init__(self, folder: ModelFolder, options: LoadOptions) -> None:
        """Load a model folder; blocks for a second or more."""
        self.folder = folder.folder
        self.tokenizer = load_tokenizer(folder.folder)
        self.device = choose_device(options.device)
        dtype = choose_dtype(options.dtype, self.device)
        self.model = load_weights(AutoModelForCausalLM, folder.folder, self.device, dtype)
        self._max_batch_tokens = options.batch_tokens(self.device.type)
        self._max_row_nodes = options.max_row_nodes
        self.info = capabilities_of(
            folder,
            self.model,
            self.tokenizer,
            ["log_prob", "generate", "hidden_states", "embed", "similarity"],
            declared_start(self.tokenizer, folder.start_token),
        )
        self._head: Head | None = head_of(self.model)
        self._may_branch = True
        self._may_pack = False
        self._max_rearranged = (
            getattr(self.model.config, "sliding_window", None) or self.info.context_window
        )
        """Longer texts are read as they are: within a window, distance matters."""
        self._choose_paths()

    def log_probs(self, rows: Sequence[TokenRow]) -> list[LogProbs]:
        """Score the tokens of each row that are not given."""
        may_pack, may_branch = self._paths(rows)
        plan = plan_rows(rows, max_nodes=self._max_row_nodes, may_branch=may_branch)
        found = np.zeros(plan.n_slots)
        self._run(plan.rows, lambda batch: self._score(batch, plan, found, may_pack), may_pack)
        return [found[slice(*plan.slots[row])] for row in rows]

    def top_tokens(self, rows: Sequence[TokenRow], n_top: int) -> list[list[TopTokens]]:
        """Return the likeliest tokens in the place of each scored one."""
        found = []
        for row in rows:
            with memory_errors(), torch.inference_mode():
                ids = torch.tensor([row.ids], device=self.device)
                logits = self.model(input_ids=ids, use_cache=False).logits[0, row.n_given - 1 : -1]
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
                new = generate_batch(self.model, batch, settings, self.tokenizer)
            found.update(zip(batch, new, strict=True))

        distinct = list(dict.fromkeys(row.ids for row in rows))
        budget = 8 * self._max_batch_tokens
        for batch in cut_batches(distinct, len, budget, MAX_GENERATED_ROWS // settings.n_beams):
            run_batch(batch, run)
        return [found[row.ids] for row in rows]

    def hidden_states(
        self, rows: Sequence[TokenRow], layers: Sequence[int], pooling: Pooling
    ) -> list[States]:
        """Return the states of each row; equal rows and shared prefixes are computed once."""
        found: dict[TokenRow, States] = {}
        may_pack, may_branch = self._paths(rows)

        def run(batch: Sequence[TreeRow]) -> None:
            with memory_errors(), torch.inference_mode():
                output, begins = self._read(batch, may_pack, output_hidden_states=True)
                states = [output.hidden_states[layer].flatten(0, 1) for layer in layers]
                paths = [
                    [begin + node for node in path]
                    for begin, row in zip(begins, batch, strict=True)
                    for _, path in row.paths
                ]
                pooled = pool_nodes(states, paths, pooling)
            sequences = [sequence for row in batch for sequence, _ in row.paths]
            found.update(zip(sequences, pooled, strict=True))

        plan = plan_states(rows, max_nodes=self._max_row_nodes, may_branch=may_branch)
        self._run(plan, run, may_pack)
        return [found[row] for row in rows]

    def matrix_shapes(self) -> list[tuple[int, int]]:
        """Return (out, in) of every matrix that each token passes; the head is not among them."""
        return matrix_shapes(self.model)

    def flops_a_token(self) -> int:
        """Return the operations of all products that one token needs, head included."""
        head = self.model.get_output_embeddings().weight.numel()
        return 2 * (sum(out * into for out, into in self.matrix_shapes()) + int(head))

    def close(self) -> None:
        """Let go of the weights."""
        del self.model, self._head

    def _choose_paths(self) -> None:
        """Keep to the fast paths only where they agree with the plain one."""
        rows = check_rows(self.info.vocabulary_size)
        plain = [plain_log_probs(self.model, row) for row in rows]

        def is_right() -> bool:
            return agrees(self.log_probs, rows, plain, self.info.dtype)

        self._may_branch = False
        if self._head and not is_right():
            LOG.warning("slow head", extra={"architecture": self.info.architecture})
            self._head = None
        self._may_pack = use_packed_attention(self.model)
        if self._may_pack and not is_right():
            LOG.warning("padded batches", extra={"architecture": self.info.architecture})
            use_plain_attention(self.model)
            self._may_pack = False
        self._may_branch = True
        if not is_right():
            LOG.warning("no shared prefixes", extra={"architecture": self.info.architecture})
            self._may_branch = False

    def _paths(self, rows: Sequence[TokenRow]) -> tuple[bool, bool]:
        """Tell whether these rows may be packed, and whether they may branch."""
        longest = max((len(row.ids) for row in rows), default=0)
        may = longest <= self._max_rearranged
        return may and self._may_pack, may and self._may_branch

    def _run(
        self, rows: Sequence[TreeRow], run: Callable[[Sequence[TreeRow]], None], may_pack: bool
    ) -> None:
        batches = cut_batches(rows, len, self._max_batch_tokens, is_padded=not may_pack)
        run_batches(batches, run, self.device)

    def _score(
        self, batch: Sequence[TreeRow], plan: Plan, found: NDArray[np.float64], may_pack: bool
    ) -> None:
        with memory_errors(), torch.inference_mode():
            head = self._head
            model = self.model if head is None else self.model.base_model
            output, begins = self._read(batch, may_pack, model)
            asked = [questions_of(row, plan.slots) for row in batch]
            nodes = self._tensor([one.nodes + at for one, at in zip(asked, begins, strict=True)])
            tokens = self._tensor([one.tokens for one in asked])
            if head is None:
                scores = output.logits.flatten(0, 1)[nodes].float().log_softmax(-1)
                values = scores.gather(1, tokens[:, None])[:, 0]
            else:
                states = output.last_hidden_state.flatten(0, 1)
                distinct, pairs = torch.unique(nodes, return_inverse=True)
                values = head.log_probs(states[distinct], pairs, tokens)
            slots = np.concatenate([one.slots for one in asked])
            found[slots] = values.double().cpu().numpy()

    def _read(
        self,
        batch: Sequence[TreeRow],
        may_pack: bool,
        model: Any = None,  # noqa: ANN401  # transformers has no types
        **extra: Any,  # noqa: ANN401
    ) -> tuple[Any, Sequence[int]]:
        """Run the backbone, or `model`.

        Returns:
            Its output, and where each row begins once its first two axes are one.
        """
        model = self.model.base_model if model is None else model
        if may_pack:
            packed = pack(batch, self.model.dtype, self.device)
            return run_packed(model, packed, **extra), packed.begins
        # A causal model never sees what follows a token: chains padded on the right need no mask.
        ids, _ = pad_right([row.tokens for row in batch], self.tokenizer.pad_id, self.device)
        if not all(row.is_chain for row in batch):
            extra |= self._tree_inputs(batch, ids.shape[1])
        begins = range(0, ids.numel(), ids.shape[1])
        return model(input_ids=ids, use_cache=False, **extra), begins

    def _tree_inputs(self, batch: Sequence[TreeRow], width: int) -> dict[str, Tensor]:
        """Return the mask of ancestors (added to the scores) and the depths as positions."""
        dtype = self.model.dtype
        mask = torch.full((len(batch), 1, width, width), torch.finfo(dtype).min, dtype=dtype)
        mask[:, 0].diagonal(dim1=1, dim2=2).zero_()
        positions = torch.zeros((len(batch), width), dtype=torch.long)
        for at, row in enumerate(batch):
            mask[at, 0, : len(row), : len(row)] = ancestor_mask(row, dtype)
            positions[at, : len(row)] = torch.tensor(row.depths)
        return {
            "attention_mask": mask.to(self.device),
            "position_ids": positions.to(self.device),
        }

    def _tensor(self, parts: Sequence[NDArray[np.int64]]) -> Tensor:
        return torch.from_numpy(np.concatenate(parts)).to(self.device)
