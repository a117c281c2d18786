"""How many of many tests would stand? Adjusted p-values within one comparison."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjust p-values so that the chance of any false finding stays at the level.

    Returns:
        In the order given; None where there was no test, which then is not counted.

    Source: Holm 1979 (Scand. J. Stat. 6).
    """
    return _adjusted(p_values, _holm)


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjust p-values so that the expected share of false findings stays at the level.

    Returns:
        In the order given; None where there was no test, which then is not counted.

    Source: Benjamini & Hochberg 1995 (J. R. Stat. Soc. B 57).
    """
    return _adjusted(p_values, _benjamini_hochberg)


def _holm(rising: FloatArray) -> FloatArray:
    n = len(rising)
    return np.asarray(np.maximum.accumulate(rising * np.arange(n, 0, -1)))


def _benjamini_hochberg(rising: FloatArray) -> FloatArray:
    n = len(rising)
    scaled = rising * n / np.arange(1, n + 1)
    return np.asarray(np.minimum.accumulate(scaled[::-1])[::-1])


def _adjusted(
    p_values: Sequence[float | None], adjust: Callable[[FloatArray], FloatArray]
) -> list[float | None]:
    places = [place for place, p_value in enumerate(p_values) if p_value is not None]
    known = np.array([p_value for p_value in p_values if p_value is not None], dtype=np.float64)
    if not (np.isfinite(known).all() and ((known >= 0) & (known <= 1)).all()):
        raise ValueError("a p-value is not in [0, 1]; what was not tested is None")
    order = np.argsort(known, kind="stable")
    found: list[float | None] = [None] * len(p_values)
    if len(known):
        for place, value in zip(order, adjust(known[order]), strict=True):
            found[places[place]] = min(1.0, float(value))
    return found
