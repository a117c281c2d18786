"""Continue a batch of texts, padded on the left."""

import hashlib
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from transformers import GenerationConfig, LogitsProcessor, LogitsProcessorList

from scorer.backend import GeneratedTokens, GenerationSettings
from scorer.backends.tokenizer import HuggingFaceTokenizer


class SeededDraw(LogitsProcessor):  # type: ignore[misc]  # transformers has no types
    """Draws tokens so that a row's draw depends on the seed and the row alone.

    Adding Gumbel noise and taking the largest is a draw from the softmax; each row takes its
    noise from a generator of its own, so its neighbours cannot move it.
    """

    def __init__(self, settings: GenerationSettings, batch: Sequence[tuple[int, ...]]) -> None:
        self._settings = settings
        self._sources = [_source(settings.seed, row) for row in batch]

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return scores whose largest entry is the draw."""
        scores = _keep_top(scores.float() / self._settings.temperature, self._settings.top_p)
        uniform = torch.stack(
            [torch.rand(scores.shape[1], generator=source) for source in self._sources]
        )
        noise = -torch.log(-torch.log(uniform.clamp(1e-20, 1 - 1e-7)))
        return scores + noise.to(scores.device)


def _source(seed: int, row: tuple[int, ...]) -> torch.Generator:
    digest = hashlib.sha256(f"{seed}:{row}".encode()).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest[:7], "big"))


def _keep_top(scores: Tensor, top_p: float) -> Tensor:
    """Leave the smallest set of tokens whose probabilities sum to `top_p` or more."""
    if top_p >= 1:
        return scores
    ordered, order = scores.sort(descending=True)
    shares = ordered.softmax(-1)
    is_out = (shares.cumsum(-1) - shares) >= top_p
    return scores.masked_fill(is_out.scatter(1, order, is_out), float("-inf"))


def generate_batch(
    model: Any,  # noqa: ANN401  # transformers has no types
    batch: Sequence[tuple[int, ...]],
    settings: GenerationSettings,
    tokenizer: HuggingFaceTokenizer,
) -> list[GeneratedTokens]:
    """Continue each row until the model ends it or the limit is reached."""
    longest = max(map(len, batch))
    pad = tokenizer.pad_id
    ids = torch.tensor([(pad,) * (longest - len(row)) + row for row in batch], device=model.device)
    mask = torch.tensor(
        [[0] * (longest - len(row)) + [1] * len(row) for row in batch], device=model.device
    )
    ends = end_ids(model, tokenizer.eos_id)
    draw = [SeededDraw(settings, batch)] if settings.temperature > 0 else []
    with torch.inference_mode():
        output = model.generate(
            ids,
            attention_mask=mask,
            generation_config=generation_config(settings, ends, pad),
            logits_processor=LogitsProcessorList(draw),
        )
    return [cut_at_end(row, ends) for row in output[:, longest:].tolist()]


def generation_config(
    settings: GenerationSettings, ends: Sequence[int], pad: int
) -> GenerationConfig:
    """Return a greedy configuration; what it does not say is as the model's makers set it."""
    return GenerationConfig(
        max_new_tokens=settings.max_new_tokens,
        do_sample=False,
        num_beams=settings.n_beams,
        no_repeat_ngram_size=settings.no_repeat_ngram_size,
        eos_token_id=list(ends) or None,
        pad_token_id=pad,
    )


def end_ids(model: Any, eos_id: int | None) -> list[int]:  # noqa: ANN401
    """Return the tokens that end a text: the model's own, and the tokenizer's `eos_id`."""
    own = model.generation_config.eos_token_id
    found = own if isinstance(own, list) else [own]
    return sorted({token for token in [*found, eos_id] if token is not None})


def cut_at_end(row: Sequence[int], ends: Sequence[int]) -> GeneratedTokens:
    """Return the tokens before the first that ends the text."""
    at = next((at for at, token in enumerate(row) if token in ends), None)
    return GeneratedTokens(tuple(row if at is None else row[:at]), is_finished=at is not None)
