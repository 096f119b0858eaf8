"""A convex quadratic within bounds."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from sklearn.exceptions import ConvergenceWarning

from treatise.optimize import minimize_box_quadratic


@pytest.mark.parametrize("seed", range(5))
def test_equals_bounded_least_squares(seed):
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(30, 12)), rng.normal(size=30) * 3
    lower, upper = -rng.gamma(1.0, size=12) * 0.3, rng.gamma(1.0, size=12) * 0.3
    lower[:3], upper[:2] = -np.inf, np.inf
    here = minimize_box_quadratic(A.T @ A, -A.T @ b, lower, upper)
    there = lsq_linear(A, b, (lower, upper), method="bvls", tol=1e-14).x
    # Both are exact once the active bounds are found.
    np.testing.assert_allclose(here, there, atol=1e-8)
    assert np.any((here == lower) | (here == upper))


def test_without_bounds_it_is_newtons_step():
    rng = np.random.default_rng(0)
    A, gradient = rng.normal(size=(9, 5)), rng.normal(size=5)
    here = minimize_box_quadratic(A.T @ A, gradient, np.full(5, -np.inf), np.full(5, np.inf))
    np.testing.assert_allclose(here, -np.linalg.solve(A.T @ A, gradient), rtol=1e-9)


def test_zero_may_lie_outside_the_bounds():
    here = minimize_box_quadratic(np.eye(2), np.zeros(2), np.array([1.0, -3.0]), np.array([2.0, -2.0]))
    np.testing.assert_array_equal(here, [1.0, -2.0])


def test_empty_bounds_are_refused():
    with pytest.raises(ValueError, match="lower=2 exceeds upper=1 at coordinate 1"):
        minimize_box_quadratic(np.eye(2), np.zeros(2), np.array([0.0, 2.0]), np.ones(2))


def test_a_coordinate_without_curvature_is_refused():
    with pytest.raises(ValueError, match="diagonal"):
        minimize_box_quadratic(np.diag([1.0, 0.0]), np.ones(2), np.zeros(2), np.ones(2))


def test_sweeps_that_do_not_suffice_are_told():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(30, 30))
    hessian, gradient = A @ A.T + 1e-6 * np.eye(30), rng.normal(size=30)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 sweeps"):
        minimize_box_quadratic(hessian, gradient, np.full(30, -1.0), np.full(30, 1.0), max_iter=1)
