"""Which layers a question means."""

from collections.abc import Sequence

from scorer.errors import UnknownLayerError
from scorer.schemas import Capabilities


def resolve_layers(layers: Sequence[int] | None, info: Capabilities) -> tuple[int, ...]:
    """Return layers as indices from 0, the embedding layer; None means all of them.

    Raises:
        UnknownLayerError: The model has no such layer.
    """
    n_tensors = info.n_layers + 1
    if layers is None:
        return tuple(range(n_tensors))
    wrong = next((layer for layer in layers if not -n_tensors <= layer < n_tensors), None)
    if wrong is not None:
        raise UnknownLayerError(
            f"layer {wrong}; {info.model} has 0 (embeddings) to {info.n_layers},"
            f" or -{n_tensors} to -1"
        )
    return tuple(layer % n_tensors for layer in layers)
