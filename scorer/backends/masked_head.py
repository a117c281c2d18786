"""The head of a masked language model, applied to the one hidden token of each row only.

Classes name and build their heads each in another way. So the model's own forward pass runs, and a
hook leaves of the backbone's states just the rows that matter before they reach the head.
"""

import threading
from typing import Any

import torch
from torch import Tensor

CHECK_TOLERANCE = 1e-3


class MaskedHead:
    """Predicts hidden tokens; several threads may ask at once."""

    def __init__(self, model: Any) -> None:  # noqa: ANN401  # transformers has no types
        self._model = model
        self._here = threading.local()
        self._is_narrow = True
        model.base_model.register_forward_hook(self._keep_row)
        self._is_narrow = self._agrees()

    def log_probs(self, ids: Tensor, mask: Tensor, hidden: Tensor) -> Tensor:
        """Return log p(token | all other tokens) for the hidden place of each row.

        Args:
            ids: Shape (n_rows, n_tokens).
            mask: The same shape; 1 where a token is.
            hidden: Shape (n_rows,), the place of each row's hidden token.

        Returns:
            Shape (n_rows, vocabulary_size), in nats.
        """
        if not self._is_narrow:
            logits = self._model(input_ids=ids, attention_mask=mask).logits
            chosen: Tensor = logits[torch.arange(len(ids)), hidden]
            return chosen.float().log_softmax(-1)
        self._here.hidden = hidden
        try:
            logits = self._model(input_ids=ids, attention_mask=mask).logits
        finally:
            self._here.hidden = None
        narrow: Tensor = logits[:, 0].float().log_softmax(-1)
        return narrow

    def _keep_row(self, _module: Any, _inputs: Any, output: Any) -> Any:  # noqa: ANN401
        hidden = getattr(self._here, "hidden", None)
        if hidden is not None:
            states = output.last_hidden_state
            rows = torch.arange(len(states), device=states.device)
            output.last_hidden_state = states[rows, hidden][:, None]
        return output

    def _agrees(self) -> bool:
        """Tell whether the states of one row alone give what those of all rows give."""
        device = self._model.device
        n_tokens = min(6, int(self._model.config.vocab_size))
        ids = torch.arange(2 * n_tokens, device=device).view(2, n_tokens) % n_tokens
        mask, hidden = torch.ones_like(ids), torch.tensor([1, n_tokens - 1], device=device)
        with torch.inference_mode():
            narrow = self.log_probs(ids, mask, hidden)
            self._is_narrow = False
            whole = self.log_probs(ids, mask, hidden)
        return narrow.shape == whole.shape and torch.allclose(
            narrow, whole, rtol=0, atol=CHECK_TOLERANCE if whole.dtype == torch.float32 else 0.5
        )
