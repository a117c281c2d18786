"""Where are the hidden states of a sentence? Read from safetensors files, all layers or some."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from benchmarks.errors import ReplayError
from benchmarks.responses import TensorResponse

States = NDArray[np.floating]
"""Shape (n_layers, width): the pooled token of every layer, embeddings first."""

ALL_LAYERS = slice(None)


class TensorReader(Protocol):
    """How the hidden states of one sentence are read from where they rest."""

    def __call__(self, response: TensorResponse, layers: slice = ALL_LAYERS) -> States:
        """Return the chosen layers of one tensor.

        Raises:
            ReplayError: It is missing, or is not one finite vector a layer.
        """
        ...


@dataclass(frozen=True, slots=True)
class Tensors:
    """The hidden states of many sentences, left where they rest until a layer is wanted."""

    places: Sequence[TensorResponse]
    read: TensorReader
    n_layers: int
    width: int
    dtype: np.dtype[np.floating]

    def layer_blocks(self, n_at_once: int) -> Iterator[States]:
        """Yield some layers of all sentences at a time, shape (n_layers, n_sentences, width)."""
        for first in range(0, self.n_layers, n_at_once):
            layers = slice(first, min(first + n_at_once, self.n_layers))
            shape = (layers.stop - first, len(self.places), self.width)
            block = np.empty(shape, dtype=self.dtype)
            for number, place in enumerate(self.places):
                block[:, number] = self.read(place, layers)
            yield block


class FileReader:
    """Reads tensors, and keeps the last file open: the next tensor mostly lies in it too."""

    def __init__(self) -> None:
        self._name = ""
        self._file: Any = None

    def __call__(self, response: TensorResponse, layers: slice = ALL_LAYERS) -> States:
        """Return the chosen layers of one tensor.

        Raises:
            ReplayError: The file or tensor is missing, or is not one finite vector a layer.
        """
        return read_states(response, layers, self._open)

    def _open(self, name: str) -> Any:  # noqa: ANN401  # safetensors says no more
        if name != self._name:
            self._file = _open_file(name)
            self._name = name
        return self._file


def read_states(
    response: TensorResponse,
    layers: slice = ALL_LAYERS,
    open_file: Callable[[str], Any] | None = None,
) -> States:
    """Read one tensor, or some layers of it.

    Raises:
        ReplayError: The file or tensor is missing, or is not one finite vector a layer.
    """
    place = f"tensor {response.tensor!r} of {response.file}"
    try:
        tensor = (open_file or _open_file)(response.file).get_slice(response.tensor)
        shape = tuple(tensor.get_shape())
        if len(shape) != 2 or 0 in shape:
            raise ReplayError(f"{place} is of shape {shape}; needed: (n_layers, width)")
        states: States = tensor[layers]
    except FileNotFoundError:
        raise ReplayError(f"no file for {place}") from None
    except (SafetensorError, OSError, TypeError) as error:
        raise ReplayError(f"{place} cannot be read: {error}") from error
    if not np.issubdtype(states.dtype, np.floating):
        raise ReplayError(f"{place} is {states.dtype}; needed: floating-point numbers")
    if not np.isfinite(states).all():
        raise ReplayError(f"{place} holds values that are not finite")
    return states


def _open_file(name: str) -> Any:  # noqa: ANN401  # safetensors says no more
    return safe_open(name, framework="numpy")
