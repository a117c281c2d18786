"""Pseudo-log-likelihood: each token of a text given all the others.

Source: Salazar et al. 2020 (Masked Language Model Scoring, arXiv:1910.14659), equation 1; differs
from it in that tokens of a context are read and not scored.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from scorer.backend import LogProbs, TokenRow, TopTokens
from scorer.backends.loading import memory_errors
from scorer.backends.masked_head import MaskedHead
from scorer.backends.padding import pad_right

Batch = Sequence["HiddenToken"]
Run = Callable[[Sequence["HiddenToken"], Callable[[Batch], None]], None]
"""Cuts into batches and runs them."""


@dataclass(frozen=True, slots=True)
class HiddenToken:
    """A text with one of its tokens hidden. Texts that differ in that token only share it."""

    ids: tuple[int, ...]
    place: int

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class MaskedScoring:
    """A masked language model's head, and the token that hides others."""

    head: MaskedHead
    mask_id: int
    pad_id: int
    device: torch.device

    def log_probs(self, rows: Sequence[TokenRow], run: Run) -> list[LogProbs]:
        """Score the tokens of each row that are neither given nor at its end."""
        wanted: dict[HiddenToken, set[int]] = defaultdict(set)
        for row in set(rows):
            for place in _scored(row):
                wanted[self._hide(row, place)].add(row.ids[place])
        found = self._values(wanted, run)
        return [
            np.array([found[self._hide(row, place), row.ids[place]] for place in _scored(row)])
            for row in rows
        ]

    def top_tokens(self, rows: Sequence[TokenRow], n_top: int, run: Run) -> list[list[TopTokens]]:
        """Return the likeliest tokens in the place of each scored one."""
        found: dict[HiddenToken, TopTokens] = {}

        def read(batch: Batch) -> None:
            best = self._scores(batch).topk(n_top)
            for one, tokens, values in zip(
                batch, best.indices.tolist(), best.values.tolist(), strict=True
            ):
                found[one] = list(zip(tokens, values, strict=True))

        hidden = dict.fromkeys(self._hide(row, place) for row in rows for place in _scored(row))
        run(list(hidden), read)
        return [[found[self._hide(row, place)] for place in _scored(row)] for row in rows]

    def _values(
        self, wanted: Mapping[HiddenToken, set[int]], run: Run
    ) -> dict[tuple[HiddenToken, int], float]:
        found: dict[tuple[HiddenToken, int], float] = {}

        def read(batch: Batch) -> None:
            scores = self._scores(batch)
            pairs = [(at, token) for at, one in enumerate(batch) for token in wanted[one]]
            at, tokens = torch.tensor(pairs, device=scores.device).T
            values = scores[at, tokens].double().cpu().tolist()
            for (row, token), value in zip(pairs, values, strict=True):
                found[batch[row], token] = value

        run(list(wanted), read)
        return found

    def _scores(self, batch: Batch) -> torch.Tensor:
        with memory_errors(), torch.inference_mode():
            ids, mask = pad_right([one.ids for one in batch], self.pad_id, self.device)
            places = torch.tensor([one.place for one in batch], device=self.device)
            return self.head.log_probs(ids, mask, places)

    def _hide(self, row: TokenRow, place: int) -> HiddenToken:
        return HiddenToken((*row.ids[:place], self.mask_id, *row.ids[place + 1 :]), place)


def _scored(row: TokenRow) -> range:
    return range(row.n_given, len(row.ids) - row.n_end)
