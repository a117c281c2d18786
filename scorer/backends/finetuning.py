"""Train a sentence encoder until the cosine of two texts' vectors is their score.

Mean pooling over all tokens, mean squared error between cosine and score, the model's own dropout,
AdamW with a linear warm-up and a linear way down to zero: what sentence-transformers does with
CosineSimilarityLoss. Texts are cut to the length that the model's makers cut them to.

Source: Ousidhoum et al. 2024 (SemRel2024), section 5, and the released training code.
"""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers import AutoModel

from scorer.backends.checkpoints import Checkpoints
from scorer.backends.facts import context_window
from scorer.backends.loading import choose_device, load_weights
from scorer.backends.padding import pad_right
from scorer.backends.tokenizer import HuggingFaceTokenizer, load_tokenizer
from scorer.backends.used_rows import UsedRows
from scorer.errors import TrainingStoppedError
from scorer.training import FinetuneReport, FinetuneSettings, ScoredPair
from scorer.weights import ModelFolder

MAX_GRADIENT_NORM = 1.0
UNDECAYED = ("bias", "LayerNorm.weight", "layer_norm.weight")
GROUP_TEXTS = 8
"""Texts of like length that are padded together on a processor."""
NO_LIMIT = 1 << 30
OnStep = Callable[[int, float], None]
"""Called after each step with the number of steps done and the loss of the last."""


