"""Cholesky factors that follow small changes of their matrix, against factors computed anew."""

import numpy as np
import pytest

from treatise.optimize import cholesky_append, cholesky_delete, cholesky_downdate, cholesky_update


@pytest.fixture
def matrix():
    root = np.random.default_rng(0).normal(size=(9, 14))
    return root @ root.T


def test_update_and_downdate_equal_the_factor_of_the_changed_matrix_and_undo_each_other(matrix):
    x = np.random.default_rng(1).normal(size=9)
    factor = np.linalg.cholesky(matrix)
    larger = cholesky_update(factor, x)
    np.testing.assert_allclose(larger, np.linalg.cholesky(matrix + np.outer(x, x)), atol=1e-12)
    np.testing.assert_allclose(cholesky_downdate(larger, x), factor, atol=1e-11)
    np.testing.assert_array_equal(factor, np.linalg.cholesky(matrix))  # what was given stays as it was


@pytest.mark.parametrize("row", range(9))
def test_delete_and_append_equal_the_factor_of_the_smaller_and_larger_matrix(matrix, row):
    rest = np.delete(np.arange(9), row)
    smaller = cholesky_delete(np.linalg.cholesky(matrix), row)
    np.testing.assert_allclose(smaller, np.linalg.cholesky(matrix[np.ix_(rest, rest)]), atol=1e-12)
    order = np.append(rest, row)
    grown = cholesky_append(smaller, matrix[rest, row], matrix[row, row])
    np.testing.assert_allclose(grown, np.linalg.cholesky(matrix[np.ix_(order, order)]), atol=1e-11)


def test_what_is_not_positive_definite_is_refused(matrix):
    factor = np.linalg.cholesky(matrix)
    with pytest.raises(np.linalg.LinAlgError, match="x is too long"):
        cholesky_downdate(factor, 1.001 * factor[:, 0] + 0.1)
    with pytest.raises(np.linalg.LinAlgError, match="diagonal"):
        cholesky_append(factor, matrix[:, 0], matrix[0, 0] * 0.999)


def test_shapes_and_places_that_do_not_fit_are_refused(matrix):
    factor = np.linalg.cholesky(matrix)
    with pytest.raises(ValueError, match=r"square with a vector of its length.*\(9, 9\), \(8,\)"):
        cholesky_update(factor, np.ones(8))
    with pytest.raises(ValueError, match="row 9 does not exist"):
        cholesky_delete(factor, 9)
