"""Which packages do weights of few bits need?"""

import importlib.util
from collections.abc import Mapping, Sequence

from scorer.errors import ModelNotFoundError

PACKAGES: Mapping[str, Sequence[str]] = {
    "bitsandbytes": ("bitsandbytes", "accelerate"),
    "awq": ("gptqmodel", "accelerate"),
    "gptq": ("gptqmodel", "optimum", "accelerate"),
}
"""By the name that a model's configuration gives its method."""


def check_packages(method: str) -> None:
    """Refuse weights that cannot be read with what is installed.

    Raises:
        ModelNotFoundError: Names what is missing, or the methods that are known.
    """
    if method not in PACKAGES:
        raise ModelNotFoundError(
            f"the weights are quantised by {method}; allowed: {', '.join(PACKAGES)}"
        )
    missing = [name for name in PACKAGES[method] if importlib.util.find_spec(name) is None]
    if missing:
        raise ModelNotFoundError(
            f"weights quantised by {method} need the package {' and '.join(missing)}:"
            " pip install 'polysense[quantised]'"
        )
