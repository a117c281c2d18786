import numpy as np
import pytest

from benchmarks.xcomps.lapack import factorise


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_factor_of_a_matrix_worked_by_hand(dtype):
    # [4 2; 2 10] = Uᵀ U with U = [2 1; 0 3]
    matrix = np.array([[4.0, 2.0], [2.0, 10.0]], dtype=dtype)

    assert factorise(matrix)

    assert np.triu(matrix).tolist() == [[2.0, 1.0], [0.0, 3.0]]


def test_a_matrix_that_is_not_positive_definite_has_no_factor():
    assert not factorise(np.array([[1.0, 2.0], [2.0, 1.0]]))
    assert not factorise(np.array([[np.inf, 0.0], [0.0, 1.0]]))


def test_a_matrix_that_could_not_be_written_in_place_is_refused():
    with pytest.raises(ValueError, match="needed: a square matrix"):
        factorise(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="needed: a square matrix"):
        factorise(np.asfortranarray(np.eye(3) + np.triu(np.ones((3, 3)))))
