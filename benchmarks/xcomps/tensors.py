"""Where are the hidden states of a sentence? Read from safetensors files."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from benchmarks.errors import ReplayError
from benchmarks.responses import TensorResponse

States = NDArray[np.floating]
"""Shape (n_layers, width): the pooled token of every layer, embeddings first."""

TensorReader = Callable[[TensorResponse], States]


def read_states(response: TensorResponse) -> States:
    """Read one tensor.

    Raises:
        ReplayError: The file or tensor is missing, or is not one finite vector a layer.
    """
    place = f"tensor {response.tensor!r} of {response.file}"
    if not Path(response.file).is_file():
        raise ReplayError(f"no file for {place}")
    try:
        with safe_open(response.file, framework="numpy") as file:
            states: States = file.get_tensor(response.tensor)
    except (SafetensorError, OSError, TypeError) as error:
        raise ReplayError(f"{place} cannot be read: {error}") from error
    if states.ndim != 2 or 0 in states.shape or not np.issubdtype(states.dtype, np.floating):
        raise ReplayError(
            f"{place} is {states.dtype} of shape {states.shape}; needed: (n_layers, width)"
        )
    if not np.isfinite(states).all():
        raise ReplayError(f"{place} holds values that are not finite")
    return states