class Finetuning:
    """One training from a base model to a new model folder; interrupted, it goes on later."""

    def __init__(
        self,
        base: ModelFolder,
        pairs: Sequence[ScoredPair],
        settings: FinetuneSettings,
        device: str,
    ) -> None:
        self._base = base
        self._settings = settings
        self._device = choose_device(device)
        self._tokenizer = load_tokenizer(base.folder)
        self._model = load_weights(AutoModel, base.folder, self._device, torch.float32)
        self._model.requires_grad_(requires_grad=True).train()
        self._limit = min(_max_text_tokens(base.folder), context_window(self._model.config))
        left, n_cut_left = _encode([pair.text_a for pair in pairs], self._tokenizer, self._limit)
        right, n_cut_right = _encode([pair.text_b for pair in pairs], self._tokenizer, self._limit)
        self._texts = list(zip(left, right, strict=True))
        self._n_cut = n_cut_left + n_cut_right
        self._scores = torch.tensor([pair.score for pair in pairs], device=self._device)
        ids = {token for pair in self._texts for text in pair for token in text}
        self._used_rows = UsedRows(self._model, {*ids, self._tokenizer.pad_id})
        groups = _groups(self._model, settings.weight_decay)
        self._optimizer = torch.optim.AdamW(groups, fused=True)
        self._losses: list[float] = []

    @property
    def n_steps(self) -> int:
        """All steps of the training."""
        return self._settings.n_epochs * self._n_epoch_steps

    def run(
        self, folder: Path, on_step: OnStep, is_stopping: Callable[[], bool] = lambda: False
    ) -> FinetuneReport:
        """Train, and write the new model to `folder`; a checkpoint beside it is taken up.

        Args:
            folder: Of the new model; its checkpoint lies beside it.
            on_step: Is told of every step.
            is_stopping: Asked after every step; once it is true, a checkpoint ends the training.

        Raises:
            CheckpointError: The checkpoint is of another training.
            TrainingStoppedError: It was asked to end.
        """
        checkpoints = Checkpoints(folder.with_name(f"{folder.name}.checkpoint"), self._facts())
        self._losses = checkpoints.restore(self._model, self._optimizer)
        n_resumed = len(self._losses)
        for step in range(n_resumed, self.n_steps):
            self._losses.append(self._step(step))
            on_step(step + 1, self._losses[-1])
            is_last = is_stopping()
            if is_last or (step + 1) % self._settings.checkpoint_steps == 0:
                checkpoints.save(self._model, self._optimizer, self._losses)
            if is_last:
                raise TrainingStoppedError(f"stopped after step {step + 1} of {self.n_steps}")
        self._used_rows.put_back(self._unused_decay())
        checkpoints.finish(self._model, self._base.folder, folder, self._losses)
        return self._report(n_resumed)

    def _report(self, n_resumed: int) -> FinetuneReport:
        n = self._n_epoch_steps
        return FinetuneReport(
            n_pairs=len(self._texts),
            n_steps=self.n_steps,
            n_resumed_steps=n_resumed,
            n_cut_texts=self._n_cut,
            first_epoch_loss=float(np.mean(self._losses[:n])),
            last_epoch_loss=float(np.mean(self._losses[-n:])),
        )

    @property
    def _n_epoch_steps(self) -> int:
        return -(-len(self._texts) // self._settings.batch_size)

    def _facts(self) -> dict[str, Any]:
        """Return all that decides the new weights."""
        return {
            **asdict(self._settings),
            "max_text_tokens": self._limit,
            "base": self._base.weights_sha256,
            "data": Checkpoints.hash([*self._texts, self._scores.tolist()]),
        }

    def _step(self, step: int) -> float:
        # Each step draws from its own seed, so that a training that is taken up goes the same way.
        torch.manual_seed(self._settings.seed * 1_000_003 + step)
        chosen = self._chosen(step)
        vectors = self._vectors([text for at in chosen for text in self._texts[at]])
        cosines = torch.nn.functional.cosine_similarity(vectors[0::2], vectors[1::2])
        loss = torch.nn.functional.mse_loss(cosines, self._scores[chosen])
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self._model.parameters(), MAX_GRADIENT_NORM)
        for group in self._optimizer.param_groups:
            group["lr"] = self._settings.learning_rate * self._rate(step)
        self._optimizer.step()
        return float(loss.detach())

    def _chosen(self, step: int) -> list[int]:
        epoch, at = divmod(step, self._n_epoch_steps)
        order = np.random.default_rng([self._settings.seed, epoch]).permutation(len(self._texts))
        size = self._settings.batch_size
        return [int(number) for number in order[at * size : (at + 1) * size]]

    def _rate(self, step: int) -> float:
        """Return the share of the learning rate: up over the warm-up, then down to zero."""
        n_warm = self._settings.n_warm_up_steps
        if step < n_warm:
            return step / n_warm
        return (self.n_steps - step) / max(1, self.n_steps - n_warm)

    def _unused_decay(self) -> float:
        """Return what AdamW leaves of a weight that never had a gradient."""
        most = self._settings.learning_rate * self._settings.weight_decay
        return math.prod(1 - most * self._rate(step) for step in range(self.n_steps))

    def _vectors(self, texts: Sequence[tuple[int, ...]]) -> Tensor:
        """Return one vector a text; texts of like length are padded together."""
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        size = GROUP_TEXTS if self._device.type == "cpu" else len(texts)
        groups = [order[first : first + size] for first in range(0, len(order), size)]
        pooled = torch.cat([self._pool([texts[at] for at in group]) for group in groups])
        return pooled[torch.tensor(order, device=self._device).argsort()]

    def _pool(self, texts: Sequence[tuple[int, ...]]) -> Tensor:
        ids, mask = pad_right(texts, self._tokenizer.pad_id, self._device)
        states = self._model(input_ids=ids, attention_mask=mask).last_hidden_state
        pooled: Tensor = (states * mask.unsqueeze(-1)).sum(1) / mask.sum(1, keepdim=True)
        return pooled


def _max_text_tokens(folder: Path) -> int:
    """Return the length that sentence-transformers cuts this model's texts to, if there is one."""
    try:
        found = json.loads((folder / "sentence_bert_config.json").read_text())["max_seq_length"]
    except (OSError, ValueError, KeyError, TypeError):
        return NO_LIMIT
    return found if isinstance(found, int) and found > 1 else NO_LIMIT


def _encode(
    texts: Sequence[str], tokenizer: HuggingFaceTokenizer, limit: int
) -> tuple[list[tuple[int, ...]], int]:
    """Return tokens cut to `limit` but for the last, a separator, and how many texts were cut."""
    rows = tokenizer.encode_prompts(texts)
    cut = [row if len(row) <= limit else (*row[: limit - 1], row[-1]) for row in rows]
    return cut, sum(len(row) > limit for row in rows)


def _groups(model: Any, weight_decay: float) -> list[dict[str, Any]]:  # noqa: ANN401
    """Return parameters with and without decay: biases and norms have none."""
    named = list(model.named_parameters())
    return [
        {
            "params": [p for name, p in named if not name.endswith(UNDECAYED)],
            "weight_decay": weight_decay,
        },
        {"params": [p for name, p in named if name.endswith(UNDECAYED)], "weight_decay": 0.0},
    ]
