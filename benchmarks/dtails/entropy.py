"""How evenly are a concept's variations used? The entropy that decides what a concept is."""

import math
from collections.abc import Iterable
from typing import Literal

EntropyBase = Literal["e", "2"]
MIN_ENTROPY = 0.69
MIN_COUNT = 50


def entropy(counts: Iterable[int], base: EntropyBase = "e") -> float:
    """Return -Σ p log p of the shares p of some counts; counts of 0 add nothing.

    Source: Barua et al. 2024 (DTAiLS), appendix B.1, written with ln there; by ln almost half of
    the released concepts fall below the published threshold of 0.69, by log2 one does.
    """
    kept = [count for count in counts if count > 0]
    total = sum(kept)
    nats = -math.fsum(count / total * math.log(count / total) for count in kept)
    return nats / math.log(2) if base == "2" else nats
