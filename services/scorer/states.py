"""Hidden states as one safetensors body."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from safetensors.numpy import save

from scorer.backend import States
from scorer.schemas import FailedItem, Pooling


@dataclass(frozen=True, slots=True)
class StatesAnswer:
    """The states of several texts, and what a reader must know of them."""

    model: str
    layers: Sequence[int]
    pooling: Pooling
    states: Sequence[States | FailedItem]
    is_special: Sequence[Sequence[bool]]
    """Per text and token."""
    offsets: Sequence[Sequence[tuple[int, int]]]
    """Per text and token: the characters [begin, end) it covers."""

    def body(self) -> bytes:
        """Return a safetensors file: tensors by their text's position, facts as metadata."""
        facts = {
            "model": self.model,
            "layers": list(self.layers),
            "pooling": self.pooling,
            "n_tokens": [len(row) for row in self.is_special],
            "is_special": [[int(flag) for flag in row] for row in self.is_special],
            "offsets": self.offsets if self.pooling == "none" else [[] for _ in self.offsets],
            "failed": {
                str(at): item.model_dump()
                for at, item in enumerate(self.states)
                if isinstance(item, FailedItem)
            },
        }
        tensors = {
            str(at): item for at, item in enumerate(self.states) if not isinstance(item, FailedItem)
        }
        return save(tensors, metadata={name: json.dumps(value) for name, value in facts.items()})
