"""Cholesky's factorisation by LAPACK, in threads that do not wait for each other.

scipy.linalg.lapack holds Python's lock while it works, so that layers side by side would take as
long as one after the other. scipy also lends the same routines as plain functions (they are meant
for Cython); called through ctypes, they leave the lock to others.
"""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cython_lapack

Routine = Callable[..., None]
LOWER = b"L"


def factorise(matrix: NDArray[np.floating]) -> bool:
    """Replace the upper triangle of a symmetric matrix by its factor U, with Uᵀ U = matrix.

    Args:
        matrix: Of single or double precision, its rows one after another; what stands below the
            diagonal is left as it is.

    Returns:
        Whether the matrix is positive definite in its precision; if not, it is spoilt.
    """
    n = matrix.shape[0]
    if matrix.shape != (n, n) or not matrix.flags.c_contiguous or not matrix.flags.writeable:
        raise ValueError(f"needed: a square matrix by rows to write into; met: {matrix.shape}")
    size, failure = ctypes.c_int(n), ctypes.c_int(0)
    # LAPACK counts columns first: the upper triangle by rows is its lower triangle.
    ROUTINES[matrix.dtype](
        LOWER, ctypes.byref(size), matrix.ctypes.data, ctypes.byref(size), ctypes.byref(failure)
    )
    return failure.value == 0 and bool(np.isfinite(matrix.diagonal()).all())


def _routine(name: str) -> Routine:
    """Return a routine that scipy lends, as a function that ctypes can call."""
    capsule: Any = cython_lapack.__pyx_capi__[name]
    name_of = ctypes.pythonapi.PyCapsule_GetName
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    integer = ctypes.POINTER(ctypes.c_int)
    prototype = ctypes.CFUNCTYPE(None, ctypes.c_char_p, integer, ctypes.c_void_p, integer, integer)
    return prototype(pointer_of(capsule, name_of(capsule)))


ROUTINES: dict[np.dtype[Any], Routine] = {
    np.dtype(np.float32): _routine("spotrf"),
    np.dtype(np.float64): _routine("dpotrf"),
}
