"""Successive projection against a pivoted QR decomposition."""

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import qr

from treatise.optimize import successive_projection


@pytest.mark.parametrize("shape", [(30, 8), (8, 30), (300, 60)])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_order_is_that_of_a_pivoted_qr(shape, layout):
    X = np.random.default_rng(0).random(shape)
    chosen = successive_projection(layout(X), min(shape))
    triangle, pivots = qr(X.T, mode="r", pivoting=True)
    np.testing.assert_array_equal(chosen.indices, pivots[: min(shape)])
    np.testing.assert_allclose(chosen.distances, np.abs(np.diag(triangle))[: min(shape)], rtol=1e-9)
    # Down to rounding, of which differences of squares would leave the root.
    assert chosen.left < 1e-13


def test_distances_over_thirteen_orders_of_magnitude_are_right():
    rng = np.random.default_rng(1)
    rotation = np.linalg.qr(rng.normal(size=(12, 12)))[0]
    X = np.linalg.qr(rng.normal(size=(50, 12)))[0] * np.logspace(0, -13, 12) @ rotation
    triangle, pivots = qr(X.T, mode="r", pivoting=True)
    chosen = successive_projection(X, 11)
    np.testing.assert_array_equal(chosen.indices, pivots[:11])
    np.testing.assert_allclose(chosen.distances, np.abs(np.diag(triangle))[:11], rtol=1e-2)


def test_choice_stops_at_the_rank():
    rng = np.random.default_rng(2)
    X = rng.random((40, 5)) @ rng.random((5, 30))
    chosen = successive_projection(np.vstack([np.zeros(30), X, X]), 20)
    assert len(chosen.indices) == 5 and 0 not in chosen.indices
    assert chosen.left < 1e-12


def test_what_is_left_is_the_largest_distance_from_the_span():
    X = np.random.default_rng(3).random((25, 10))
    chosen = successive_projection(X, 4)
    basis = np.linalg.qr(X[chosen.indices].T)[0]
    assert chosen.left == pytest.approx(np.linalg.norm(X - X @ basis @ basis.T, axis=1).max())
    assert np.all(np.diff(chosen.distances) <= 0) and chosen.left <= chosen.distances[-1]


def test_data_without_direction_give_no_rows_and_bad_numbers_are_refused():
    assert len(successive_projection(np.zeros((3, 2)), 2).indices) == 0
    with pytest.raises(ValueError, match="n_rows=0 must be at least 1"):
        successive_projection(np.eye(2), 0)
